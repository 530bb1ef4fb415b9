import type { ListenerStatus } from '../../contract/live/listener.ts'
import type { Task } from '../../contract/platform/tasks.ts'
import type { NoteKind } from '../../contract/platform/notifications.ts'
import type { NewNote, NotificationsService } from '../platform/notifications/notifications.service.ts'
import type { PlatformParts } from '../platform/parts.ts'

/** A shorter task ends while the operator still looks at it, so it causes no notification. */
const longJobMs = 20_000
/** Opt-outs within this time share one notification. */
const optOutsTogetherMs = 60_000

export type OperatorNotes = ReturnType<typeof createOperatorNotes>

/** Turns what happens on one connection into notifications. */
export function createOperatorNotes(
  parts: Pick<PlatformParts, 'notify' | 'clock'> & {
    withdraw: NotificationsService['withdraw']
    connectionId: string
  },
) {
  const { notify, withdraw, connectionId, clock } = parts
  let optOutsSeen = 0
  let notHeldSeen = 0
  let waiting: (() => void) | null = null
  let episode = 0
  /** The text of each alarm; null: over. Unknown at the start: a notification from before a restart may be shown. */
  const lasting = new Map<NoteKind, NewNote['text'] | null>()

  /** Tells of an alarm once while its text lasts, and withdraws the notification when it is over (null) or another. */
  function alarm(kind: NoteKind, about: Pick<NewNote, 'text' | 'values' | 'problem' | 'link'> | null): void {
    const text = about?.text ?? null
    const before = lasting.get(kind)
    if (before === text) return
    lasting.set(kind, text)
    const group = `${kind}/${connectionId}`
    if (about === null || before) withdraw(group)
    if (about) notify({ kind, key: `${group}/${clock.now()}/${episode++}`, group, ...about })
  }

  function tellOptOuts(): void {
    const counts = { optOuts: optOutsSeen, optOutsNotHeld: notHeldSeen }
    waiting = optOutsSeen + notHeldSeen === 0 ? null : clock.after(optOutsTogetherMs, tellOptOuts)
    optOutsSeen = notHeldSeen = 0
    for (const text of ['optOuts', 'optOutsNotHeld'] as const) {
      const group = `${text === 'optOuts' ? 'opt-out' : 'opt-out-not-held'}/${connectionId}`
      const count = counts[text]
      if (count > 0)
        notify({
          kind: 'opt-out',
          key: `${group}/${clock.now()}`,
          group,
          count,
          text,
          link: { path: '/dnc?tab=holds' },
        })
    }
  }

  return {
    alarm,
    /** Opt-outs put `count` senders on hold, and couldn't put `notHeld` on hold. */
    optOuts(count: number, notHeld: number): void {
      optOutsSeen += count
      notHeldSeen += notHeld
      if (waiting === null) tellOptOuts()
    },
    /** Call when the listener's state may have changed. One that can't store deliveries turns them away, so it is down. */
    listener({ state, problem }: Pick<ListenerStatus, 'state' | 'problem'>): void {
      const storesNothing = /^(DISK_FULL$|STORAGE_)/.test(problem?.code ?? '')
      if (state === 'failed' || (state === 'listening' && storesNothing))
        alarm('listener-down', {
          text: 'listenerDown',
          problem,
          link: { path: '/settings?section=listener' },
        })
      else if (state !== 'starting') alarm('listener-down', null)
    },
    taskEnded({ id, kind, state, subject, refId, problem, createdAt, startedAt, endedAt }: Task): void {
      withdraw(`task/${id}`)
      const tookMs = Date.parse(endedAt ?? createdAt) - Date.parse(startedAt ?? createdAt)
      if (state === 'cancelled' || (state === 'done' && tookMs < longJobMs)) return
      const isImport = kind === 'import' && refId !== null
      notify({
        kind: 'job-done',
        key: `job-done/${id}/${endedAt}`,
        group: `task/${id}`,
        text: state === 'failed' ? 'taskFailed' : isImport ? 'importDone' : 'taskDone',
        values: { subject },
        problem,
        ...(isImport ? { link: { path: `/imports?import=${refId}` } } : {}),
      })
    },
    /** Reports tasks that an exit or a crash interrupted. */
    interrupted(tasks: readonly Task[]): void {
      for (const { id, can, subject } of tasks)
        notify({
          kind: 'job-done',
          key: `interrupted/${id}`,
          group: `task/${id}`,
          text: can.resume ? 'resumable' : 'interrupted',
          values: { subject },
        })
    },
    stop(): void {
      waiting?.()
      waiting = null
    },
  }
}

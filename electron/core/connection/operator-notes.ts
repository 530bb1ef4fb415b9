import type { ListenerStatus } from '../../contract/listener.ts'
import type { Task } from '../../contract/tasks.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NotificationsService, Notify } from '../platform/notifications/notifications.service.ts'

/** A job that took less is not told of: who began it is still looking. */
const longJobMs = 20_000
/** Stop words that come closer together than this are told of together. */
const stopWordsTogetherMs = 60_000

/** Watches one connection's parts for what an operator is told of. */
export interface OperatorNotes {
  /** Senders were put on hold by a stop word, so many. */
  stopWords(count: number): void
  /** The listener may have changed. */
  listener(status: Pick<ListenerStatus, 'state' | 'problem'>): void
  /** A task came to its end. */
  taskEnded(task: Task): void
  stop(): void
}

export function createOperatorNotes(parts: {
  notify: Notify
  withdraw: NotificationsService['withdraw']
  connectionId: string
  clock: Clock
}): OperatorNotes {
  const { notify, withdraw, connectionId, clock } = parts
  let stopWordsSeen = 0
  let waiting: (() => void) | null = null
  let outage = 0
  let isDown = false

  function tellStopWords(): void {
    if (stopWordsSeen === 0) return void (waiting = null)
    const count = stopWordsSeen
    stopWordsSeen = 0
    notify({
      kind: 'stop-word',
      key: `stop-word/${connectionId}/${clock.now()}`,
      group: `stop-word/${connectionId}`,
      count,
      words: (total) => ({
        title:
          total === 1 ? 'A stop word was received' : `${total.toLocaleString('en')} stop words were received`,
        body: total === 1 ? 'Its sender is held back.' : 'Their senders are held back.',
      }),
      link: { path: '/dnc?tab=holds', label: 'See the holds' },
    })
    waiting = clock.after(stopWordsTogetherMs, tellStopWords)
  }

  return {
    stopWords(count) {
      stopWordsSeen += count
      if (waiting === null && count > 0) tellStopWords()
    },
    listener({ state, problem }) {
      if (isDown && (state === 'listening' || state === 'stopped')) {
        isDown = false
        withdraw(`listener-down/${connectionId}`)
      }
      if (state !== 'failed' || isDown) return
      isDown = true
      notify({
        kind: 'listener-down',
        key: `listener-down/${connectionId}/${clock.now()}/${outage++}`,
        group: `listener-down/${connectionId}`,
        words: () => ({
          title: 'The webhook listener is down',
          body: problem?.text ?? 'No events arrive until this is settled.',
        }),
        link: { path: '/settings?section=listener', label: 'See the listener' },
      })
    },
    taskEnded({ id, state, subject, problem, createdAt, startedAt, endedAt }) {
      const tookMs = Date.parse(endedAt ?? createdAt) - Date.parse(startedAt ?? createdAt)
      if (state === 'cancelled' || (state === 'done' && tookMs < longJobMs)) return
      notify({
        kind: 'job-done',
        key: `job-done/${id}/${endedAt}`,
        words: () => ({
          title: state === 'failed' ? `Failed: ${subject}` : `Done: ${subject}`,
          body: problem?.text ?? 'The result is in the task centre.',
        }),
      })
    },
    stop() {
      waiting?.()
      waiting = null
    },
  }
}

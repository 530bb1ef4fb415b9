import * as z from 'zod'
import {
  type Note,
  type NoteKind,
  noteKindSchema,
  noteSchema,
  type NoteText,
  type NotificationSettings,
  notificationSettingsSchema,
} from '../../../contract/platform/notifications.ts'
import { errorPhrase } from '../../../contract/errors.ts'
import { textIn } from '../../../contract/phrases.ts'
import { createTexts, type Language } from '../../../contract/texts.ts'
import en from '../../../contract/notes.en.json' with { type: 'json' }
import es from '../../../contract/notes.es.json' with { type: 'json' }
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { Ports } from '../../ports.ts'
import type { AlertWebhookService } from './alert-webhook.ts'
import type { SettingsRepository } from '../settings/settings.repository.ts'

/** Most notifications that are not dismissed, and most keys remembered to prevent repeats. */
const notesMax = 50
const keysMax = 1_000
/** Notes are kept across restarts for 30 days. */
const keptMs = 30 * 86_400_000
const notesKey = 'notes'
const keptSchema = z.object({
  notes: z.array(noteSchema),
  groups: z.array(z.tuple([z.string(), z.object({ seq: z.int(), count: z.int() })])),
})
const gaps = { minGapMs: 100, maxGapMs: 60_000 }
const settingsKey = 'notifications'
const allOn = Object.fromEntries(noteKindSchema.options.map((kind) => [kind, true])) as NotificationSettings

/** Content of a notification. Never a secret. */
export interface NewNote {
  kind: NoteKind
  /** A key is notified once. */
  key: string
  /** Its values get the count as `n`. */
  text: NoteText['text']
  values?: NoteText['values']
  problem?: NoteText['problem']
  link?: Note['link']
  connection?: Note['connection']
  /** Replaces the notification of the same group, unless that was dismissed. */
  group?: string
  /** Posts it to a webhook, unless a colleague's computer did. Default: always. */
  post?: (endpoint: string, post: () => void) => Promise<string | null>
  /** How many things it reports; default 1. */
  count?: number
}

export type Notify = (note: NewNote) => void

export type NotificationsService = ReturnType<typeof createNotificationsService>

/** Notifications for the operator: on the desktop where the host can, else in the page. */
export function createNotificationsService(parts: {
  ports: Pick<Ports, 'notify' | 'capabilities'>
  repository: SettingsRepository
  /** Gets every alert once, even if desktop notifications of its kind are off. */
  postAlert?: AlertWebhookService['post']
  /** Language of desktop notifications and alerts. The page has its own. */
  language: () => Language
  clock: Clock
  log: Log
}) {
  const { ports, repository, clock, log } = parts
  const native = ports.capabilities.includes('notify.native')
  const t = createTexts({ en, es }, parts.language)
  const pulse = createPulse()
  const seenKeys = new Set<string>()
  /** Shown on the desktop; may be clicked. */
  const onDesktop = new Map<string, NewNote>()
  const kept = repository.get(notesKey, keptSchema) ?? { notes: [], groups: [] }
  const isRecent = ({ at }: Note) => Date.parse(at) > clock.now() - keptMs
  let notes = kept.notes.filter(isRecent)
  const groups = new Map(kept.groups)
  let lastSeq = Math.max(0, ...kept.notes.map(({ seq }) => seq))
  for (const { key } of notes) seenKeys.add(key)

  function changed(): void {
    notes = notes.filter(isRecent)
    pulse.fire()
    try {
      repository.put(notesKey, { notes, groups: [...groups] })
    } catch (error) {
      log.warn('Could not store notifications', { error })
    }
  }

  const settings = () => repository.get(settingsKey, notificationSettingsSchema) ?? allOn
  const get = () => ({ settings: settings(), native })

  /** A group's note in the page. */
  function shownOf(group: string | undefined): { seq: number; count: number } | null {
    const known = group === undefined ? undefined : groups.get(group)
    return known && notes.some(({ seq }) => seq === known.seq) ? known : null
  }

  function showInPage(one: NewNote): void {
    const { kind, key, text, values, problem = null, link = null, connection = null, group, count = 1 } = one
    const before = shownOf(group)
    const total = count + (before?.count ?? 0)
    const note: Note = {
      seq: ++lastSeq,
      kind,
      key,
      text,
      values: { ...values, n: total },
      problem,
      at: isoTime(clock.now()),
      connection,
      link,
    }
    notes = [note, ...notes.filter(({ seq }) => seq !== before?.seq)].slice(0, notesMax)
    if (group !== undefined) groups.set(group, { seq: note.seq, count: total })
    const shown = new Set(notes.map(({ seq }) => seq))
    for (const [name, { seq }] of groups) if (!shown.has(seq)) groups.delete(name)
    changed()
  }

  function dismiss(seq?: number): void {
    notes = seq === undefined ? [] : notes.filter((note) => note.seq !== seq)
    changed()
  }

  return {
    notify(one: NewNote) {
      const { kind, key, connection = null } = one
      if (seenKeys.has(key)) return
      seenKeys.add(key)
      for (const oldest of seenKeys) {
        if (seenKeys.size <= keysMax) break
        seenKeys.delete(oldest)
      }
      const values: Record<string, string | number> = { n: one.count ?? 1 }
      for (const [name, value] of Object.entries(one.values ?? {}))
        values[name] = typeof value === 'number' ? value : textIn(parts.language(), value)
      const title = t(`${one.text}.title`, values)
      const body = one.problem
        ? textIn(parts.language(), errorPhrase(one.problem))
        : t(`${one.text}.body`, values)
      parts.postAlert?.({ kind, title, body, connection: connection?.name ?? null }, one.post)
      if (!settings()[kind]) return
      if (!native) return showInPage(one)
      onDesktop.set(key, one)
      for (const oldest of onDesktop.keys()) {
        if (onDesktop.size <= notesMax) break
        onDesktop.delete(oldest)
      }
      // Several connections may be listening.
      const named = connection ? t('onConnection', { connection: connection.name, title }) : title
      ports.notify({ key, title: named, body }).catch((error: unknown) => {
        log.warn('The desktop failed to show a notification; the page shows it', { error })
        onDesktop.delete(key)
        showInPage(one)
      })
    },
    /**
     * Page of a clicked desktop notification, after `toFront` brought its connection to the front. Null without a page, or
     * when that failed: then the note moves into the page.
     */
    async open(
      key: string,
      toFront: (connectionId: string) => Promise<boolean>,
    ): Promise<{ path: string; connectionId: string | undefined } | null> {
      const one = onDesktop.get(key)
      onDesktop.delete(key)
      if (!one?.link) return null
      const connectionId = one.connection?.id
      if (connectionId === undefined || (await toFront(connectionId)))
        return { path: one.link.path, connectionId }
      showInPage(one)
      return null
    },
    /** Removes a group's note when its reason is over. */
    withdraw(group: string) {
      const shown = shownOf(group)
      groups.delete(group)
      if (shown) dismiss(shown.seq)
    },
    get,
    set(next: NotificationSettings): { settings: NotificationSettings; native: boolean } {
      repository.put(settingsKey, next)
      return get()
    },
    async *watch(signal: AbortSignal): AsyncGenerator<{ notes: Note[] }> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield { notes }
    },
    /** Reloads the stored notes, after an erasure changed them. */
    reload() {
      notes = repository.get(notesKey, keptSchema)?.notes ?? []
      pulse.fire()
    },
    forgetConnection(id: string) {
      notes = notes.filter(({ connection }) => connection?.id !== id)
      for (const [key, { connection }] of onDesktop) if (connection?.id === id) onDesktop.delete(key)
      changed()
    },
    dismiss,
  }
}

import {
  type Note,
  type NoteKind,
  type NotificationSettings,
  notificationSettingsSchema,
} from '../../contract/notifications.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/iso-time.ts'
import type { Log } from '../../lib/log.ts'
import { beats, createPulse } from '../../lib/pulse.ts'
import type { Ports } from '../ports.ts'
import type { SettingsRepository } from '../settings/settings.repository.ts'

/** Notes that wait to be dismissed, and keys of things that were told of: both the newest only. */
const notesMax = 50
const keysMax = 1_000
const gaps = { minGapMs: 100, maxGapMs: 60_000 }
const settingsKey = 'notifications'
const allOn: NotificationSettings = {
  guard: true,
  'stop-word': true,
  'listener-down': true,
  'job-done': true,
}

/** Tells the operator of one thing, once: the same `key` again is the same thing. Never a secret in the texts. */
export type Notify = (note: { kind: NoteKind; key: string; title: string; body: string }) => void

/** What the operator is told of while they look elsewhere: by the host where it can, else in the page. */
export interface NotificationsService {
  notify: Notify
  get(): { settings: NotificationSettings; native: boolean }
  set(settings: NotificationSettings): { settings: NotificationSettings; native: boolean }
  watch(signal: AbortSignal): AsyncGenerator<{ notes: Note[] }>
  dismiss(seq?: number): void
}

export function createNotificationsService(parts: {
  ports: Pick<Ports, 'notify' | 'capabilities'>
  repository: SettingsRepository
  clock: Clock
  log: Log
}): NotificationsService {
  const { ports, repository, clock, log } = parts
  const native = ports.capabilities.includes('notify.native')
  const pulse = createPulse()
  const told = new Set<string>()
  let notes: Note[] = []
  let lastSeq = 0

  const settings = () => repository.get(settingsKey, notificationSettingsSchema) ?? allOn
  const get = () => ({ settings: settings(), native })

  function showInPage(note: Note): void {
    notes = [note, ...notes].slice(0, notesMax)
    pulse.fire()
  }

  return {
    notify({ kind, key, title, body }) {
      if (told.has(key) || !settings()[kind]) return
      told.add(key)
      for (const oldest of told) {
        if (told.size <= keysMax) break
        told.delete(oldest)
      }
      const note: Note = { seq: ++lastSeq, kind, key, title, body, at: isoTime(clock.now()) }
      if (!native) return showInPage(note)
      ports.notify({ title, body }).catch((error: unknown) => {
        log.warn('the desktop took no notification, so it is shown in the console', { error })
        showInPage(note)
      })
    },
    get,
    set(next) {
      repository.put(settingsKey, next)
      return get()
    },
    async *watch(signal) {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield { notes }
    },
    dismiss(seq) {
      notes = seq === undefined ? [] : notes.filter((note) => note.seq !== seq)
      pulse.fire()
    },
  }
}

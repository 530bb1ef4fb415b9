import type { AlertWebhook, Note, NotificationSettings } from '#contract/platform/notifications.ts'
import type { Script } from './script.ts'
import { createBroadcast } from './broadcast.ts'

/** The answers about notifications, and a way to send some. */
export function scriptedNotifications() {
  const notes = createBroadcast<Note[]>([])
  const webhook = createBroadcast<AlertWebhook>({ host: null, format: 'slack', kinds: ['guard'], posts: [] })
  let settings: NotificationSettings = {
    guard: true,
    'stop-word': true,
    'listener-down': true,
    'job-done': true,
  }
  const answers: Script['notifications'] = {
    get: () => ({ settings, native: false }),
    set: (next) => {
      settings = next
      return { settings, native: false }
    },
    watch: async function* (_input: unknown, signal?: AbortSignal) {
      for await (const value of notes.watch(signal)) yield { notes: value }
    } as unknown as Script['notifications']['watch'],
    watchWebhook: async function* (_input: unknown, signal?: AbortSignal) {
      for await (const value of webhook.watch(signal)) yield value
    } as unknown as Script['notifications']['watchWebhook'],
    setWebhook: ({ format, kinds }) => {
      webhook.set({ host: 'alerts.example', format, kinds, posts: [] })
      return { secret: format === 'json' ? 'whsec_c2NyaXB0ZWQ=' : null }
    },
    removeWebhook: () => {
      webhook.set({ ...webhook.value(), host: null })
      return {}
    },
    testWebhook: () => ({}),
    dismiss: ({ seq }) => {
      notes.set(seq === undefined ? [] : notes.value().filter((note) => note.seq !== seq))
      return {}
    },
  }
  return { answers, set: notes.set }
}

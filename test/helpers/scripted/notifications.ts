import {
  type AlertWebhook,
  type Note,
  noteKindSchema,
  type NotificationSettings,
} from '#contract/platform/notifications.ts'
import type { Script } from './script.ts'
import { createBroadcast } from './broadcast.ts'

const settings = Object.fromEntries(
  noteKindSchema.options.map((kind) => [kind, true]),
) as NotificationSettings

/** The answers about notifications, and a way to send some. */
export function scriptedNotifications() {
  const notes = createBroadcast<Note[]>([])
  const webhook = createBroadcast<AlertWebhook>({
    host: null,
    format: 'slack',
    kinds: ['alert-rule'],
    posts: [],
  })
  const answers: Script['notifications'] = {
    get: () => ({ settings, native: false }),
    set: (next) => ({ settings: next, native: false }),
    watch: async function* (_input, signal) {
      for await (const value of notes.watch(signal)) yield { notes: value }
    },
    watchWebhook: (_input, signal) => webhook.watch(signal),
    setWebhook: () => ({ secret: null }),
    removeWebhook: () => {},
    testWebhook: () => {},
    dismiss: () => {},
  }
  return { answers, set: notes.set }
}

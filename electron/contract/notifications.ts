import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'

/** What an operator is told of when they look elsewhere. */
export const noteKindSchema = z.enum(['guard', 'stop-word', 'listener-down', 'job-done'])
export type NoteKind = z.infer<typeof noteKindSchema>

/** Which kinds are told of. */
export const notificationSettingsSchema = z.object({
  guard: z.boolean(),
  'stop-word': z.boolean(),
  'listener-down': z.boolean(),
  'job-done': z.boolean(),
})
export type NotificationSettings = z.infer<typeof notificationSettingsSchema>

/** Something the host could not show on the desktop, so the page does: as a notification of its own, or within the console. */
export const noteSchema = z.object({
  seq: z.int(),
  kind: noteKindSchema,
  /** Tells notes of the same thing apart from others; the page gives it to the browser, so that two tabs show one. */
  key: z.string(),
  title: z.string(),
  body: z.string(),
  at: isoTime,
  /** The connection it belongs to, with its name of that time, which the body says; null for the console itself. */
  connection: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Where in the console more is to be seen of it, while its connection is open: a place and what is there. */
  link: z.object({ path: z.string().startsWith('/'), label: z.string() }).nullable(),
})
export type Note = z.infer<typeof noteSchema>

export const notificationsContract = {
  /** `native` is true where the host shows notifications itself. */
  get: procedure.output(z.object({ settings: notificationSettingsSchema, native: z.boolean() })),
  set: procedure
    .input(notificationSettingsSchema)
    .output(z.object({ settings: notificationSettingsSchema, native: z.boolean() })),
  /** Notes that nobody dismissed yet, newest first, at most 50: at once, then after each change. */
  watch: procedure.output(eventIterator(z.object({ notes: z.array(noteSchema) }))),
  /** Takes one note off, or all of them. */
  dismiss: procedure.input(z.object({ seq: z.int().optional() })).output(z.object({})),
}

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { languageCodes } from '../texts.ts'
import { errorViewSchema, procedure, nothing } from '../define.ts'
import { appearanceSchema } from '../platform/settings.ts'

/** Something the desktop asks the page to show: a menu item, a link or an opened file. Waits until the page handles it. */
export const desktopRequestSchema = z.discriminatedUnion('kind', [
  /** A page of this app with its query, e.g. `/events?number=…`. `connectionId`: once that connection is in front. Dropped after two minutes. */
  z.object({
    id: z.string(),
    kind: z.literal('page'),
    path: z.string().startsWith('/'),
    connectionId: z.string().optional(),
  }),
  /** A table for the Contacts import. `takeFile` hands it over. */
  z.object({ id: z.string(), kind: z.literal('import'), fileName: z.string() }),
  z.object({ id: z.string(), kind: z.literal('shortcuts') }),
  /** A link or file that was refused, and why. */
  z.object({ id: z.string(), kind: z.literal('refused'), error: errorViewSchema }),
])
export type DesktopRequest = z.infer<typeof desktopRequestSchema>

export const desktopSettingsSchema = z.object({
  /** Closing the window hides it; Switchboard keeps running in the tray. */
  closeToTray: z.boolean(),
})
export type DesktopSettings = z.infer<typeof desktopSettingsSchema>

/** What the host needs for its tray, its windows and the question before it quits. */
export const desktopStateSchema = z.object({
  theme: appearanceSchema.shape.theme,
  /** Of menus, tray and dialogs. */
  language: z.enum(languageCodes),
  closeToTray: z.boolean(),
  /** Whether the outbox of the connection in front may send. Null without one. */
  sending: z.enum(['on', 'paused']).nullable(),
  /** Names of the connections behind the front that need attention. */
  troubled: z.array(z.string()),
  /** On all connections: tasks that run or wait for their turn, and requests that the outbox is sending. */
  work: z.object({ tasks: z.int(), requests: z.int() }),
})
export type DesktopState = z.infer<typeof desktopStateSchema>

const byId = z.object({ id: z.string() })

/** Where the host offers it (capability `window.native`). Only the host can make a request; see `Core.ask`. */
export const desktopContract = {
  /** Waiting requests, oldest first; again after each change. */
  requests: procedure.output(eventIterator(z.object({ requests: z.array(desktopRequestSchema) }))),
  /** Removes a request. Unknown ids are ignored. */
  done: procedure.input(byId).output(nothing),
  /** Copies the file of an `import` request into the open connection and removes the request. OPENED_FILE_UNREADABLE, FILE_GONE, DISK_FULL. */
  takeFile: procedure.input(byId).output(z.object({ fileId: z.string(), fileName: z.string() })),
  getSettings: procedure.output(desktopSettingsSchema),
  setSettings: procedure.input(desktopSettingsSchema).output(desktopSettingsSchema),
  /** The current state, then each change, at most once a second. */
  state: procedure.output(eventIterator(desktopStateSchema)),
}

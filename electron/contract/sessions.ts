import * as z from 'zod'
import { isoTime } from './define.ts'

/** The address of the list (GET) and of ending one (POST, `{ id }`); at the host itself, where it has the capability `sessions`. */
export const sessionsPath = '/sessions'

/** A browser that signed in to the browser host. */
export const browserSessionSchema = z.object({
  id: z.string(),
  /** As the browser named itself, e.g. `Firefox on Linux`. */
  browser: z.string(),
  createdAt: isoTime,
  lastUsedAt: isoTime,
  endsAt: isoTime,
  /** The one that asks. */
  isCurrent: z.boolean(),
})
export type BrowserSession = z.infer<typeof browserSessionSchema>
export const browserSessionsSchema = z.object({ sessions: z.array(browserSessionSchema) })

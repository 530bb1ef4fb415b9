import * as z from 'zod'
import { isoTime } from '../define.ts'

/** Path on the host to list sessions (GET) and end one (POST `{ id }`). Needs the capability `sessions`. */
export const sessionsPath = '/sessions'

/** A browser signed in to the browser host. */
export const browserSessionSchema = z.object({
  id: z.string(),
  /** As the browser named itself, e.g. `Firefox on Linux`. */
  browser: z.string(),
  createdAt: isoTime,
  lastUsedAt: isoTime,
  endsAt: isoTime,
  /** The browser that sent this request. */
  isCurrent: z.boolean(),
})
export type BrowserSession = z.infer<typeof browserSessionSchema>
export const browserSessionsSchema = z.object({ sessions: z.array(browserSessionSchema) })

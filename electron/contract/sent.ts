import * as z from 'zod'
import { isoTime } from './define.ts'
import { outboxStateSchema } from './outbox.ts'

/** A message that was sent, or is to be sent, from this console by a template: an item of its outbox. */
export const sentMessageSchema = z.object({
  itemId: z.int(),
  batchId: z.string(),
  /** Of the template as it is known here now; null where it is not, or has no name. */
  templateName: z.string().nullable(),
  /** The text from the service's answer, else rendered here from the local template; null when neither is available. */
  text: z.string().nullable(),
  state: outboxStateSchema,
  /** The service's own word at the send; null before, or where it gave none. */
  serviceStatus: z.string().nullable(),
  queuedAt: isoTime,
  /** When it came to its end in the outbox; null while it has none. */
  endedAt: isoTime.nullable(),
})
export type SentMessage = z.infer<typeof sentMessageSchema>

import * as z from 'zod'
import { isoTime } from '../define.ts'
import { outboxStateSchema } from './outbox.ts'

/** A template message sent, or to be sent, from here: an outbox item. */
export const sentMessageSchema = z.object({
  itemId: z.int(),
  batchId: z.string(),
  /** The service's id; null before its response. */
  messageId: z.string().nullable(),
  /** Null when the template is unknown here or unnamed. */
  templateName: z.string().nullable(),
  /** From the service's response, else rendered from the local template; null without either. */
  text: z.string().nullable(),
  state: outboxStateSchema,
  /** Status from the response; null before it or if it gave none. */
  serviceStatus: z.string().nullable(),
  queuedAt: isoTime,
  /** When it ended in the outbox. */
  endedAt: isoTime.nullable(),
})
export type SentMessage = z.infer<typeof sentMessageSchema>

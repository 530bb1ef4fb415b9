import * as z from 'zod'
import { isoTime, saidSchema } from '../define.ts'
import { outboxStatusSchema } from './outbox.ts'

/** A template message sent, or to be sent, from here: an outbox item; or sent by a colleague. */
export const sentMessageSchema = z.object({
  /** The colleague who sent it; null from here. */
  author: z.string().nullable(),
  /** Null for a colleague's, like the batch. */
  itemId: z.int().nullable(),
  batchId: z.string().nullable(),
  /** Title of its batch: a single message or a bulk send, with its template. */
  batchTitle: saidSchema.nullable(),
  /** The service's id; null before its response. */
  messageId: z.string().nullable(),
  /** Null when the template is unknown here or unnamed. */
  templateName: z.string().nullable(),
  /** From the service's response, else rendered from the local template; null without either. A colleague's has placeholders. */
  text: z.string().nullable(),
  state: outboxStatusSchema,
  /** Status from the response; null before it or if it gave none. */
  serviceStatus: z.string().nullable(),
  queuedAt: isoTime,
  /** When it ended in the outbox. */
  endedAt: isoTime.nullable(),
})
export type SentMessage = z.infer<typeof sentMessageSchema>

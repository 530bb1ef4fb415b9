import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { contactRowSchema } from './contacts.ts'
import { isoTime, procedure } from './define.ts'
import { offlineVerdictSchema } from './dnc.ts'
import { eventRowSchema } from './events.ts'
import { sentMessageSchema } from './sent.ts'

/** All inbound messages of one sender. */
export const conversationSchema = z.object({
  /** Key of the conversation: the sender's digits, or its name where it is no number. */
  sender: z.string(),
  /** E.164; null where the sender is no number that could be answered. */
  phone: z.string().nullable(),
  /** The sender as its last message wrote it; null where it named none. */
  number: z.string().nullable(),
  /** Who has this number in the book. */
  contact: z.object({ id: z.int(), name: z.string() }).nullable(),
  messages: z.int(),
  unread: z.int(),
  /** Messages whose whole text is a stop word. */
  stopWords: z.int(),
  /** Why it must not be sent to, as far as this computer knows. */
  blocked: z.enum(['dnc', 'hold']).nullable(),
  last: z.object({
    seq: z.int(),
    /** Its first 200 characters. */
    content: z.string(),
    receivedAt: isoTime,
    stopWord: z.boolean(),
  }),
})
export type Conversation = z.infer<typeof conversationSchema>

export const whichConversations = ['all', 'unread', 'stop-words'] as const
export type WhichConversations = (typeof whichConversations)[number]

export const inboxStateSchema = z.object({
  /** Conversations with something unread. */
  unread: z.int(),
  conversations: z.int(),
  /** The newest inbound message that is counted; rises as they arrive. */
  upToSeq: z.int(),
  /** True while the conversations are put together from what is stored: then there may be more. */
  behind: z.boolean(),
})
export type InboxState = z.infer<typeof inboxStateSchema>

const sender = z.string().max(300)

export const inboxContract = {
  /** The state at once, then after each change (at most four a second). */
  watch: procedure.output(eventIterator(inboxStateSchema)),
  /**
   * Conversations, the one with the newest message first. `text` is a part of a message or of a contact's name, or a number or a part of
   * one as in a filter of events.
   */
  list: procedure
    .input(
      z.object({
        which: z.enum(whichConversations).default('all'),
        text: z.string().max(200).optional(),
        /** Two letters of ISO 3166: a whole number without its country is looked for as dialled there, too. */
        region: z.string().length(2).optional(),
        limit: z.int().min(1).max(200).default(60),
        cursor: z.int().optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(conversationSchema),
        nextCursor: z.int().nullable(),
        /** Null where a text is looked for, which is found as far as it is read. */
        total: z.int().nullable(),
        state: inboxStateSchema,
      }),
    ),
  /** One conversation with its messages, newest first, and what is known of the sender. NOT_FOUND. */
  get: procedure
    .input(z.object({ sender, limit: z.int().min(1).max(200).default(60), cursor: z.int().optional() }))
    .output(
      z.object({
        conversation: conversationSchema,
        items: z.array(eventRowSchema),
        /** What was sent to this number from here, newest first, at most 100; with the first page alone. */
        sent: z.array(sentMessageSchema),
        nextCursor: z.int().nullable(),
        contact: contactRowSchema.nullable(),
        /** Null where the sender is no number. */
        verdict: offlineVerdictSchema.nullable(),
        asOf: isoTime,
      }),
    ),
  /** Everything of a sender up to this event was read. */
  markRead: procedure.input(z.object({ sender, upToSeq: z.int() })).output(inboxStateSchema),
  /** The last message of a sender counts as unread again. */
  markUnread: procedure.input(z.object({ sender })).output(inboxStateSchema),
  /** Everything up to this event was read. */
  markAllRead: procedure.input(z.object({ upToSeq: z.int() })).output(inboxStateSchema),
}

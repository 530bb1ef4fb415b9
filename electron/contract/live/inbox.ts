import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { contactRowSchema, noteVersionsSchema } from '../people/contacts.ts'
import { isoTime, procedure } from '../define.ts'
import { offlineVerdictSchema } from '../people/dnc.ts'
import { eventRowSchema } from './events.ts'
import { sentMessageSchema } from '../people/sent.ts'

/** Longest internal note on a conversation. */
export const noteLength = 500

/** A change of a conversation by a colleague, or null by this computer. */
const by = { by: z.string().nullable(), at: isoTime }
export const workStates = ['open', 'assigned', 'done'] as const
export type WorkState = (typeof workStates)[number]

/** All inbound messages of one sender. */
export const conversationSchema = z.object({
  /** Key: the sender's digits, or its name if it isn't a number. */
  sender: z.string(),
  /** E.164; null when you can't reply to the sender. */
  phone: z.string().nullable(),
  /** Sender as in the last message; null if it had none. */
  number: z.string().nullable(),
  /** Contact with this number. */
  contact: z.object({ id: z.int(), name: z.string() }).nullable(),
  messages: z.int(),
  unread: z.int(),
  /** Messages whose whole text is an opt-out keyword. */
  optOuts: z.int(),
  /** Messages that may be opt-outs and wait for an answer. None while the sender is on hold. */
  possibleOptOuts: z.int(),
  /** Why you can't send to it, as known locally. */
  blocked: z.enum(['dnc', 'hold']).nullable(),
  /** Who handles it. Null while it is open, and after a new message. */
  work: z.object({ state: z.enum(workStates).exclude(['open']), ...by }).nullable(),
  last: z.object({
    seq: z.int(),
    /** First 200 characters. */
    content: z.string(),
    receivedAt: isoTime,
    optOut: z.boolean(),
  }),
})
export type Conversation = z.infer<typeof conversationSchema>

export const whichConversations = ['all', 'unread', 'open', 'mine', 'opt-outs', 'possible-opt-outs'] as const
export type WhichConversations = (typeof whichConversations)[number]

export const inboxStateSchema = z.object({
  /** Conversations with unread messages. */
  unread: z.int(),
  conversations: z.int(),
  /** Conversations with possible opt-outs that wait for an answer. */
  possibleOptOuts: z.int(),
  /** Newest inbound message counted; rises. */
  upToSeq: z.int(),
  /** Rises with each change of who handles a conversation, and of notes. */
  marksVersion: z.int(),
  /** True while conversations are still being built from stored events. */
  behind: z.boolean(),
})
export type InboxState = z.infer<typeof inboxStateSchema>

const sender = z.string().max(300)

export const inboxContract = {
  /** State: now, then after changes (at most 4/s). */
  watch: procedure.output(eventIterator(inboxStateSchema)),
  /** Conversations by newest message. `text` matches messages, contact names, and numbers as in an event filter. */
  list: procedure
    .input(
      z.object({
        which: z.enum(whichConversations).default('all'),
        text: z.string().max(200).optional(),
        /** ISO 3166 alpha-2. A complete number without a country also matches as dialled in this region. */
        region: z.string().length(2).optional(),
        limit: z.int().min(1).max(200).default(60),
        cursor: z.int().optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(conversationSchema),
        nextCursor: z.int().nullable(),
        /** Null in a text search. */
        total: z.int().nullable(),
        state: inboxStateSchema,
      }),
    ),
  /** One conversation: messages newest first, and what is known of the sender. NOT_FOUND. */
  get: procedure
    .input(z.object({ sender, limit: z.int().min(1).max(200).default(60), cursor: z.int().optional() }))
    .output(
      z.object({
        conversation: conversationSchema,
        items: z.array(eventRowSchema),
        /** Sent to this number from here or by colleagues, newest first, at most 100; only on the first page. */
        sent: z.array(sentMessageSchema),
        nextCursor: z.int().nullable(),
        /** Its possible opt-outs that wait for an answer, newest first, at most 100. */
        possibleOptOuts: z.array(z.int()),
        /** Its first message that is an opt-out, by its text or as answered here. */
        optedOut: z.object({ seq: z.int(), at: isoTime }).nullable(),
        note: z.string(),
        noteVersions: noteVersionsSchema,
        /** Conversations under other numbers of the same contact. Not joined: such a number may be shared, or a doubtful reading. */
        related: z.array(conversationSchema),
        contact: contactRowSchema.nullable(),
        /** Null when the sender isn't a number. */
        verdict: offlineVerdictSchema.nullable(),
        asOf: isoTime,
      }),
    ),
  /** Marks a sender's messages as read up to this event. */
  markRead: procedure.input(z.object({ sender, upToSeq: z.int() })).output(inboxStateSchema),
  /** Marks a sender's last message as unread. */
  markUnread: procedure.input(z.object({ sender })).output(inboxStateSchema),
  /**
   * Answers the sender's possible opt-outs up to this event. `hold` puts the sender on hold, with the newest of them as evidence. Later
   * messages ask again. NOT_FOUND if none waits.
   */
  answerOptOut: procedure
    .input(z.object({ sender, upToSeq: z.int(), answer: z.enum(['hold', 'not-opt-out']) }))
    .output(inboxStateSchema),
  /** Says who handles a conversation: `assigned` to this computer, or `done` up to this event. NOT_FOUND. */
  setWork: procedure
    .input(z.object({ sender, state: z.enum(workStates), upToSeq: z.int() }))
    .output(inboxStateSchema),
  /** An empty note removes it. NOT_FOUND. */
  setNote: procedure
    .input(z.object({ sender, text: z.string().trim().max(noteLength) }))
    .output(inboxStateSchema),
  /** Marks everything up to this event as read. */
  markAllRead: procedure.input(z.object({ upToSeq: z.int() })).output(inboxStateSchema),
}

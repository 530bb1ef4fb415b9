import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'
import { dncListSchema } from './dnc.ts'
import { textMap } from './domain.ts'

/**
 * Where a contact stands with the service: `local` only here; `waiting` in the outbox; `in-flight` while its request is under
 * way; `service` on the service; `failed` refused by the service or kept back here; `unknown` sent, with an outcome nobody knows;
 * `deleting` while its deletion waits in the outbox; `discarded` where a person gave up an unknown outcome: it may be there.
 */
export const contactStateSchema = z.enum([
  'local',
  'waiting',
  'in-flight',
  'service',
  'failed',
  'unknown',
  'deleting',
  'discarded',
])
export type ContactState = z.infer<typeof contactStateSchema>

/** Which contacts. A member that is absent or an empty list does not filter; all members must hold. */
export const contactFilterSchema = z.object({
  /**
   * Words in any order, each a part of name, phone, e-mail or a tag, any case, from one character on. What is in double quotes is looked for
   * as it stands; a number is found however it is written.
   */
  text: z.string().max(200).optional(),
  states: z.array(contactStateSchema).optional(),
  /** On the DNC list as last synced. */
  dnc: z.boolean().optional(),
  /** Held here because of a stop word. */
  held: z.boolean().optional(),
  /** On the service as it was before it was changed here. */
  changedHere: z.boolean().optional(),
  /** Tags that must be there; `value` null asks for the key alone. */
  tags: z
    .array(z.object({ key: z.string().max(200), value: z.string().max(1_000).nullable() }))
    .max(20)
    .optional(),
  /** Those whose stored tags cannot be read. */
  tagsUnreadable: z.literal(true).optional(),
  /** Brought or changed by this import. */
  importId: z.string().optional(),
})
export type ContactFilter = z.infer<typeof contactFilterSchema>

export const contactSortSchema = z.object({
  by: z.enum(['name', 'phone', 'updated', 'created']),
  descending: z.boolean(),
})
export type ContactSort = z.infer<typeof contactSortSchema>

/**
 * What the service has of a contact whose record is replaced, since it can change none: `old` the record of before; `none` right now,
 * since the old one is deleted and the new one not made yet; `both`; `unknown`, while nobody knows whether the old one is gone.
 */
export const contactReplacingSchema = z.enum(['old', 'none', 'both', 'unknown'])
export type ContactReplacing = z.infer<typeof contactReplacingSchema>

/** A contact in a list. */
export const contactRowSchema = z.object({
  /** Its id in this console's book; the service's is `serviceId`. */
  id: z.int(),
  name: z.string(),
  /** E.164, with the plus. */
  phone: z.string(),
  email: z.string(),
  tags: textMap,
  /** What is stored as its tags cannot be read; `tags` is then empty. */
  tagsUnreadable: z.boolean(),
  state: contactStateSchema,
  serviceId: z.string().nullable(),
  dnc: z.boolean(),
  held: z.boolean(),
  /** The service has it as it was before it was changed here; a push makes it anew there. */
  changedHere: z.boolean(),
  /** Null where no record is being replaced, or was left behind. */
  replacing: contactReplacingSchema.nullable(),
  hasNote: z.boolean(),
  createdAt: isoTime,
  updatedAt: isoTime,
})
export type ContactRow = z.infer<typeof contactRowSchema>

/** A contact with all that is known of it here. */
export const contactDetailSchema = z.object({
  contact: contactRowSchema,
  /** Only here; never sent. */
  note: z.string(),
  /** The DNC entry, and the age of the copy of the list; null when it is not on it. */
  dncEntry: z.object({ reason: z.string().nullable(), since: isoTime.nullable(), asOf: isoTime }).nullable(),
  hold: z.object({ reason: z.string(), since: isoTime, eventSeq: z.int().nullable() }).nullable(),
  /** The import it came with. */
  importId: z.string().nullable(),
  importName: z.string().nullable(),
  /** Why the service refused it, or what is not known of it: the outbox's last word. */
  lastProblem: z.string().nullable(),
  /** Times of the service's record, from its answer to the push; null without a record or times. */
  atService: z.object({ createdAt: z.string().nullable(), updatedAt: z.string().nullable() }).nullable(),
})
export type ContactDetail = z.infer<typeof contactDetailSchema>

/**
 * Contacts chosen by hand, or everything a filter matches but a few. `upToId`: as a preview answered it; contacts that came
 * later were not meant.
 */
export const contactSelectionSchema = z.union([
  z.object({ ids: z.array(z.int()).max(10_000) }),
  z.object({
    filter: contactFilterSchema,
    exceptIds: z.array(z.int()).max(10_000),
    upToId: z.int().optional(),
  }),
])
export type ContactSelection = z.infer<typeof contactSelectionSchema>

/** A number of contacts. Not exact: at least that many. */
export const contactCountSchema = z.object({ value: z.int(), exact: z.boolean() })
export type ContactCount = z.infer<typeof contactCountSchema>

/** What a form sends. Tags survive byte for byte, whatever their keys are. */
export const contactDraftSchema = z.object({
  name: z.string().max(1_000),
  /** As typed; a number without a plus is read in `region`. */
  phone: z.string().max(64),
  region: z.string().length(2).optional(),
  email: z.string().max(1_000),
  tags: textMap,
})
export type ContactDraft = z.infer<typeof contactDraftSchema>

/** The columns of an exported CSV: fixed ones, and one per tag key, or all tags as JSON in one. */
export const contactColumnSchema = z.enum([
  'name',
  'phone',
  'email',
  'tags',
  'state',
  'service_id',
  'dnc',
  'held',
  'note',
  'created_at',
  'updated_at',
])
export type ContactColumn = z.infer<typeof contactColumnSchema>

const queued = z.object({
  /** The task that works on it; null when it was done at once. */
  taskId: z.string().nullable(),
  /** The outbox batch, for undo; null when nothing goes to the service and nothing can be undone. */
  batchId: z.string().nullable(),
  /** Contacts chosen. */
  count: z.int(),
})

export const contactsContract = {
  /**
   * A window of the list. `cursor` goes on after a page (or before it with `backwards`), `position` jumps into the middle, counted
   * from the first row of filter and order; neither begins at the start.
   */
  list: procedure
    .input(
      z.object({
        filter: contactFilterSchema,
        sort: contactSortSchema,
        limit: z.int().min(1).max(500).default(100),
        cursor: z.string().max(2_000).optional(),
        backwards: z.boolean().optional(),
        position: z.int().min(0).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(contactRowSchema),
        /** Place of the first item in the whole list; not exact after a jump while the book changes. */
        position: z.int(),
        nextCursor: z.string().nullable(),
        previousCursor: z.string().nullable(),
        count: contactCountSchema,
        /** How many whole numbers the filter's text is, of which a contact has one; 0 where every word of it is held. */
        anyOfNumbers: z.int(),
        /** Rises with each change of the book. */
        version: z.int(),
        asOf: isoTime,
      }),
    ),
  /** The exact number of a filter; may take some 100 ms for a book of a million, off the core. */
  count: procedure.input(z.object({ filter: contactFilterSchema })).output(contactCountSchema),
  /** Figures of the whole book. */
  summary: procedure.output(
    z.object({
      total: z.int(),
      byState: z.record(z.string(), z.int()),
      dnc: z.int(),
      held: z.int(),
      /** Contacts whose stored tags cannot be read: they are found by all else, and not pushed. */
      unreadableTags: z.int(),
      version: z.int(),
      asOf: isoTime,
    }),
  ),
  /** The book's version: at once, then after changes (at most four a second). */
  watch: procedure.output(eventIterator(z.object({ version: z.int() }))),
  /** Tag keys in use with their commonest values, for the filter and the editor. */
  tagKeys: procedure.output(
    z.object({ keys: z.array(z.object({ key: z.string(), count: z.int(), values: z.array(z.string()) })) }),
  ),
  get: procedure.input(z.object({ id: z.int() })).output(contactDetailSchema),
  /** The contact with this number, or null. Phone in E.164. */
  byPhone: procedure
    .input(z.object({ phone: z.string().max(32) }))
    .output(z.object({ contact: contactRowSchema.nullable() })),
  /**
   * Creates a local contact. `serviceId` links it to a record that already exists on the service, so you can delete that record later.
   * A local-only contact with this number gets the id instead. CONTACT_EXISTS, CONTACT_BUSY, PHONE_INVALID.
   */
  create: procedure
    .input(contactDraftSchema.extend({ serviceId: z.string().trim().min(1).max(200).optional() }))
    .output(contactDetailSchema),
  /**
   * Changes a contact. One that is on the service is made anew there and its old record deleted, through the outbox, since the service
   * cannot change one. CONTACT_BUSY while a request for it is under way or its outcome is unknown; CONTACT_CHANGED when its
   * `updatedAt` is not `basedOn` any more; EDIT_BLOCKED for one on the service whose number may not be sent to.
   */
  update: procedure
    .input(z.object({ id: z.int(), draft: contactDraftSchema, basedOn: isoTime.optional() }))
    .output(contactDetailSchema),
  setNote: procedure
    .input(z.object({ id: z.int(), note: z.string().max(20_000) }))
    .output(contactDetailSchema),
  /** What an action on a selection would do, before it is done. */
  preview: procedure
    .input(
      z.object({ selection: contactSelectionSchema, action: z.enum(['push', 'delete', 'tag', 'export']) }),
    )
    .output(
      z.object({
        count: z.int(),
        /** Contacts that are made anew at the service, and whose old records there are deleted, since they were changed here. */
        replaced: z.int(),
        /** Requests to the service, and how long they take at the budget's pace, milliseconds. */
        requests: z.int(),
        etaMs: z.number().nullable(),
        /** Contacts the action leaves out, by why: `dnc`, `held`, `already-on-service`, `waiting`, `unknown`, `tags-unreadable`. */
        leftOut: z.record(z.string(), z.int()),
        /**
         * Of a push: contacts without a name among those that go, which the service is expected to refuse, and what is left to ask for without them.
         */
        nameless: z.object({ count: z.int(), otherRequests: z.int(), otherEtaMs: z.number().nullable() }),
        /** Of a deletion: contacts that leave the book only, since the id of their record at the service is not known. */
        withoutId: z.int(),
        /** The newest contact that was looked at, for the selection that is then acted on. */
        upToId: z.int(),
        dncList: dncListSchema,
      }),
    ),
  tag: procedure
    .input(
      z.object({
        selection: contactSelectionSchema,
        set: textMap,
        remove: z.array(z.string().max(200)).max(100),
      }),
    )
    .output(queued),
  /** The newest bulk tag change that you can still undo (ten minutes); null when there is none. */
  tagBatch: procedure.output(
    z.object({ batch: z.object({ batchId: z.string(), count: z.int(), until: isoTime }).nullable() }),
  ),
  /** Restores the former tags, except on contacts whose tags changed since. A large undo runs as a task. */
  undoTags: procedure
    .input(z.object({ batchId: z.string() }))
    .output(z.object({ taskId: z.string().nullable(), restored: z.int(), left: z.int() })),
  /**
   * Creates the contacts at the service through the outbox. DNC numbers and held ones are left out. DNC_LIST_NOT_FRESH while the copy
   * of the list cannot tell who else must be, unless it is done `uncheckedKnowingly`. `leaveOutNameless`: those without a name stay, too.
   */
  push: procedure
    .input(
      z.object({
        selection: contactSelectionSchema,
        uncheckedKnowingly: z.boolean().default(false),
        leaveOutNameless: z.boolean().default(false),
      }),
    )
    .output(queued),
  /**
   * Deletes contacts here and, where they are there, at the service, after a grace time in which `outbox.undo` takes all back. It
   * begins when all of them are marked: until then `undoableUntil` is null, and the outbox's `deletions` say how far it is.
   * `confirmName`: needed on a production connection.
   */
  delete: procedure
    .input(z.object({ selection: contactSelectionSchema, confirmName: z.string().optional() }))
    .output(queued.extend({ undoableUntil: isoTime.nullable() })),
  /** Writes exactly what the selection holds into a CSV, to be taken with `files.read`. */
  export: procedure
    .input(
      z.object({
        selection: contactSelectionSchema,
        columns: z.array(contactColumnSchema).min(1),
        /** One column per tag key (`tag.city`) instead of one column of JSON. */
        tagColumns: z.boolean(),
      }),
    )
    .output(z.object({ taskId: z.string() })),
}

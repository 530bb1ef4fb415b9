import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure, saidSchema } from '../define.ts'
import { dncListSchema } from './dnc.ts'
import { textMap } from '../domain.ts'
import { numberRegion } from '../number-reading.ts'

/**
 * `local`: not on the service. `waiting`: in the outbox. `in-flight`: request sent. `service`: exists there. `failed`:
 * rejected by the service or blocked here. `unknown`: unconfirmed. `deleting`: deletion in the outbox. `discarded`:
 * someone gave up an unconfirmed request; it may exist there.
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

/**
 * Filters contacts; all members must match. An absent member or empty list doesn't filter. Refuses unknown members: without them more
 * contacts would match.
 */
export const contactFilterSchema = z.strictObject({
  /**
   * Words in any order, each part of a name, phone, email or tag; case-insensitive, one character or more. Double
   * quotes match exactly; numbers match in any notation.
   */
  text: z.string().max(200).optional(),
  states: z.array(contactStateSchema).optional(),
  /** On the offline copy of the DNC list. */
  dnc: z.boolean().optional(),
  /** On local hold. */
  held: z.boolean().optional(),
  /** Changed here since the service got it. */
  changedHere: z.boolean().optional(),
  /** Required tags; `value` null matches any value. */
  tags: z
    .array(z.strictObject({ key: z.string().max(200), value: z.string().max(1_000).nullable() }))
    .max(20)
    .optional(),
  /** Created or changed by this import. */
  importId: z.string().optional(),
})
export type ContactFilter = z.infer<typeof contactFilterSchema>

/** A filter of contacts saved by name. Its contacts are those that match when it is used. */
const savedContactFilterSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  filter: contactFilterSchema,
})
export type SavedContactFilter = z.infer<typeof savedContactFilterSchema>
/** Most saved filters per connection. */
export const contactFiltersMax = 50
const savedFilters = z.object({
  /** `by`: the colleague who saved it, null for this computer. */
  filters: z.array(savedContactFilterSchema.extend({ by: z.string().nullable() })),
  /** Names of those that can't be read. */
  unreadable: z.array(z.string()),
})

export const contactSortSchema = z.object({
  by: z.enum(['name', 'phone', 'updated', 'created']),
  descending: z.boolean(),
})
export type ContactSort = z.infer<typeof contactSortSchema>

/**
 * What the service has while a record is recreated (the API can't update one): `old`; `none`, between deletion and
 * creation; `both`; `unknown` while the deletion is unconfirmed.
 */
export const contactReplacingSchema = z.enum(['old', 'none', 'both', 'unknown'])
export type ContactReplacing = z.infer<typeof contactReplacingSchema>

export const contactRowSchema = z.object({
  /** Local id; the service's is `serviceId`. */
  id: z.int(),
  name: z.string(),
  /** E.164, with the plus. */
  phone: z.string(),
  email: z.string(),
  tags: textMap,
  /** True when stored tags can't be read; `tags` is then empty. Such contacts are found by everything else and never pushed. */
  tagsUnreadable: z.boolean(),
  state: contactStateSchema,
  serviceId: z.string().nullable(),
  dnc: z.boolean(),
  held: z.boolean(),
  /** Those of the two that may be wrong, because they come from an unreadable entry or sender. */
  unsure: z.array(z.enum(['dnc', 'held'])),
  /** Changed here since the service got it; a push recreates the record. */
  changedHere: z.boolean(),
  /** Null when no record is being replaced. */
  replacing: contactReplacingSchema.nullable(),
  hasNote: z.boolean(),
  createdAt: isoTime,
  updatedAt: isoTime,
})
export type ContactRow = z.infer<typeof contactRowSchema>

/** A text that a note had. `by`: null for this computer. */
const noteVersionSchema = z.object({ text: z.string(), by: z.string().nullable(), at: isoTime })
export type NoteVersion = z.infer<typeof noteVersionSchema>
/** Texts that a note had, the note itself first; empty if it was never set by hand. */
export const noteVersionsSchema = z.array(noteVersionSchema)

/** A contact with everything known here. */
export const contactDetailSchema = z.object({
  contact: contactRowSchema,
  /** Parts of the name, if known: values for messages. The service gets only `contact.name`. */
  firstName: z.string(),
  lastName: z.string(),
  /** Never sent to the service. */
  note: z.string(),
  noteVersions: noteVersionsSchema,
  /** DNC entry and the age of the offline copy; null when not listed. Unless `isSure`, it may be another number's. */
  dncEntry: z
    .object({ reason: saidSchema.nullable(), since: isoTime.nullable(), asOf: isoTime, isSure: z.boolean() })
    .nullable(),
  hold: z.object({ reason: saidSchema, since: isoTime, isSure: z.boolean() }).nullable(),
  /** Import that created it. */
  importId: z.string().nullable(),
  importName: z.string().nullable(),
  /** Last outbox error: why it was rejected or is unconfirmed. */
  lastProblem: saidSchema.nullable(),
  /** Times of the service's record, from its response to the push. */
  atService: z.object({ createdAt: z.string().nullable(), updatedAt: z.string().nullable() }).nullable(),
})
export type ContactDetail = z.infer<typeof contactDetailSchema>

/** Selected ids, or what a filter matches except a few. `upToId`, from a preview, excludes newer contacts. */
export const contactSelectionSchema = z.union([
  z.object({ ids: z.array(z.int()).max(10_000) }),
  z.object({
    filter: contactFilterSchema,
    exceptIds: z.array(z.int()).max(10_000),
    upToId: z.int().optional(),
  }),
])
export type ContactSelection = z.infer<typeof contactSelectionSchema>

/** A number of contacts; a lower bound unless `exact`. */
export const contactCountSchema = z.object({ value: z.int(), exact: z.boolean() })
export type ContactCount = z.infer<typeof contactCountSchema>

/** Form input. Tags are stored byte for byte, with any key. */
export const contactDraftSchema = z.object({
  name: z.string().max(1_000),
  firstName: z.string().max(1_000).default(''),
  lastName: z.string().max(1_000).default(''),
  /** As typed; without a plus, read as dialled in `region`. */
  phone: z.string().max(64),
  region: numberRegion.optional(),
  email: z.string().max(1_000),
  tags: textMap,
})
export type ContactDraft = z.infer<typeof contactDraftSchema>

/** Columns of an export. `tags` is JSON, or one column per key with `tagColumns`. */
export const contactColumnSchema = z.enum([
  'name',
  'first_name',
  'last_name',
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

/** Numbers per look-up of names. */
export const contactNamesMax = 200

const queued = z.object({
  /** Null when it was done at once. */
  taskId: z.string().nullable(),
  /** Outbox batch for undo; null when nothing goes to the service. */
  batchId: z.string().nullable(),
  /** Contacts selected. */
  count: z.int(),
})

export const contactsContract = {
  /** One window of the list, from the start, a `cursor`, or without a filter a `position` among all contacts. */
  list: procedure
    .input(
      z.object({
        filter: contactFilterSchema,
        sort: contactSortSchema,
        limit: z.int().min(1).max(500).default(100),
        cursor: z.string().max(2_000).optional(),
        position: z.int().min(0).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(contactRowSchema),
        /** Position of the first item in the whole list; approximate after a jump while contacts change. */
        position: z.int(),
        nextCursor: z.string().nullable(),
        count: contactCountSchema,
        /** Complete phone numbers in the filter's text, any of which may match; 0 when all words must match. */
        anyOfNumbers: z.int(),
        /** Rises with each change. */
        version: z.int(),
        asOf: isoTime,
      }),
    ),
  savedFilters: procedure.output(savedFilters),
  /** Adds or replaces a filter by name. INVALID_INPUT beyond `contactFiltersMax`. */
  saveFilter: procedure.input(savedContactFilterSchema).output(savedFilters),
  /** By any name: that of an unreadable filter may be empty or long. */
  removeFilter: procedure.input(z.object({ name: z.string() })).output(savedFilters),
  /** Exact count. About 100 ms per million contacts, in the search thread. */
  count: procedure.input(z.object({ filter: contactFilterSchema })).output(contactCountSchema),
  /** Totals of all contacts. */
  summary: procedure.output(
    z.object({
      total: z.int(),
      byState: z.record(z.string(), z.int()),
      dnc: z.int(),
      held: z.int(),
      version: z.int(),
      asOf: isoTime,
    }),
  ),
  /** Version of the contact store: now, then after changes (at most 4/s). */
  watch: procedure.output(eventIterator(z.object({ version: z.int() }))),
  /** Tag keys in use with their most common values. */
  tagKeys: procedure.output(
    z.object({ keys: z.array(z.object({ key: z.string(), count: z.int(), values: z.array(z.string()) })) }),
  ),
  get: procedure.input(z.object({ id: z.int() })).output(contactDetailSchema),
  /** Contact with this E.164 number, or null. */
  byPhone: procedure
    .input(z.object({ phone: z.string().max(32) }))
    .output(z.object({ contact: contactRowSchema.nullable() })),
  /** Names of the contacts with these numbers as the service writes them, in their order; null without a contact. And what blocks each. */
  names: procedure.input(z.object({ numbers: z.array(z.string().max(64)).max(contactNamesMax) })).output(
    z.object({
      names: z.array(z.string().nullable()),
      blocked: z.array(z.enum(['dnc', 'hold']).nullable()),
    }),
  ),
  /**
   * Creates a local contact. `serviceId` links it to a record that already exists on the service, so you can delete that record later.
   * A local-only contact with this number gets the id instead. CONTACT_EXISTS, CONTACT_BUSY, PHONE_INVALID.
   */
  create: procedure
    .input(contactDraftSchema.extend({ serviceId: z.string().trim().min(1).max(200).optional() }))
    .output(contactDetailSchema),
  /**
   * Edits a contact. One on the service is recreated there through the outbox, because the API can't update.
   * CONTACT_BUSY while a request is in flight or unconfirmed; CONTACT_CHANGED when `updatedAt` isn't `basedOn`;
   * EDIT_BLOCKED when its number is blocked.
   */
  update: procedure
    .input(z.object({ id: z.int(), draft: contactDraftSchema, basedOn: isoTime.optional() }))
    .output(contactDetailSchema),
  setNote: procedure
    .input(z.object({ id: z.int(), note: z.string().max(20_000) }))
    .output(contactDetailSchema),
  /** Effect of an action on a selection. Changes nothing. */
  preview: procedure
    .input(
      z.object({ selection: contactSelectionSchema, action: z.enum(['push', 'delete', 'tag', 'export']) }),
    )
    .output(
      z.object({
        count: z.int(),
        /** Contacts changed here: recreated at the service, and the old record deleted. */
        replaced: z.int(),
        /** Requests to the service, and their duration within the rate limit, milliseconds. */
        requests: z.int(),
        etaMs: z.number().nullable(),
        /** Skipped contacts by reason: `dnc`, `held`, `already-on-service`, `waiting`, `unknown`, `tags-unreadable`. */
        leftOut: z.record(z.string(), z.int()),
        /** Push: contacts without a name, which the service is expected to reject, and the requests without them. */
        nameless: z.object({ count: z.int(), otherRequests: z.int(), otherEtaMs: z.number().nullable() }),
        /** Delete: contacts removed locally only, because their service id is unknown. */
        withoutId: z.int(),
        /** Newest contact checked; pass it as `upToId` of the selection. */
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
  /** The newest bulk tag change you can undo (for ten minutes), or null. */
  tagBatch: procedure.output(
    z.object({ batch: z.object({ batchId: z.string(), count: z.int(), until: isoTime }).nullable() }),
  ),
  /** Restores the former tags, except on contacts whose tags changed since. A large undo runs as a task. */
  undoTags: procedure
    .input(z.object({ batchId: z.string() }))
    .output(z.object({ taskId: z.string().nullable(), restored: z.int(), left: z.int() })),
  /**
   * Creates contacts at the service through the outbox, without blocked numbers. DNC_LIST_NOT_FRESH while the offline
   * copy is outdated, unless `uncheckedKnowingly`. `leaveOutNameless` skips contacts without a name.
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
   * Deletes contacts here and at the service after an undo window (`outbox.undo`). The window starts when all are
   * marked; until then `undoableUntil` is null and the outbox's `deletions` show progress. `confirmName` on
   * production.
   */
  delete: procedure
    .input(z.object({ selection: contactSelectionSchema, confirmName: z.string().optional() }))
    .output(queued.extend({ undoableUntil: isoTime.nullable() })),
  /** Writes the selection to a file; read it with `files.read`. */
  export: procedure
    .input(
      z.object({
        selection: contactSelectionSchema,
        columns: z.array(contactColumnSchema).min(1),
        /** One column per tag key (`tag.city`) instead of JSON. */
        tagColumns: z.boolean(),
        format: z.enum(['csv', 'xlsx']).default('csv'),
      }),
    )
    .output(z.object({ taskId: z.string() })),
}

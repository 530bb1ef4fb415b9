import * as z from 'zod'
import { contactSelectionSchema } from './contacts.ts'
import { errorViewSchema, isoTime, procedure } from './define.ts'
import { numberReading, readableTwoWays } from './number-reading.ts'
import { outboxStateSchema } from './outbox.ts'
import { sentMessageSchema } from './sent.ts'
import { dncListSchema } from './dnc.ts'

/** A variable of a template with its type. A list, because names are the service's and may be any text. */
export const templateVariableSchema = z.object({
  name: z.string().min(1).max(200),
  type: z.enum(['string', 'number']),
})

/**
 * `known`; `unconfirmed`: its creation was not answered, so it may be at the service or not; `not-found`: the service said that it
 * has none of this id; `deletion-unknown`: its deletion was not answered.
 */
export const templateStateSchema = z.enum(['known', 'unconfirmed', 'not-found', 'deletion-unknown'])

/** A template as this console knows it. The service has no call that lists or reads templates. */
export const knownTemplateSchema = z.object({
  /** This console's number for it. */
  key: z.int(),
  /** The service's id; null while its creation is unconfirmed. */
  serviceId: z.string().nullable(),
  /** Empty when it was adopted without one. */
  name: z.string(),
  /** Null when it was adopted and nobody typed its text: nothing can be shown of it then. */
  body: z.string().nullable(),
  variables: z.array(templateVariableSchema),
  /** The service's word at its creation, as it came; null when none is known. */
  status: z.string().nullable(),
  origin: z.enum(['created', 'adopted']),
  state: templateStateSchema,
  /** Why it is unconfirmed or its deletion unknown. */
  problem: errorViewSchema.nullable(),
  /** When this console made or adopted it. */
  knownSince: isoTime,
  /** The service's times, from its answer to the creation; null when unknown. */
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  lastSentAt: isoTime.nullable(),
})
export type KnownTemplate = z.infer<typeof knownTemplateSchema>

/** A channel that was sent over from here, or that the sandbox says it has. */
export const ottChannelSchema = z.object({
  id: z.string(),
  /** The operator's words for it, or the sandbox's; empty without. */
  label: z.string(),
  /** From the sandbox, which tells its own; the API lists none. */
  ofSandbox: z.boolean(),
  lastUsedAt: isoTime.nullable(),
})
export type OttChannel = z.infer<typeof ottChannelSchema>

/**
 * Where the value of one variable comes from. `empty` is an empty text, only for text variables. `column` counts from 0, only for
 * files; `tag` and `email` are only for contacts.
 */
export const valueSourceSchema = z.discriminatedUnion('from', [
  z.object({ from: z.enum(['name', 'phone', 'email', 'empty']) }),
  z.object({ from: z.literal('tag'), key: z.string().min(1).max(200) }),
  z.object({ from: z.literal('column'), column: z.int().min(0) }),
  z.object({ from: z.literal('constant'), value: z.string().max(2_000) }),
])
export type ValueSource = z.infer<typeof valueSourceSchema>

export const variableMappingSchema = z.object({ name: z.string(), source: valueSourceSchema })
export type VariableMapping = z.infer<typeof variableMappingSchema>

/** Whom a send goes to: contacts of the book, or a table that was handed in with `files.begin`. */
export const recipientSourceSchema = z.union([
  z.object({ contacts: contactSelectionSchema }),
  z.object({
    file: z.object({
      fileId: z.string(),
      hasHeader: z.boolean(),
      phoneColumn: z.int().min(0),
      nameColumn: z.int().min(0).nullable(),
      /** In which numbers without a country code are read. */
      region: z.string().length(2),
      ...numberReading,
    }),
  }),
])
export type RecipientSource = z.infer<typeof recipientSourceSchema>

/** Why a recipient is left out. */
export const leftOutSchema = z.enum([
  'dnc',
  'held',
  'missing-value',
  'bad-value',
  'bad-number',
  'repeated',
  'unreadable',
])
export type LeftOut = z.infer<typeof leftOutSchema>

/** One recipient as a dry run found it. */
export const plannedRecipientSchema = z.object({
  /** Place among those that will be sent to, from 1; or the row of the file as the import numbers it, or place in the selection, of one left out. */
  at: z.int(),
  phone: z.string(),
  name: z.string(),
  values: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) })),
  /** Null for one that will be sent to. */
  leftOut: leftOutSchema.nullable(),
  reason: z.string().nullable(),
})
export type PlannedRecipient = z.infer<typeof plannedRecipientSchema>

/** What a dry run counted. The members but `recipients`, `sentLately` and `readableTwoWays` add up to it. */
export const planCountsSchema = z.object({
  recipients: z.int(),
  willSend: z.int(),
  dnc: z.int(),
  held: z.int(),
  missingValue: z.int(),
  badValue: z.int(),
  badNumber: z.int(),
  repeated: z.int(),
  unreadable: z.int(),
  /** Of those that will be sent to: who got the same template from here within the day before. */
  sentLately: z.int(),
  readableTwoWays,
})
export type PlanCounts = z.infer<typeof planCountsSchema>

/**
 * `preparing` the dry run; `prepared`; `failed` or `stopped` before it was; `queueing`; `queueing-stopped`: some of it is queued and held
 * back, nothing has left, and it can be gone on with or taken back; `queued`: all of it is in the outbox and some of it still to be sent;
 * `finished`: all of it was sent; `finished-in-part`: nothing is to come, and some was rejected or is not known; `taken-back`.
 */
export const bulkSendStateSchema = z.enum([
  'preparing',
  'prepared',
  'failed',
  'stopped',
  'queueing',
  'queueing-stopped',
  'queued',
  'finished',
  'finished-in-part',
  'taken-back',
])

/** A send to many. Its outcome is its batch in the outbox. */
export const bulkSendSchema = z.object({
  id: z.string(),
  templateKey: z.int(),
  templateName: z.string(),
  /** As it was when the send was prepared; null when not known. */
  body: z.string().nullable(),
  channelId: z.string(),
  /** Whom it goes to, in a few words. */
  subject: z.string(),
  state: bulkSendStateSchema,
  /** The task of the step under way, or of the last. */
  taskId: z.string().nullable(),
  problem: errorViewSchema.nullable(),
  /** Null until the dry run is through. */
  counts: planCountsSchema.nullable(),
  /** Recipients that are in the outbox. */
  queued: z.int(),
  batchId: z.string().nullable(),
  /** Until then `outbox.undo` takes all of it back. */
  undoableUntil: isoTime.nullable(),
  createdAt: isoTime,
})
export type BulkSend = z.infer<typeof bulkSendSchema>

const byKey = z.object({ key: z.int() })
const byId = z.object({ id: z.string() })

/** Templates known to this console, and sending by them over the OTT channel. The service lists, reads and changes no templates. */
export const templatesContract = {
  /** Newest first. `text`: part of name, text or id. */
  list: procedure
    .input(
      z.object({
        text: z.string().max(200).optional(),
        limit: z.int().min(1).max(500).default(200),
        cursor: z.int().optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(knownTemplateSchema),
        nextCursor: z.int().nullable(),
        total: z.int(),
        asOf: isoTime,
      }),
    ),
  get: procedure.input(byKey).output(knownTemplateSchema),
  /**
   * Makes a template at the service, once. INVALID_INPUT for what cannot be right; SERVICE_REJECTED with the service's words. After
   * OUTCOME_UNKNOWN it is on the list as `unconfirmed`, and is never made again by itself.
   */
  create: procedure
    .input(
      z.object({
        name: z.string().max(500),
        body: z.string().max(20_000),
        variables: z.array(templateVariableSchema).max(100),
      }),
    )
    .output(knownTemplateSchema),
  /**
   * Takes a template of the service onto the list by its id; nothing is asked of the service. With the key of an unconfirmed one, that one
   * gets the id. Of an id that is known already, what is typed here is taken.
   */
  adopt: procedure
    .input(
      z.object({
        serviceId: z.string().trim().min(1).max(200),
        key: z.int().optional(),
        name: z.string().max(500),
        body: z.string().max(20_000),
        variables: z.array(templateVariableSchema).max(100),
      }),
    )
    .output(knownTemplateSchema),
  /**
   * Deletes a template at the service. `not-found`: the service has none of this id, and the row stays and says so. `unknown`: it was not
   * answered. `confirmName`: needed on a production connection.
   */
  remove: procedure.input(byKey.extend({ confirmName: z.string().optional() })).output(
    z.object({
      outcome: z.enum(['deleted', 'not-found', 'unknown']),
      template: knownTemplateSchema.nullable(),
    }),
  ),
  /** Takes a template off the list of this console. Nothing is asked of the service. */
  forget: procedure.input(byKey).output(z.object({})),

  channels: procedure.output(z.object({ items: z.array(ottChannelSchema) })),
  /** Remembers a channel or names it anew. */
  nameChannel: procedure
    .input(z.object({ id: z.string().trim().min(1).max(200), label: z.string().trim().max(200) }))
    .output(z.object({ items: z.array(ottChannelSchema) })),
  forgetChannel: procedure.input(byId).output(z.object({ items: z.array(ottChannelSchema) })),

  /**
   * Sends to one person through the outbox. INVALID_INPUT for a value that is missing, beyond, or no number where one is due; NUMBER_INVALID;
   * ON_DNC; DNC_LIST_NOT_FRESH unless it is done `uncheckedKnowingly`. What became of it is the item's state.
   */
  send: procedure
    .input(
      byKey.extend({
        channelId: z.string().trim().min(1).max(200),
        to: z.string().max(200),
        region: z.string().length(2),
        contactId: z.int().nullable(),
        values: z.array(z.object({ name: z.string(), value: z.string().max(2_000) })).max(100),
        /** Sends empty texts; otherwise an empty text counts as missing. */
        allowEmpty: z.boolean().default(false),
        uncheckedKnowingly: z.boolean().default(false),
      }),
    )
    .output(z.object({ batchId: z.string(), itemId: z.int() })),

  /** Messages of this template to this number of the last 24 hours, from here, newest first, at most 5. None for what is no number. */
  sentTo: procedure
    .input(byKey.extend({ to: z.string().max(200), region: z.string().length(2) }))
    .output(z.object({ items: z.array(sentMessageSchema) })),

  /** The columns and first rows of a file of recipients, with a guess of the columns. IMPORT_FILE_* when it is no table. */
  inspectFile: procedure.input(z.object({ fileId: z.string() })).output(
    z.object({
      header: z.array(z.string()),
      sample: z.array(z.array(z.string())),
      hasHeader: z.boolean(),
      phoneColumn: z.int(),
      nameColumn: z.int().nullable(),
    }),
  ),
  /** Begins a dry run: who would get what, and who would not. Nothing is queued. INVALID_INPUT for a mapping that leaves a variable out. */
  prepare: procedure
    .input(
      byKey.extend({
        channelId: z.string().trim().min(1).max(200),
        source: recipientSourceSchema,
        /** In the operator's words: a file's name, or what was chosen. */
        subject: z.string().max(300),
        mapping: z.array(variableMappingSchema).max(100),
      }),
    )
    .output(bulkSendSchema),
  sends: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50), cursor: z.string().optional() }))
    .output(z.object({ items: z.array(bulkSendSchema), nextCursor: z.string().nullable() })),
  /** A send with the first of its recipients and of those left out, how long the requests that are still to come take, and how far the DNC list can be trusted. */
  sendOf: procedure.input(byId).output(
    z.object({
      send: bulkSendSchema,
      first: z.array(plannedRecipientSchema),
      leftOut: z.array(plannedRecipientSchema),
      etaMs: z.number().nullable(),
      /** How the numbers of its file were read; null for contacts. */
      reading: z.object({ region: z.string(), ...numberReading }).nullable(),
      /** Items of its batch by their state in the outbox; null while nothing is queued. */
      outcome: z.record(outboxStateSchema, z.int()).nullable(),
      dncList: dncListSchema,
      asOf: isoTime,
    }),
  ),
  /** One recipient of a dry run: by place among those that will be sent to, or by number, left out or not. Null when there is none. */
  recipient: procedure
    .input(
      byId.extend({
        find: z.union([z.object({ at: z.int().min(1) }), z.object({ phone: z.string().max(64) })]),
      }),
    )
    .output(z.object({ recipient: plannedRecipientSchema.nullable() })),
  /**
   * Queues a prepared send as one batch with a grace time; nothing leaves before all of it is queued. DNC_LIST_NOT_FRESH unless it is done
   * `uncheckedKnowingly`; `confirmName` is needed on a production connection; SEND_NOT_POSSIBLE in another state.
   */
  queue: procedure
    .input(
      byId.extend({ uncheckedKnowingly: z.boolean().default(false), confirmName: z.string().optional() }),
    )
    .output(bulkSendSchema),
  /** Forgets a send of which nothing is queued. */
  discard: procedure.input(byId).output(z.object({})),
  /** Writes what became of each recipient, or only who was left out, into a CSV, to be taken with `files.read`. */
  exportResults: procedure
    .input(byId.extend({ what: z.enum(['all', 'left-out']) }))
    .output(z.object({ taskId: z.string() })),
}

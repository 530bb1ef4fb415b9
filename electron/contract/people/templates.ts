import * as z from 'zod'
import { headerRowSchema } from '../table-format.ts'
import { contactSelectionSchema } from './contacts.ts'
import { skipChoices } from './consent.ts'
import { columnTargetSchema } from './imports.ts'
import { errorViewSchema, isoTime, procedure, saidSchema, nothing } from '../define.ts'
import {
  countryColumn,
  numberColumns,
  numberReading,
  numberRegion,
  readableTwoWays,
} from '../number-reading.ts'
import { localHoursSchema, outboxBatchSchema, outboxDrainSchema, outboxStatusSchema } from './outbox.ts'
import { sentMessageSchema } from './sent.ts'
import { dncListSchema } from './dnc.ts'

/** Placeholder and type. A list, because names come from the service and may be any text. */
export const templateVariableSchema = z.object({
  name: z.string().min(1).max(200),
  type: z.enum(['string', 'number']),
})

/**
 * `unconfirmed`: its creation wasn't answered. `not-found`: the service has none with this id. `deletion-unknown`:
 * its deletion wasn't answered.
 */
export const templateStateSchema = z.enum(['known', 'unconfirmed', 'not-found', 'deletion-unknown'])

/** A template known here. The API can't list or read templates. */
export const knownTemplateSchema = z.object({
  /** Local id. */
  key: z.int(),
  /** Null while its creation is unconfirmed. */
  serviceId: z.string().nullable(),
  /** Empty when adopted without one. */
  name: z.string(),
  /** Null when adopted without a text; it can't be previewed then. */
  body: z.string().nullable(),
  variables: z.array(templateVariableSchema),
  /** Status from the response to its creation; null when unknown. */
  status: z.string().nullable(),
  origin: z.enum(['created', 'adopted']),
  state: templateStateSchema,
  /** Why it is unconfirmed. */
  problem: errorViewSchema.nullable(),
  /** When it was created or adopted here. */
  knownSince: isoTime,
  /** From the response to its creation; null when unknown. */
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  lastSentAt: isoTime.nullable(),
})
export type KnownTemplate = z.infer<typeof knownTemplateSchema>

/** Channel used from here, or listed by the sandbox. */
export const ottChannelSchema = z.object({
  id: z.string(),
  /** Name from the operator or the sandbox; may be empty. */
  label: z.string(),
  /** Listed by the sandbox; the API can't list channels. */
  ofSandbox: z.boolean(),
  lastUsedAt: isoTime.nullable(),
})
export type OttChannel = z.infer<typeof ottChannelSchema>

const decimalMark = z.enum(['point', 'comma'])

/**
 * Source of a placeholder's value. `decimals`: the decimal mark of numbers; absent when the values show it. `empty` only for text placeholders; `column` (from 0) only for files; `tag`,
 * `email`, `first-name` and `last-name` only for contacts.
 */
export const valueSourceSchema = z.discriminatedUnion('from', [
  z.object({ from: z.enum(['name', 'first-name', 'last-name', 'phone', 'email', 'empty']) }),
  z.object({ from: z.literal('tag'), key: z.string().min(1).max(200), decimals: decimalMark.optional() }),
  z.object({ from: z.literal('column'), column: z.int().min(0), decimals: decimalMark.optional() }),
  z.object({ from: z.literal('constant'), value: z.string().max(2_000) }),
])
export type ValueSource = z.infer<typeof valueSourceSchema>

export const variableMappingSchema = z.object({ name: z.string(), source: valueSourceSchema })
export type VariableMapping = z.infer<typeof variableMappingSchema>

/** Recipients: contacts, or an uploaded table (`files.begin`). */
export const recipientSourceSchema = z.union([
  z.object({ contacts: contactSelectionSchema }),
  z.object({
    file: z.object({
      fileId: z.string(),
      headerRow: headerRowSchema,
      phoneColumn: z.int().min(0),
      ...numberColumns,
      nameColumn: z.int().min(0).nullable(),
      ...countryColumn,
      /** Region of numbers without a country code. */
      region: z.string().length(2),
      ...numberReading,
      consent: skipChoices,
    }),
  }),
])
export type RecipientSource = z.input<typeof recipientSourceSchema>

/** Why a recipient is skipped. */
export const leftOutSchema = z.enum([
  'dnc',
  'held',
  'maybe-listed',
  'refused',
  'missing-value',
  'bad-value',
  'bad-number',
  'repeated',
  'received',
  'unplaced',
  'no-hours',
  'unreadable',
])
export type LeftOut = z.infer<typeof leftOutSchema>

/** One recipient of a dry run. */
export const plannedRecipientSchema = z.object({
  /**
   * Position among those to send to, from 1; for a skipped one its row in the file, numbered as in imports, or its
   * place in the selection.
   */
  at: z.int(),
  phone: z.string(),
  name: z.string(),
  values: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) })),
  /** Null when it will be sent. */
  leftOut: leftOutSchema.nullable(),
  reason: saidSchema.nullable(),
})
export type PlannedRecipient = z.infer<typeof plannedRecipientSchema>

/** Counts of a dry run. All but `sentLately`, `readableTwoWays` and `landlines` add up to `recipients`. */
export const planCountsSchema = z.object({
  recipients: z.int(),
  willSend: z.int(),
  dnc: z.int(),
  held: z.int(),
  maybeListed: z.int(),
  /** The file says not to contact them. */
  refused: z.int(),
  missingValue: z.int(),
  badValue: z.int(),
  badNumber: z.int(),
  repeated: z.int(),
  /** Got this template from here or from a colleague within the last day, and are skipped. */
  received: z.int(),
  /** Their local time is unknown. */
  unplaced: z.int(),
  /** No time fits the hours in all time zones of their country. */
  noHours: z.int(),
  unreadable: z.int(),
  /** Recipients of the same template from here or from a colleague within the last day, or of one that still waits. */
  sentLately: z.int(),
  readableTwoWays,
  /** Of `willSend`: surely landlines, by the numbering plan. */
  landlines: z.int(),
})
export type PlanCounts = z.infer<typeof planCountsSchema>

/**
 * `failed`, `stopped`: during the dry run, or another one of a confirmed send; nothing is queued. `queueing-stopped`: partly queued, nothing sent; you can continue or undo.
 * `scheduled`: all in the outbox, waiting for its start; `start-missed`: Switchboard was closed or asleep, or could not sync the DNC list, so some were not sent in time and a person decides.
 * `queued`: all in the outbox, some unsent. `finished`: all sent. `finished-in-part`: nothing left, some rejected or
 * unconfirmed. `rejected`: nothing left, none sent or unconfirmed.
 */
export const bulkSendStateSchema = z.enum([
  'preparing',
  'prepared',
  'failed',
  'stopped',
  'queueing',
  'queueing-stopped',
  'scheduled',
  'start-missed',
  'queued',
  'finished',
  'finished-in-part',
  'rejected',
  'undone',
  'undone-in-part',
])

/** A bulk send. Its results are its outbox batch. */
export const bulkSendSchema = z.object({
  id: z.string(),
  templateKey: z.int(),
  templateName: z.string(),
  /** When prepared; null when unknown. */
  body: z.string().nullable(),
  channelId: z.string(),
  /** Recipients, in short. */
  subject: saidSchema,
  state: bulkSendStateSchema,
  /** Task of the current or last step. */
  taskId: z.string().nullable(),
  problem: errorViewSchema.nullable(),
  /** Null until the dry run is done. */
  counts: planCountsSchema.nullable(),
  /** The chosen start; null for one as soon as it is queued. */
  startAt: isoTime.nullable(),
  /** Each recipient's hours in their country; null for any time. */
  hours: localHoursSchema.nullable(),
  /** Skips those who got this template within a day. */
  skipReceived: z.boolean(),
  /** Sends at any hour to those with an unknown local time or no common one; otherwise skips them. */
  sendUnplaced: z.boolean(),
  /** Of the recipients and their values in the dry run, to confirm them. Null before it, and once all is queued. */
  digest: z.string().nullable(),
  /** Recipients that were confirmed when another count found other ones, so nothing was queued; null otherwise. */
  changedFrom: z.int().nullable(),
  /** Colleagues who sent this template to some of the recipients within the last day. Empty once all is queued. */
  sentBy: z.array(z.string()),
  /** Texts that are an amount with a decimal point for some and with a comma for others, with one of each. Empty once all is queued. */
  mixed: z.array(z.object({ name: z.string(), point: z.string(), comma: z.string() })),
  /** When the recipients were counted. Null before that, and once all is queued. */
  countedAt: isoTime.nullable(),
  /** Recipients in the outbox. */
  queued: z.int(),
  batchId: z.string().nullable(),
  /** End of the undo window (`outbox.undo`). */
  undoableUntil: isoTime.nullable(),
  /** When it was confirmed; until then, when its dry run began. */
  createdAt: isoTime,
})
export type BulkSend = z.infer<typeof bulkSendSchema>

/** How far a send is. */
const sendProgress = {
  /** Items by outbox state; null when nothing is queued. In lists of a `queued` send only. */
  outcome: z.record(outboxStatusSchema, z.int()).nullable(),
  /** Of a started send. */
  waitsFor: outboxBatchSchema.shape.waitsFor,
}
/** Whether the outbox sends now, and why it doesn't. */
const sendDrain = outboxDrainSchema.pick({ state: true, problem: true })

const byKey = z.object({ key: z.int() })
const templateFields = {
  name: z.string().max(500),
  body: z.string().max(20_000),
  variables: z.array(templateVariableSchema).max(100),
}
const byId = z.object({ id: z.string() })

/** Local templates, and sends over the OTT channel. The API can't list, read or change templates. */
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
   * Creates a template at the service, once. INVALID_INPUT, SERVICE_REJECTED; after OUTCOME_UNKNOWN it is listed as
   * `unconfirmed` and never retried automatically.
   */
  create: procedure.input(z.object(templateFields)).output(knownTemplateSchema),
  /**
   * Adds a template of the service by its id, without a request. `key` gives an unconfirmed one its id. A known id
   * gets the values typed here.
   */
  adopt: procedure
    .input(
      z.object({
        serviceId: z.string().trim().min(1).max(200),
        key: z.int().optional(),
        ...templateFields,
      }),
    )
    .output(knownTemplateSchema),
  /** Deletes a template at the service. `not-found` keeps the row and marks it; `unknown`: not answered. */
  remove: procedure.input(byKey.extend({ confirmName: z.string().optional() })).output(
    z.object({
      outcome: z.enum(['deleted', 'not-found', 'unknown']),
      template: knownTemplateSchema.nullable(),
    }),
  ),
  /** Removes a template from the local list only. */
  forget: procedure.input(byKey).output(nothing),

  channels: procedure.output(z.object({ items: z.array(ottChannelSchema) })),
  /** Stores or renames a channel. */
  nameChannel: procedure
    .input(z.object({ id: z.string().trim().min(1).max(200), label: z.string().trim().max(200) }))
    .output(z.object({ items: z.array(ottChannelSchema) })),
  forgetChannel: procedure.input(byId).output(z.object({ items: z.array(ottChannelSchema) })),

  /**
   * Sends to one recipient through the outbox. INVALID_INPUT for missing, extra or non-numeric values;
   * NUMBER_INVALID; ON_DNC; DNC_LIST_NOT_FRESH unless `uncheckedKnowingly`; `confirmName` on production.
   */
  send: procedure
    .input(
      byKey.extend({
        channelId: z.string().trim().min(1).max(200),
        to: z.string().max(200),
        region: numberRegion,
        contactId: z.int().nullable(),
        values: z.array(z.object({ name: z.string(), value: z.string().max(2_000) })).max(100),
        /** Sends empty texts; otherwise they count as missing. */
        allowEmpty: z.boolean().default(false),
        uncheckedKnowingly: z.boolean().default(false),
        confirmName: z.string().optional(),
      }),
    )
    .output(z.object({ batchId: z.string(), itemId: z.int() })),

  /**
   * Messages of this template to this number that were sent in the last 24 hours or still wait, newest first, at most 5. Empty for an invalid
   * number.
   */
  sentTo: procedure
    .input(byKey.extend({ to: z.string().max(200), region: numberRegion }))
    .output(z.object({ items: z.array(sentMessageSchema) })),
  /** The message of an ID of the service, if it was sent from here or by a colleague; else null. */
  sentAs: procedure
    .input(z.object({ messageId: z.string() }))
    .output(z.object({ message: sentMessageSchema.nullable() })),

  /** Columns and first rows of a recipient file, with guessed columns. IMPORT_FILE_* when it isn't a table. */
  inspectFile: procedure.input(z.object({ fileId: z.string() })).output(
    z.object({
      header: z.array(z.string()),
      sample: z.array(z.array(z.string())),
      headerRow: headerRowSchema,
      phoneColumn: z.int(),
      /** All columns of numbers. The first readable number of a row counts, and a blocked one blocks the row. */
      numberColumns: z.array(z.int()),
      nameColumn: z.int().nullable(),
      ...countryColumn,
      /** The likely meaning of each column. */
      guesses: z.array(columnTargetSchema),
    }),
  ),
  /**
   * The decimal marks that the number values of columns and tags show, judged by every recipient. `mark` is null when they fit both
   * marks. `samples`: up to three values that the marks read differently (null: not a number).
   */
  decimals: procedure
    .input(z.object({ source: recipientSourceSchema, mapping: z.array(variableMappingSchema).max(100) }))
    .output(
      z.object({
        items: z.array(
          z.object({
            name: z.string(),
            mark: decimalMark.nullable(),
            samples: z.array(
              z.object({ written: z.string(), point: z.string().nullable(), comma: z.string().nullable() }),
            ),
          }),
        ),
      }),
    ),
  /** Starts a dry run; queues nothing. INVALID_INPUT when a placeholder has no source. */
  prepare: procedure
    .input(
      byKey.extend({
        channelId: z.string().trim().min(1).max(200),
        source: recipientSourceSchema,
        /** File name, or a description of the selection. */
        subject: saidSchema,
        mapping: z.array(variableMappingSchema).max(100),
        startAt: isoTime.nullable().default(null),
        hours: localHoursSchema.nullable().default(null),
      }),
    )
    .output(bulkSendSchema),
  /** Repeats a dry run, with other choices if any. SEND_NOT_POSSIBLE once the send is queued. */
  recount: procedure
    .input(byId.extend({ skipReceived: z.boolean().optional(), sendUnplaced: z.boolean().optional() }))
    .output(bulkSendSchema),
  sends: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50), cursor: z.string().optional() }))
    .output(
      z.object({
        items: z.array(bulkSendSchema.extend(sendProgress)),
        nextCursor: z.string().nullable(),
        drain: sendDrain,
      }),
    ),
  /** A send with its first recipients and first skipped ones. `etaMs` covers the requests left and those ahead of them: at the rate limit, and once they leave, at the rate of the last minute. */
  sendOf: procedure.input(byId).output(
    z.object({
      send: bulkSendSchema,
      first: z.array(plannedRecipientSchema),
      leftOut: z.array(plannedRecipientSchema),
      etaMs: z.number().nullable(),
      /** Of a dry run: recipients whose hours haven't begun at its start. */
      outsideHours: z.int(),
      /** When the last message of a dry run, or of a send that waits for its start or for hours, is likely sent; null when unknown. */
      lastAt: isoTime.nullable(),
      ...sendProgress,
      /** Requests in the outbox before a prepared send; 0 once it is queued. */
      requestsAhead: z.int(),
      /** How the file's numbers were read; null for contacts. */
      reading: z.object({ region: z.string(), ...numberReading }).nullable(),
      /**
       * Of the rejected ones, those on the DNC list or on hold: another try would be rejected, too. Of the cancelled ones, those of
       * erased people.
       */
      notSent: z.object({ dnc: z.int(), held: z.int(), erased: z.int() }),
      drain: sendDrain,
      /** Of the last test send: this send's, and the number of any send's; null without one. */
      test: z.object({ batchId: z.string().nullable(), phone: z.string().nullable() }),
      dncList: dncListSchema,
      /** The DNC list changed here since the dry run, or a number was put on hold. */
      isOutdated: z.boolean(),
      asOf: isoTime,
    }),
  ),
  /**
   * Sends the message of one planned recipient (its position) to another number, as a batch of its own. The recipient still gets the
   * send. Errors as in `send`; `confirmName` on production; SEND_NOT_POSSIBLE once the send is queued.
   */
  test: procedure
    .input(
      byId.extend({
        at: z.int().min(1),
        to: z.string().max(200),
        region: numberRegion,
        uncheckedKnowingly: z.boolean().default(false),
        confirmName: z.string().optional(),
      }),
    )
    .output(z.object({ batchId: z.string() })),
  /** One recipient of a dry run, by position or number (skipped ones too). Null when there is none. */
  recipient: procedure
    .input(
      byId.extend({
        find: z.union([z.object({ at: z.int().min(1) }), z.object({ phone: z.string().max(64) })]),
      }),
    )
    .output(z.object({ recipient: plannedRecipientSchema.nullable() })),
  /**
   * Counts a prepared send again and queues it as one batch with an undo window, unless its recipients or their values changed
   * (`changedFrom`). Sends nothing before all is queued and its start has come. DNC_LIST_NOT_FRESH
   * unless `uncheckedKnowingly`; `confirmName` on production; SEND_NOT_POSSIBLE in other states.
   */
  queue: procedure
    .input(
      byId.extend({
        /** The recipients that the operator confirms: as shown to them, not as counted again elsewhere. */
        willSend: z.int(),
        digest: z.string(),
        uncheckedKnowingly: z.boolean().default(false),
        confirmName: z.string().optional(),
      }),
    )
    .output(bulkSendSchema),
  /** Deletes a send with nothing queued. */
  discard: procedure.input(byId).output(nothing),
  /** Writes the result of every recipient, or the skipped ones, to a CSV; read it with `files.read`. */
  exportResults: procedure
    .input(byId.extend({ what: z.enum(['all', 'left-out']) }))
    .output(z.object({ taskId: z.string() })),
}

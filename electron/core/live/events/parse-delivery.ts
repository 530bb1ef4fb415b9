import { isUtf8 } from 'node:buffer'
import * as z from 'zod'
import type { Phrase, PhraseKey } from '../../../contract/phrases.ts'

/** A delivery report. Absent optional fields are null. */
interface DeliveryReport {
  kind: 'dlr'
  messageId: string
  status: string
  errorCode: number | null
  /** Destination. */
  number: string | null
  ownNumber: null
  content: null
  serviceTime: string | null
  reason: null
}

/** An inbound message. */
interface InboundMessage {
  kind: 'mo'
  messageId: string
  status: null
  errorCode: null
  /** Source. */
  number: string
  /** Destination. */
  ownNumber: string | null
  content: string
  serviceTime: string | null
  reason: null
}

/** A delivery that is neither. */
interface OddDelivery {
  kind: 'quarantined'
  /** If the body has a valid one. */
  messageId: string | null
  status: null
  errorCode: null
  number: null
  ownNumber: null
  content: null
  serviceTime: null
  /** Why, for the operator. */
  reason: Phrase
}

/** A parsed delivery. All kinds have the same members, null where they have no meaning. */
export type ParsedDelivery = DeliveryReport | InboundMessage | OddDelivery

/** Longest id, number or time, in characters. The spec gives no limit; UUIDs have 36. */
const shortTextMax = 256
const statusMax = 64

/**
 * Event names in the subscription list that mean delivery reports. The spec shows `message.delivered` and `message.failed` and calls the
 * list incomplete; the other two follow from the four statuses.
 */
const dottedReports = new Map(
  ['submitted', 'delivered', 'failed', 'expired'].map((status) => [`message.${status}`, status]),
)

const missingOr = (fault: string) => (issue: { input: unknown }) =>
  issue.input === undefined || issue.input === null ? 'missing' : fault

// eslint-disable-next-line no-control-regex -- this finds control characters
const hasControlCharacter = (text: string) => /[\x00-\x1f\x7f-\x9f]/.test(text)

const identifier = (lengthMax: number) =>
  z
    .string({ error: missingOr('notText') })
    .min(1, 'isEmpty')
    .max(lengthMax, 'longer')
    .refine((text) => text.isWellFormed() && !hasControlCharacter(text), 'control')

const messageId = identifier(shortTextMax)
const status = identifier(statusMax)

/**
 * Makes a text storable and searchable in SQLite: replaces lone surrogates, and NUL by ␀, because SQLite's text
 * functions stop at NUL. The raw body keeps the original, and a JSON export reads it from there.
 */
const keepable = (text: string) => text.toWellFormed().replaceAll('\0', '\u2400')

const shortText = z
  .string({ error: missingOr('notText') })
  .max(shortTextMax, 'longer')
  .transform(keepable)

/** Optional texts may be null or absent. */
const optionalText = shortText.nullish().transform((text) => text ?? null)

/** Integer or null in the spec. A numeric text is accepted. */
const errorCode = z
  .union([z.int('notInteger'), z.string().regex(/^-?\d{1,15}$/, 'notInteger')], 'notInteger')
  .nullish()
  .transform((code) => (code === undefined || code === null ? null : Number(code)))

const reportSchema = z.object({
  message_id: messageId,
  status,
  error_code: errorCode,
  destination: optionalText,
  delivered_at: optionalText,
})

const inboundSchema = z.object({
  message_id: messageId,
  source: shortText.refine((text) => text.trim() !== '', 'isEmpty'),
  destination: optionalText,
  content: z.string({ error: missingOr('notText') }).transform(keepable),
  received_at: optionalText,
})

function readJson(body: Uint8Array): { value: unknown } | { reason: Phrase } {
  if (body.length === 0) return { reason: { key: 'quarantine.empty' } }
  if (!isUtf8(body)) return { reason: { key: 'quarantine.notUtf8' } }
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { reason: { key: error instanceof RangeError ? 'quarantine.deep' : 'quarantine.notJson' } }
  }
}

const odd = (reason: Phrase, messageId: string | null = null): OddDelivery => ({
  kind: 'quarantined',
  messageId,
  status: null,
  errorCode: null,
  number: null,
  ownNumber: null,
  content: null,
  serviceTime: null,
  reason,
})

const kinds: Partial<Record<string, PhraseKey>> = {
  string: 'kind.text',
  number: 'kind.number',
  boolean: 'kind.boolean',
}

function kindOf(value: unknown): Phrase {
  if (value === null) return { key: 'kind.nothing' }
  return { key: Array.isArray(value) ? 'kind.list' : (kinds[typeof value] ?? 'kind.object') }
}

/** Faults that the schemas name. */
type Fault = 'missing' | 'isEmpty' | 'notText' | 'longer' | 'control' | 'notInteger'

function faultOf(error: z.ZodError): Phrase {
  const issue = error.issues[0]
  if (!issue) return { key: 'quarantine.field' }
  const max = 'maximum' in issue ? Number(issue.maximum) : 0
  return { key: `quarantine.${issue.message as Fault}`, where: issue.path.join('.'), max }
}

/**
 * Reads one delivery. Never throws: anything but a delivery report or inbound message is returned as
 * `quarantined`, with a reason for the operator. Other fields are ignored; an unknown dlr status is kept as
 * received.
 *
 * Fields by the spec, "Events": dlr `message_id`, `status`, `error_code`, `destination`, `delivered_at`; mo
 * `message_id`, `source`, `destination`, `content`, `received_at`. What identifies an event, and the sender and
 * text of a mo, is required; the rest may be absent or null, but not of another type.
 */
export function parseDelivery(body: Uint8Array): ParsedDelivery {
  const json = readJson(body)
  if ('reason' in json) return odd(json.reason)
  const value = json.value
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return odd({ key: 'quarantine.notObject', found: kindOf(value) })

  const fields = value as Record<string, unknown>
  const quarantined = (reason: Phrase): OddDelivery => {
    const id = messageId.safeParse(fields['message_id'])
    return odd(reason, id.success ? id.data : null)
  }
  const event = fields['event']
  if (event === undefined) return quarantined({ key: 'quarantine.noEvent' })
  if (typeof event !== 'string') return quarantined({ key: 'quarantine.eventNotText', found: kindOf(event) })

  const dottedStatus = dottedReports.get(event)
  if (event === 'dlr' || dottedStatus !== undefined) {
    const named = fields['status'] === undefined && dottedStatus !== undefined
    const report = reportSchema.safeParse(named ? { ...fields, status: dottedStatus } : fields)
    if (!report.success) return quarantined(faultOf(report.error))
    return {
      kind: 'dlr',
      messageId: report.data.message_id,
      status: report.data.status,
      errorCode: report.data.error_code,
      number: report.data.destination,
      ownNumber: null,
      content: null,
      serviceTime: report.data.delivered_at,
      reason: null,
    }
  }
  if (event === 'mo') {
    const inbound = inboundSchema.safeParse(fields)
    if (!inbound.success) return quarantined(faultOf(inbound.error))
    return {
      kind: 'mo',
      messageId: inbound.data.message_id,
      status: null,
      errorCode: null,
      number: inbound.data.source,
      ownNumber: inbound.data.destination,
      content: inbound.data.content,
      serviceTime: inbound.data.received_at,
      reason: null,
    }
  }
  return quarantined({ key: 'quarantine.unknownEvent', event: event.slice(0, 64).toWellFormed() })
}

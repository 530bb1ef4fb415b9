import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import * as z from 'zod'
import type { Phrase, PhraseKey } from '../../../contract/phrases.ts'
import { instantMs, isoTime } from '../../../lib/iso-time.ts'
import { readBody } from '../../../listener/read-body.ts'
import { isFields, isWhole, longestList, wrappers } from '../../../listener/single-events.ts'
import { knownStatus } from '../../service/wire/fields.ts'
import {
  eventIn,
  fieldOf,
  isOptOutWord,
  kindByFields,
  kindByName,
  nameOf,
  optOutWordOf,
  textOf,
  whoOptedOut,
} from './gateway-fields.ts'
import { canFail } from './message-status.ts'

/** A delivery report. Absent optional fields are null. */
interface DeliveryReport {
  kind: 'dlr'
  messageId: string
  status: string
  /** The service says that the recipient opted out. */
  isOptOut: boolean
  /** Null for 0, and where the status means no failure. */
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
  /** The event itself is an opt-out. */
  isOptOut: boolean
  errorCode: null
  /** Source. */
  number: string
  /** Destination. */
  ownNumber: string | null
  /** Empty without a text. */
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
  isOptOut: false
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

const missingOr = (fault: string) => (issue: { input: unknown }) =>
  issue.input === undefined || issue.input === null ? 'missing' : fault

/** Also one for bytes that are not UTF-8: two ids could differ in them. */
// eslint-disable-next-line no-control-regex -- this finds control characters
const hasControlCharacter = (text: string) => /[\x00-\x1f\x7f-\x9f\ufffd]/.test(text)

const identifier = (lengthMax: number) =>
  z.union([z.string(), z.int().transform(String)], { error: missingOr('notText') }).pipe(
    z
      .string()
      .trim()
      .min(1, 'isEmpty')
      .max(lengthMax, 'longer')
      .refine((text) => text.isWellFormed() && !hasControlCharacter(text), 'control'),
  )

const messageId = identifier(shortTextMax)
const status = identifier(statusMax)

/**
 * Makes a text storable and searchable in SQLite: replaces lone surrogates, and NUL by ␀, because SQLite's text
 * functions stop at NUL. The raw body keeps the original, and a JSON export reads it from there.
 */
const keepable = (text: string) => text.toWellFormed().replaceAll('\0', '\u2400')

const shortText = z
  .union([z.string(), z.number().transform(String)], { error: missingOr('notText') })
  .pipe(z.string().max(shortTextMax, 'longer'))
  .transform(keepable)

/** A field that may be absent. An odd value counts as absent: the raw body shows it. */
const optionalText = z
  .unknown()
  .optional()
  .transform((value) => shortText.safeParse(value).data ?? null)

/** A time that can't be read, or before 2000, is none: the raw body shows it. */
const time = z
  .unknown()
  .optional()
  .transform((value) => isoTime(instantMs(value)))

/** Integer or null in the spec; its digits are accepted, and 0 is none. Any other value counts as none: the raw body shows it. */
const errorCode = z
  .unknown()
  .optional()
  .transform((value) =>
    typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value,
  )
  .transform((code) => (Number.isSafeInteger(code) && code !== 0 ? (code as number) : null))

const reportSchema = z.object({
  message_id: messageId,
  status,
  error_code: errorCode,
  destination: optionalText,
  delivered_at: time,
})

const inboundSchema = z.object({
  source: shortText.refine((text) => text.trim() !== '', 'isEmpty'),
  destination: optionalText,
  received_at: time,
})

const withoutId = 'no-id-'
const withoutTime = `${withoutId}at-`
/** A time in any form. Programs write 0, 1970 or the year 1 for none. */
const hasTime = (value: unknown): boolean => instantMs(value) !== null || /2\d/.test(String(value ?? ''))
/** Stands for the id of an inbound message without a usable one: the same for the same body. */
const noId = (body: Uint8Array, receivedAt: unknown) =>
  (hasTime(receivedAt) ? withoutId : withoutTime) + hash('sha256', body).slice(0, 20)

/** Whether nothing tells a message from a later one with the same text. */
export const isUnnamed = ({ messageId }: ParsedDelivery): boolean =>
  messageId !== null && messageId.startsWith(withoutTime)

/** Bytes that are not UTF-8 become �: one letter of another encoding must not hide an opt-out. */
function readText(body: Uint8Array): { value: unknown } | { reason: Phrase } {
  if (body.length === 0) return { reason: { key: 'quarantine.empty' } }
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
    return { value: readBody(text.startsWith('\ufeff') ? text.slice(1) : text) }
  } catch (error) {
    if (!isUtf8(body)) return { reason: { key: 'quarantine.notUtf8' } }
    return { reason: { key: error instanceof RangeError ? 'quarantine.deep' : 'quarantine.notJson' } }
  }
}

const odd = (reason: Phrase, messageId: string | null = null): OddDelivery => ({
  kind: 'quarantined',
  messageId,
  status: null,
  isOptOut: false,
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
type Fault = 'missing' | 'isEmpty' | 'notText' | 'longer' | 'control'

function faultOf(error: z.ZodError): Phrase {
  const issue = error.issues[0]
  if (!issue) return { key: 'quarantine.field' }
  const max = 'maximum' in issue ? Number(issue.maximum) : 0
  return { key: `quarantine.${issue.message as Fault}`, where: issue.path.join('.'), max }
}

/**
 * Reads one delivery. Never throws: anything but a delivery report or inbound message is returned as
 * `quarantined`, with a reason for the operator. Other fields are ignored. Known words count in any case; an unknown dlr status is kept
 * as received.
 *
 * Fields by the spec, "Events": dlr `message_id`, `status`, `error_code`, `destination`, `delivered_at`; mo
 * `message_id`, `source`, `destination`, `content`, `received_at`. What identifies a report, and the sender of a mo, is required; the rest
 * may be absent, null or odd. Gateways give them other names; see `gateway-fields.ts`.
 */
export function parseDelivery(body: Uint8Array): ParsedDelivery {
  try {
    return parseBody(body)
  } catch (error) {
    // A value that can't be written as a text: lists in lists, or an object with its own `toString`.
    return odd({ key: error instanceof RangeError ? 'quarantine.deep' : 'quarantine.field' })
  }
}

function parseBody(body: Uint8Array): ParsedDelivery {
  const read = readText(body)
  if ('reason' in read) return odd(read.reason)
  const value = eventIn(read.value)
  const lists = !isFields(value) ? [value] : isWhole(value) ? [] : wrappers.map((name) => value[name])
  const long = lists.find((list) => Array.isArray(list) && list.length > longestList)
  if (Array.isArray(long)) return odd({ key: 'quarantine.longList', n: long.length, max: longestList })
  if (!isFields(value)) return odd({ key: 'quarantine.notObject', found: kindOf(value) })

  const id = fieldOf(value, 'message_id')
  const quarantined = (reason: Phrase): OddDelivery => odd(reason, messageId.safeParse(id).data ?? null)
  const given = nameOf(value)
  if (given !== undefined && typeof given !== 'string')
    return quarantined({ key: 'quarantine.eventNotText', found: kindOf(given) })
  const named = given === undefined ? ({ kind: 'fields' } as const) : kindByName(given)
  const kind = named.kind === 'fields' ? kindByFields(value) : named.kind
  const optOutWord = optOutWordOf(value)
  const isOptOut = optOutWord !== null
  if (given === undefined && kind === null && !isOptOut) return quarantined({ key: 'quarantine.noEvent' })

  const source = isOptOut && kind !== 'mo' ? whoOptedOut(value) : fieldOf(value, 'source')
  const isOfMessage = isOptOut && source === '' && id !== undefined
  if (isOfMessage || (kind === 'dlr' && !isOptOut)) {
    const namedStatus = named.kind === 'dlr' ? named.status : undefined
    const report = reportSchema.safeParse({
      message_id: given === undefined ? (id ?? value['id']) : id,
      status: isOfMessage ? optOutWord : (fieldOf(value, 'status') ?? namedStatus),
      error_code: fieldOf(value, 'error_code'),
      destination: fieldOf(value, 'recipient'),
      delivered_at: fieldOf(value, 'delivered_at'),
    })
    if (!report.success) return quarantined(faultOf(report.error))
    const status = knownStatus(report.data.status)
    return {
      kind: 'dlr',
      messageId: report.data.message_id,
      status,
      isOptOut: [status, value['error_code'], value['code']].some(isOptOutWord),
      errorCode: canFail(status) ? report.data.error_code : null,
      number: report.data.destination,
      ownNumber: null,
      content: null,
      serviceTime: report.data.delivered_at,
      reason: null,
    }
  }
  if (isOptOut || kind === 'mo') {
    const time = fieldOf(value, 'received_at')
    const inbound = inboundSchema.safeParse({
      source,
      destination: fieldOf(value, 'destination'),
      received_at: time,
    })
    if (!inbound.success) return quarantined(faultOf(inbound.error))
    return {
      kind: 'mo',
      messageId: messageId.safeParse(id).data ?? noId(body, time),
      status: null,
      isOptOut,
      errorCode: null,
      number: inbound.data.source,
      ownNumber: inbound.data.destination,
      content: keepable(textOf(value) ?? optOutWord ?? ''),
      serviceTime: inbound.data.received_at,
      reason: null,
    }
  }
  return quarantined({ key: 'quarantine.unknownEvent', event: (given ?? '').slice(0, 64).toWellFormed() })
}

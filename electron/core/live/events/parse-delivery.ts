import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import * as z from 'zod'
import type { Phrase, PhraseKey } from '../../../contract/phrases.ts'
import { parseExactJson } from '../../../lib/exact-json.ts'
import { instantMs, isoTime } from '../../../lib/iso-time.ts'
import { isFields, isWhole, longestList, textFields, wrappers } from '../../../listener/single-events.ts'
import { knownStatus } from '../../service/wire/fields.ts'
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

/**
 * Event names in the subscription list that mean delivery reports. The spec shows `message.delivered` and `message.failed` and calls the
 * list incomplete; the other two follow from the four statuses.
 */
const dottedReports = new Map(
  ['submitted', 'delivered', 'failed', 'expired'].map((status) => [`message.${status}`, status]),
)

/** Names of an inbound message. The spec's list has dotted names for reports; other services have these. */
const inboundName =
  /^(?:(?:message|sms|text)[._ -]*)?(?:mo|inbound|incoming|received|reply)(?:[._ -]*(?:message|sms|text))?$/

/** Names of an opt-out as an event, and as the status or code of a report. */
const optOutName = /(?:^|[._ -])(?:unsubscribed?|opt(?:ed)?[._ -]?out)$/
const isOptOutWord = (value: unknown): boolean =>
  typeof value === 'string' && optOutName.test(value.trim().toLowerCase())
const personFields = ['source', 'phone_number', 'phone', 'number', 'msisdn']
/** Where the event gives only these, each may be the person: services name the sender of the message or of the reply. */
const eitherFields = ['from', 'to', 'destination']

/** Whose opt-out it is; several numbers as one text, of which a hold blocks each. Empty for one that at most names a message. */
function whoOptedOut(fields: Record<string, unknown>): unknown {
  const valuesOf = (names: string[]) => names.map((name) => fields[name]).filter(Boolean)
  const [person] = valuesOf(personFields)
  if (person !== undefined) return person
  const numbers = valuesOf(eitherFields).map((value) => shortText.safeParse(value).data ?? '')
  return [...new Set(numbers)].filter((number) => number !== '').join(' / ')
}

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

/** What a list of one holds. */
const only = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** The event of a delivery, also of a list of one or with its fields in another object: an opt-out must not be lost for that. */
function eventIn(value: unknown): unknown {
  const event = only(value)
  if (!isFields(event)) return event
  const inner = isWhole(event) ? undefined : wrappers.map((name) => only(event[name])).find(isFields)
  if (!inner) return event
  const source = [inner['source'], event['source']].find(isNumber) ?? inner['source'] ?? event['source']
  return {
    ...event,
    ...inner,
    source,
    event: event['event'] ?? inner['event'],
    type: event['type'] ?? inner['type'],
  }
}

/** A source outside may name a program, and one inside a place such as “web”. */
const isNumber = (source: unknown): boolean => /^\s*\+?\d[\d\s().-]{5,}$/.test(String(source))

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

/**
 * The text of an inbound message; null if it has none. Services also call it `text`, `body` or `message`, and put it into an object: an
 * opt-out must not be lost for that. Other content is shown as JSON.
 */
function textOf(fields: Record<string, unknown>, depth = 0): string | null {
  const given = textFields.map((name) => fields[name])
  let odd: string | null = null
  for (const value of given) {
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'string' || value === undefined || value === null) continue
    const inner = isFields(value) && depth < textDepth ? textOf(value, depth + 1) : null
    if (inner !== null && inner.trim() !== '') return inner
    odd ??= isFields(value) && Object.keys(value).length === 0 ? null : jsonText(value)
  }
  return odd ?? given.find((value) => typeof value === 'string') ?? null
}

/** A text lies no deeper in its objects. */
const textDepth = 4

/** JSON as text; too deep to be written, only a sign of it. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}

/** Bytes that are not UTF-8 become �: one letter of another encoding must not hide an opt-out. */
function readJson(body: Uint8Array): { value: unknown } | { reason: Phrase } {
  if (body.length === 0) return { reason: { key: 'quarantine.empty' } }
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
    return { value: parseExactJson(text.startsWith('\ufeff') ? text.slice(1) : text) }
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
 * may be absent, null or odd.
 */
export function parseDelivery(body: Uint8Array): ParsedDelivery {
  const json = readJson(body)
  if ('reason' in json) return odd(json.reason)
  const value = eventIn(json.value)
  const lists = !isFields(value) ? [value] : isWhole(value) ? [] : wrappers.map((name) => value[name])
  const long = lists.find((list) => Array.isArray(list) && list.length > longestList)
  if (Array.isArray(long)) return odd({ key: 'quarantine.longList', n: long.length, max: longestList })
  if (!isFields(value)) return odd({ key: 'quarantine.notObject', found: kindOf(value) })

  const quarantined = (reason: Phrase): OddDelivery => {
    const id = messageId.safeParse(value['message_id'])
    return odd(reason, id.success ? id.data : null)
  }
  const given = value['event'] === undefined ? value['type'] : value['event']
  if (given === undefined) return quarantined({ key: 'quarantine.noEvent' })
  if (typeof given !== 'string') return quarantined({ key: 'quarantine.eventNotText', found: kindOf(given) })
  const event = given.trim().toLowerCase()

  const isOptOut = isOptOutWord(event)
  const source = isOptOut ? whoOptedOut(value) : (value['source'] ?? value['from'])
  const isOfMessage = isOptOut && source === '' && value['message_id'] !== undefined
  const namedStatus = isOfMessage ? event : dottedReports.get(event)
  if (event === 'dlr' || namedStatus !== undefined) {
    const named = value['status'] === undefined && namedStatus !== undefined
    const report = reportSchema.safeParse(isOfMessage || named ? { ...value, status: namedStatus } : value)
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
  if (isOptOut || inboundName.test(event)) {
    const inbound = inboundSchema.safeParse({ ...value, source })
    if (!inbound.success) return quarantined(faultOf(inbound.error))
    return {
      kind: 'mo',
      messageId: messageId.safeParse(value['message_id']).data ?? noId(body, value['received_at']),
      status: null,
      isOptOut,
      errorCode: null,
      number: inbound.data.source,
      ownNumber: inbound.data.destination,
      content: keepable(textOf(value) ?? (isOptOut ? event : '')),
      serviceTime: inbound.data.received_at,
      reason: null,
    }
  }
  return quarantined({ key: 'quarantine.unknownEvent', event: given.slice(0, 64).toWellFormed() })
}

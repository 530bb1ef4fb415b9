import { isUtf8 } from 'node:buffer'
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { readBody } from './read-body.ts'

/** Objects, or lists of them, that services put the fields of an event into. */
export const wrappers = [
  ...['data', 'payload', 'message', 'events', 'messages', 'results'],
  ...['entry', 'changes', 'value'],
] as const
/** Objects in objects that are opened. */
export const nestedMax = 6

/** Longer lists are stored as they came, and quarantined. */
export const longestList = 1_000
/** Unpacked: far more than a body of the listener holds. */
const unpackedBytes = 1024 * 1024
/** What all events of a list are stored with, together. */
const aroundBytes = 4 * 1024 * longestList

export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where services put the text of an inbound message. */
export const textFields = ['content', 'text', 'body', 'message'] as const

/** Whether an object holds the fields of an event itself: a `source` alone may name the program that wraps it. */
export const isWhole = (event: Record<string, unknown>): boolean =>
  (event['source'] !== undefined &&
    textFields.some((name) => typeof event[name] === 'string' && event[name] !== '')) ||
  (event['message_id'] !== undefined && event['status'] !== undefined)

/** A document with lists of events as one document per event, each with the rest around it; any other as it is. */
function perEvent(value: unknown, depth = 0): unknown[] {
  if (Array.isArray(value)) {
    if (value.length > longestList || !value.some(isFields)) return [value]
    return value.flatMap((one: unknown) => perEvent(one, depth).map((event) => [event]))
  }
  if (!isFields(value) || isWhole(value) || depth === nestedMax) return [value]
  for (const name of wrappers) {
    const events = perEvent(value[name], depth + 1)
    if (events.length < 2) continue
    const bytes = JSON.stringify({ ...value, [name]: [] }).length * events.length
    return bytes > aroundBytes ? [value] : events.map((event) => ({ ...value, [name]: event }))
  }
  return [value]
}

function documentsIn(given: Uint8Array): (string | Uint8Array)[] {
  const body = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  // Most deliveries are one event: an object without a list, in one line.
  if (body[0] === 0x7b && !body.includes('[') && !body.includes('\n')) return [given]
  const text = body.toString('utf8').replace(/^\ufeff/, '')
  try {
    const events = perEvent(readBody(text))
    return events.length > 1 && events.length <= longestList
      ? events.map((one) => JSON.stringify(one))
      : [given]
  } catch {
    // One document per line.
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    const isEach = lines.length > 1 && lines.length <= longestList && lines.every(isObject)
    return isEach ? lines : [given]
  }
}

function isObject(line: string): boolean {
  try {
    return isFields(JSON.parse(line))
  } catch {
    return false
  }
}

/** How a body that is no text may be packed: gzip, or deflate, also without its header. */
const unpackings = [gunzipSync, inflateSync, inflateRawSync]

function unpacked(body: Uint8Array): Uint8Array {
  if (isUtf8(body) || /^[{[]/.test(String.fromCharCode(body[0]!))) return body
  for (const unpack of unpackings)
    try {
      const text = unpack(body, { maxOutputLength: unpackedBytes })
      if (isUtf8(text)) return text
    } catch {
      // Packed in another way, or not at all.
    }
  return body
}

/**
 * Makes one delivery per event of a list, of lines of JSON, also packed, because each event has its own number in the journal.
 * Anything else stays as it came. Call only once the signature over the body is right.
 */
export function singleEvents<Delivery extends { body: Uint8Array }>(delivery: Delivery): Delivery[] {
  return documentsIn(unpacked(delivery.body)).map((body) => ({
    ...delivery,
    body: typeof body === 'string' ? Buffer.from(body) : body,
  }))
}

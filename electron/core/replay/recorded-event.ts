import * as z from 'zod'
import { copiesMax, longestEventBytes } from '../../jobs/work/recording-format.ts'
import type { StoredBody } from '../../listener/journal.ts'
import { defaultLimits } from '../../listener/protocol.ts'
import type { ParsedDelivery } from '../live/events/parse-delivery.ts'

/** A time as a recording writes it, in milliseconds since the epoch. */
const timeMs = z.iso.datetime().transform((iso) => Date.parse(iso))
/** The listener's bound on a body, bytes. No text of an event is longer than the body that it came in, and its headers are shorter. */
const { bodyBytes } = defaultLimits
const text = z.string().max(bodyBytes).nullable()
const verdict = z.enum(['signed', 'unsigned'])
const seq = z.int().positive()

const fields = z.object({
  seq,
  received_at: timeMs,
  kind: z.enum(['dlr', 'mo', 'quarantined']),
  status: text,
  error_code: z.int().nullable(),
  message_id: text,
  number: text,
  own_number: text,
  content: text,
  service_time: text,
  verdict,
  stop_word: z.boolean(),
  quarantine_reason: text,
  remote: text,
  headers: z.array(z.tuple([z.string(), z.string()])).nullable(),
  body: text.optional(),
  body_base64: z.base64().optional(),
  copies: z.int().nonnegative(),
  further: z.array(z.object({ seq, received_at: timeMs })).max(copiesMax),
})

const time = z.iso.datetime()
const header = z.object({
  from: time,
  to: time,
  events: z.int(),
  arrived: z.int().optional(),
  gaps: z.array(z.object({ from: time, to: time.nullable(), proven: z.boolean(), reason: z.string() })),
})

/** What a replay takes of the first line of a recording: its span, how many events are in it and how many had come, the gaps of the time. */
export type RecordedHeader = z.infer<typeof header>

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return null
  }
}

/** Reads the first line of a recording; null when it is none. */
export const readRecordedHeader = (line: Buffer): RecordedHeader | null =>
  header.safeParse(jsonOf(line)).data ?? null

/** An event as a line of a recording holds it. */
export interface RecordedEvent {
  row: StoredBody
  parsed: ParsedDelivery
  stopWord: boolean
  /** What came with the body; null where the journal no longer had the delivery. */
  delivery: { remote: string; headersJson: string } | null
  /** How often the event came again, and when: the first thousand times. */
  copies: number
  further: { seq: number; receivedMs: number }[]
}

/** What an event of its kind cannot be without. */
const isComplete = ({ kind, message_id, status, number, content }: z.infer<typeof fields>): boolean =>
  kind === 'quarantined' ||
  (message_id !== null && (kind === 'dlr' ? status !== null : number !== null && content !== null))

/** Reads a line of a recording; null when it is no event, or larger than any that the listener takes. */
export function readRecordedEvent(line: Buffer): RecordedEvent | null {
  if (line.length > longestEventBytes) return null
  const read = fields.safeParse(jsonOf(line))
  if (!read.success || !isComplete(read.data)) return null
  const { data } = read
  const body =
    data.body_base64 === undefined ? Buffer.from(data.body ?? '') : Buffer.from(data.body_base64, 'base64')
  const headersJson = JSON.stringify(data.headers)
  if (body.length > bodyBytes || headersJson.length > bodyBytes) return null
  return {
    row: { seq: data.seq, receivedMs: data.received_at, verdict: data.verdict, body },
    parsed: {
      kind: data.kind,
      messageId: data.message_id,
      status: data.status,
      errorCode: data.error_code,
      number: data.number,
      ownNumber: data.own_number,
      content: data.content,
      serviceTime: data.service_time,
      reason: data.quarantine_reason,
    } as ParsedDelivery,
    stopWord: data.stop_word,
    delivery: data.headers === null ? null : { remote: data.remote ?? '', headersJson },
    copies: data.copies,
    further: data.further.map(({ seq: copySeq, received_at }) => ({ seq: copySeq, receivedMs: received_at })),
  }
}

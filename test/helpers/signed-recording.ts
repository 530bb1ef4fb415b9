import { generateKeyPairSync, sign } from 'node:crypto'
import {
  closingLine,
  fingerprintOf,
  hashOfLine,
  recordingFormat,
  recordingVersion,
  signedText,
} from '#electron/jobs/work/recording-format.ts'

const startMs = Date.parse('2026-01-05T09:00:00Z')

/** A time so many milliseconds after the beginning of the span that is recorded. */
export const iso = (ms: number): string => new Date(startMs + ms).toISOString()

/** A report `m-<n>` as a recording holds it, with copies after so many milliseconds. */
export const report = (seq: number, atMs: number, copiesAtMs: number[] = []) => ({
  seq,
  received_at: iso(atMs),
  kind: 'dlr',
  status: 'delivered',
  error_code: null as unknown,
  message_id: `m-${seq}`,
  number: '+14155550123',
  own_number: null,
  content: null,
  service_time: null,
  verdict: 'signed',
  stop_word: false,
  quarantine_reason: null,
  remote: '192.0.2.1',
  headers: [['content-type', 'application/json']],
  body: `{"message_id":"m-${seq}"}`,
  copies: copiesAtMs.length,
  further: copiesAtMs.map((copyMs, index) => ({
    seq: seq + 1 + index,
    received_at: iso(copyMs),
    verdict: 'signed',
    body_sha256: null,
  })),
})

/** A file of these events that another console signed; `header` is put over its first line. */
export function recordingOf(events: Record<string, unknown>[], header: Record<string, unknown> = {}): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const first = JSON.stringify({
    format: recordingFormat,
    version: recordingVersion,
    connection: 'Night shift',
    service: 'https://api.example.com/v1',
    from: iso(0),
    to: iso(600_000),
    made_at: iso(700_000),
    console: 'Switchboard 0.1.0',
    arrived: events.length + 5,
    events: events.length,
    first_seq: events[0]?.['seq'] ?? null,
    last_seq: events.at(-1)?.['seq'] ?? null,
    public_key: der.toString('base64'),
    fingerprint: fingerprintOf(der),
    gaps: [{ from: iso(100_000), to: iso(200_000), proven: true, reason: 'closed' }],
    ...header,
  })
  const lines = [first]
  let chain = hashOfLine(first)
  for (const [index, event] of events.entries()) {
    const line = JSON.stringify({ prev: chain, n: index + 1, ...event })
    lines.push(line)
    chain = hashOfLine(line)
  }
  lines.push(closingLine(chain, events.length, sign(null, signedText(chain, events.length), privateKey)))
  return `${lines.join('\n')}\n`
}

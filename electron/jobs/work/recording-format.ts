import { createHash } from 'node:crypto'

/** Name and version in a recording's first line; `core/live/evidence/README.md` describes the format. */
export const recordingFormat = 'switchboard-recording'
export const recordingVersion = 1

/** Longest line that is read, bytes: a 64 KiB body is at most six times as long in JSON, plus a thousand copies. */
export const longestLineBytes = 4 << 20

/** Copies of one event that are written; how many there were is always told. */
export const copiesMax = 1_000

/** First line of a recording. */
export interface RecordingHeader {
  format: typeof recordingFormat
  version: typeof recordingVersion
  connection: string
  service: string
  from: string
  to: string
  events: number
  /** Events that arrived in the span; those beyond `events` were deleted before the file was written. */
  arrived: number
  first_seq: number | null
  last_seq: number | null
  made_at: string
  console: string
  /** SPKI, DER, base64. */
  public_key: string
  fingerprint: string
  gaps: { from: string; to: string | null; proven: boolean; reason: string }[]
}

/** SHA-256 of a line's bytes without its line feed, as the next line names it. */
export const hashOfLine = (line: string | Uint8Array): string =>
  createHash('sha256').update(line).digest('hex')

const prevStart = Buffer.from('{"prev":"')
/** Where the hash ends that a line begins with. */
export const afterPrev = prevStart.length + 64

/** The hash that a line names as that of the one before it, or null when it names none where every line does. */
export function prevOf(line: Buffer): string | null {
  if (!line.subarray(0, prevStart.length).equals(prevStart) || line[afterPrev] !== 0x22) return null
  const hash = line.toString('latin1', prevStart.length, afterPrev)
  return /^[0-9a-f]{64}$/.test(hash) ? hash : null
}

/** What is signed: the hash of the line before the closing one, and how many events there are. */
export const signedText = (chain: string, events: number): Buffer =>
  Buffer.from(`${recordingFormat}/${recordingVersion} ${chain} ${events}`)

/** The last line. There is one way to write it, so that no byte of it can be another. */
export const closingLine = (chain: string, events: number, signature: Uint8Array): string =>
  JSON.stringify({ prev: chain, end: true, events, signature: Buffer.from(signature).toString('base64') })

/** How a public key (SPKI, DER) is named. */
export const fingerprintOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex')

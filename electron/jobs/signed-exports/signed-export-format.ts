import { createHash } from 'node:crypto'

/** Name and version in the first line; `core/live/signed-exports/README.md` describes the format. */
export const signedExportFormat = 'switchboard-recording'
export const signedExportVersion = 1

/** Longest line, bytes: a 64 KiB body grows at most six times in JSON, plus a thousand duplicates. */
export const longestLineBytes = 4 << 20

/** Duplicates written per event; their count is always written. */
export const copiesMax = 1_000

/** First line of a signed export. */
export interface SignedExportHeader {
  format: typeof signedExportFormat
  version: typeof signedExportVersion
  connection: string
  service: string
  from: string
  to: string
  events: number
  /** Events received in the period; those beyond `events` were deleted before the export. */
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

/** SHA-256 of a line without its line feed. */
export const hashOfLine = (line: string | Uint8Array): string =>
  createHash('sha256').update(line).digest('hex')

const prevStart = Buffer.from('{"prev":"')
/** End of the hash at the start of a line. */
export const afterPrev = prevStart.length + 64

/** The previous line's hash named by this line; null when missing. */
export function prevOf(line: Buffer): string | null {
  if (!line.subarray(0, prevStart.length).equals(prevStart) || line[afterPrev] !== 0x22) return null
  const hash = line.toString('latin1', prevStart.length, afterPrev)
  return /^[0-9a-f]{64}$/.test(hash) ? hash : null
}

/** The signed text: the hash of the last event line, and the number of events. */
export const signedText = (chain: string, events: number): Buffer =>
  Buffer.from(`${signedExportFormat}/${signedExportVersion} ${chain} ${events}`)

/** The last line. Only one spelling is valid, so no byte can change. */
export const closingLine = (chain: string, events: number, signature: Uint8Array): string =>
  JSON.stringify({ prev: chain, end: true, events, signature: Buffer.from(signature).toString('base64') })

/** Fingerprint of a public key (SPKI, DER). */
export const fingerprintOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex')

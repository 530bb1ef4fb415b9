import { createHash } from 'node:crypto'

/** Name and version in the first line; `core/live/signed-exports/README.md` describes the format. */
export const signedExportFormat = 'switchboard-signed-export'
export const signedExportVersion = 1

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
  /** Events received in the period; those that the file lacks were deleted before the export. */
  arrived: number
  made_at: string
  console: string
  /** SPKI, DER, base64. */
  public_key: string
  gaps: { from: string; to: string | null; proven: boolean; reason: string }[]
}

/** The signed text: the SHA-256 (hexadecimal) of everything before the last line, and the number of events. */
export const signedText = (sha256: string, events: number): Buffer =>
  Buffer.from(`${signedExportFormat}/${signedExportVersion} ${sha256} ${events}`)

/** The last line. Only one spelling is valid, so no byte can change. */
export const closingLine = (events: number, signature: Uint8Array): string =>
  JSON.stringify({ end: true, events, signature: Buffer.from(signature).toString('base64') })

/** Fingerprint of a public key (SPKI, DER). */
export const fingerprintOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex')

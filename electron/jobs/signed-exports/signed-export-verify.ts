import { isUtf8 } from 'node:buffer'
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Verdict } from '../../contract/live/signed-exports.ts'
import type { JobControl } from '../run/job-control.ts'
import {
  closingLine,
  fingerprintOf,
  signedExportFormat,
  signedExportVersion,
  signedText,
} from './signed-export-format.ts'

type WithoutSigner<One> = One extends { signedBy: unknown } ? Omit<One, 'signedBy'> : One
type FileVerdict = WithoutSigner<Verdict>

/** Longest first and last line, bytes. The first lists every gap of its period. */
const firstLineBytes = 16 << 20
const lastLineBytes = 256
const pieceBytes = 1 << 20

const beginning = Buffer.from(`{"format":"${signedExportFormat}"`)

/** Verifies a signed export. Any content gives a verdict; rejects only when the file can't be read. */
export async function verifySignedExport(
  { file }: { file: string },
  control: JobControl,
): Promise<FileVerdict> {
  const handle = await open(file)
  try {
    return await verdictOf(handle, control)
  } finally {
    await handle.close()
  }
}

async function verdictOf(handle: FileHandle, control: JobControl): Promise<FileVerdict> {
  const { size } = await handle.stat()
  const start = await bytesOf(handle, 0, Math.min(size, firstLineBytes))
  if (!start.subarray(0, beginning.length).equals(beginning)) return { kind: 'not-an-export' }
  const header = objectOf(start.subarray(0, Math.max(0, start.indexOf(10))))
  if (header && header['version'] !== signedExportVersion) return { kind: 'newer-version' }
  const signer = publicKeyOf(header?.['public_key'])
  const end = (
    await bytesOf(handle, Math.max(0, size - lastLineBytes), Math.min(size, lastLineBytes))
  ).toString('latin1')
  const lastLine = end.slice(end.lastIndexOf('\n', end.length - 2) + 1)
  const closing = objectOf(Buffer.from(lastLine))
  const events = Number(closing?.['events'])
  const signature = Buffer.from(textOf(closing?.['signature']), 'base64')
  if (!header || !signer || lastLine !== `${closingLine(events, signature)}\n`) return { kind: 'changed' }
  const sha256 = await hashOf(handle, size - lastLine.length, control)
  if (!verify(null, signedText(sha256, events), signer.key, signature)) return { kind: 'changed' }
  return {
    kind: 'valid',
    fingerprint: signer.fingerprint,
    head: {
      connection: textOf(header['connection']),
      service: textOf(header['service']),
      from: textOf(header['from']),
      to: textOf(header['to']),
      madeAt: textOf(header['made_at']),
      console: textOf(header['console']),
      events,
      arrived: Number.isSafeInteger(header['arrived']) ? (header['arrived'] as number) : null,
      gaps: Array.isArray(header['gaps']) ? header['gaps'].length : 0,
    },
  }
}

async function bytesOf(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** SHA-256 of the first `length` bytes, hexadecimal. */
async function hashOf(handle: FileHandle, length: number, control: JobControl): Promise<string> {
  const hash = createHash('sha256')
  for (let done = 0; done < length;) {
    const piece = await bytesOf(handle, done, Math.min(pieceBytes, length - done))
    if (piece.length === 0) break
    hash.update(piece)
    done += piece.length
    control.progress(done, length)
    await control.checkpoint()
  }
  return hash.digest('hex')
}

function objectOf(line: Buffer): Record<string, unknown> | null {
  if (!isUtf8(line)) return null
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** An Ed25519 key (SPKI, base64). */
function publicKeyOf(base64: unknown): { key: KeyObject; fingerprint: string } | null {
  const der = Buffer.from(textOf(base64), 'base64')
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? { key, fingerprint: fingerprintOf(der) } : null
  } catch {
    return null
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 500) : '')

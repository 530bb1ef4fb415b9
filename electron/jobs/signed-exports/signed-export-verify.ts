import type { Phrase } from '../../contract/phrases.ts'
import { isUtf8 } from 'node:buffer'
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { JobControl } from '../run/job-control.ts'
import {
  afterPrev,
  closingLine,
  fingerprintOf,
  hashOfLine,
  prevOf,
  signedExportFormat,
  type SignedExportHeader,
  signedExportVersion,
  signedText,
} from './signed-export-format.ts'
import { LineTooLong, linesOf } from './signed-export-lines.ts'

type Verdict =
  | {
      kind: 'valid'
      fingerprint: string
      head: {
        connection: string
        service: string
        from: string
        to: string
        madeAt: string
        console: string
        events: number
        arrived: number | null
        gaps: number
      }
    }
  | { kind: 'changed'; line: number; why: Phrase }
  | { kind: 'cut-off'; lines: number }
  | { kind: 'not-an-export'; why: Phrase }

const beginning = Buffer.from(`{"format":"${signedExportFormat}"`)

function objectOf(line: Buffer): Record<string, unknown> | null {
  if (!isUtf8(line)) return null
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** An Ed25519 key (SPKI, canonical base64). */
function publicKeyOf(base64: unknown): { key: KeyObject; fingerprint: string } | null {
  if (typeof base64 !== 'string') return null
  const der = Buffer.from(base64, 'base64')
  if (der.toString('base64') !== base64) return null
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? { key, fingerprint: fingerprintOf(der) } : null
  } catch {
    return null
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 500) : '')

const changed = (line: number, why: Phrase): Verdict => ({ kind: 'changed', line, why })
const other = (why: Phrase): Verdict => ({ kind: 'not-an-export', why })

/** Verifies a signed export in one pass, line by line. Any content gives a verdict; rejects only when the file can't be read. */
export async function verifySignedExport({ file }: { file: string }, control: JobControl): Promise<Verdict> {
  const chain = createChain()
  try {
    const pieces = linesOf(file, async (doneBytes, totalBytes) => {
      control.progress(doneBytes, totalBytes)
      await control.checkpoint()
    })
    for await (const { line, isComplete } of pieces) {
      const verdict = chain.take(line, isComplete)
      if (verdict) return verdict
    }
  } catch (error) {
    if (error instanceof LineTooLong) return chain.tooLong()
    throw error
  }
  return chain.end()
}

/** Checks line after line. `take` returns a verdict once there is one; `end` gives it after the last line. */
function createChain() {
  let header:
    | (Partial<SignedExportHeader> & { key: KeyObject; fingerprint: string; fields: Record<string, unknown> })
    | null = null
  let number = 0
  let hash = ''
  let events = 0
  let firstSeq: unknown = null
  let lastSeq: unknown = null
  let valid: Verdict | null = null
  /** A line whose hash the next line doesn't name. The line after that shows which one changed. */
  let doubtful: { line: number; hash: string } | null = null

  function takeHeader(line: Buffer, isComplete: boolean): Verdict | null {
    if (!line.subarray(0, beginning.length).equals(beginning)) return other({ key: 'signedExport.otherFile' })
    if (!isComplete) return { kind: 'cut-off', lines: 0 }
    const fields = objectOf(line)
    if (!fields) return changed(1, { key: 'signedExport.notJson' })
    if (fields['version'] !== signedExportVersion) return other({ key: 'signedExport.newer' })
    const signer = publicKeyOf(fields['public_key'])
    if (!signer) return changed(1, { key: 'signedExport.noKey' })
    if (fields['fingerprint'] !== signer.fingerprint) return changed(1, { key: 'signedExport.fingerprint' })
    header = { ...signer, fields }
    return null
  }

  function takeClosing(line: Buffer, prev: string): Verdict | null {
    const { key, fields, fingerprint } = header!
    const closing = objectOf(line)
    const count = closing?.['events']
    const signature = Buffer.from(textOf(closing?.['signature']), 'base64')
    if (typeof count !== 'number' || closingLine(prev, count, signature) !== line.toString('utf8'))
      return changed(number, { key: 'signedExport.closing' })
    if (!verify(null, signedText(prev, count), key, signature))
      return changed(number, { key: 'signedExport.signature' })
    if (prev !== hash) return changed(number - 1, { key: 'signedExport.notSigned' })
    if (count !== events || fields['events'] !== events)
      return changed(number, { key: 'signedExport.count', n: events })
    if (fields['first_seq'] !== firstSeq || fields['last_seq'] !== lastSeq)
      return changed(1, { key: 'signedExport.events' })
    valid = {
      kind: 'valid',
      fingerprint,
      head: {
        connection: textOf(fields['connection']),
        service: textOf(fields['service']),
        from: textOf(fields['from']),
        to: textOf(fields['to']),
        madeAt: textOf(fields['made_at']),
        console: textOf(fields['console']),
        events,
        arrived: Number.isSafeInteger(fields['arrived']) ? (fields['arrived'] as number) : null,
        gaps: Array.isArray(fields['gaps']) ? fields['gaps'].length : 0,
      },
    }
    return null
  }

  function take(line: Buffer, isComplete: boolean): Verdict | null {
    number++
    if (valid) return changed(number, { key: 'signedExport.after' })
    if (number === 1) {
      hash = hashOfLine(line)
      return takeHeader(line, isComplete)
    }
    if (!isComplete)
      return doubtful ? changed(doubtful.line, notNamed) : { kind: 'cut-off', lines: number - 1 }
    const prev = prevOf(line)
    if (doubtful) return changed(prev === doubtful.hash ? doubtful.line : doubtful.line + 1, notNamed)
    if (prev === null) return changed(number, { key: 'signedExport.hash' })
    if (line.toString('latin1', afterPrev, afterPrev + 12) === '","end":true') return takeClosing(line, prev)
    if (prev !== hash) {
      doubtful = { line: number - 1, hash: hashOfLine(line) }
      return null
    }
    const fields = objectOf(line)
    if (!fields || fields['n'] !== events + 1) return changed(number, { key: 'signedExport.next' })
    events++
    firstSeq ??= fields['seq'] ?? null
    lastSeq = fields['seq'] ?? null
    hash = hashOfLine(line)
    return null
  }

  return {
    take,
    tooLong(): Verdict {
      if (number === 0) return other({ key: 'signedExport.firstLong' })
      return doubtful ? changed(doubtful.line, notNamed) : changed(number + 1, { key: 'signedExport.long' })
    },
    end(): Verdict {
      if (number === 0) return other({ key: 'signedExport.empty' })
      if (doubtful) return changed(doubtful.line, notNamed)
      return valid ?? { kind: 'cut-off', lines: number }
    },
  }
}

const notNamed: Phrase = { key: 'signedExport.notNamed' }

import { counted } from '../../lib/counted.ts'
import { isUtf8 } from 'node:buffer'
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { JobControl } from './job-control.ts'
import type { JobOrder, JobResults } from './protocol.ts'
import {
  afterPrev,
  closingLine,
  fingerprintOf,
  hashOfLine,
  prevOf,
  recordingFormat,
  type RecordingHeader,
  recordingVersion,
  signedText,
} from './recording-format.ts'
import { LineTooLong, linesOf } from './recording-lines.ts'

type Verdict = JobResults['recording-verify']

const beginning = Buffer.from(`{"format":"${recordingFormat}"`)

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

/** An Ed25519 key of SPKI in base64, written in the one way there is. */
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

const changed = (line: number, why: string): Verdict => ({ kind: 'changed', line, why })
const other = (why: string): Verdict => ({ kind: 'not-a-recording', why })

/**
 * Reads a file through once, a line at a time, and says whether it is a recording that nobody changed. Whatever the file holds, the
 * answer is a verdict; only a file that cannot be read rejects.
 */
export async function verifyRecording(
  order: Extract<JobOrder, { job: 'recording-verify' }>,
  control: JobControl,
): Promise<Verdict> {
  const chain = createChain()
  try {
    const pieces = linesOf(order.file, async (doneBytes, totalBytes) => {
      control.progress(doneBytes, totalBytes)
      await control.checkpoint()
    })
    for await (const { line, isWhole } of pieces) {
      const verdict = chain.take(line, isWhole)
      if (verdict) return verdict
    }
  } catch (error) {
    if (error instanceof LineTooLong) return chain.tooLong()
    throw error
  }
  return chain.end()
}

/** The lines of a recording one after another. `take` answers once the verdict is clear; `end` when there are no more. */
function createChain() {
  let header:
    | (Partial<RecordingHeader> & { key: KeyObject; fingerprint: string; fields: Record<string, unknown> })
    | null = null
  let number = 0
  let hash = ''
  let events = 0
  let firstSeq: unknown = null
  let lastSeq: unknown = null
  let whole: Verdict | null = null
  /** A line whose hash the next one does not name: which of the two was changed shows by the one after. */
  let doubtful: { line: number; hash: string } | null = null

  function takeHeader(line: Buffer, isWhole: boolean): Verdict | null {
    if (!line.subarray(0, beginning.length).equals(beginning))
      return other('It does not begin as a recording does.')
    if (!isWhole) return { kind: 'cut-off', lines: 0 }
    const fields = objectOf(line)
    if (!fields) return changed(1, 'The first line is not JSON.')
    if (fields['version'] !== recordingVersion)
      return other('It is of a version that this console does not know.')
    const signer = publicKeyOf(fields['public_key'])
    if (!signer) return changed(1, 'The first line holds no key that could be read.')
    if (fields['fingerprint'] !== signer.fingerprint)
      return changed(1, 'The fingerprint is not that of the key.')
    header = { ...signer, fields }
    return null
  }

  function takeClosing(line: Buffer, prev: string): Verdict | null {
    const { key, fields, fingerprint } = header!
    const closing = objectOf(line)
    const count = closing?.['events']
    const signature = Buffer.from(textOf(closing?.['signature']), 'base64')
    if (typeof count !== 'number' || closingLine(prev, count, signature) !== line.toString('utf8'))
      return changed(number, 'The closing line is not written as this format does.')
    if (!verify(null, signedText(prev, count), key, signature))
      return changed(number, 'The signature does not fit the key that the first line names.')
    if (prev !== hash) return changed(number - 1, 'The line is not the one that was signed.')
    if (count !== events || fields['events'] !== events)
      return changed(number, `It holds ${counted(events, 'event')}, which is not what the file says.`)
    if (fields['first_seq'] !== firstSeq || fields['last_seq'] !== lastSeq)
      return changed(1, 'The events are not those that the first line names.')
    whole = {
      kind: 'whole',
      fingerprint,
      chain: prev,
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

  function take(line: Buffer, isWhole: boolean): Verdict | null {
    number++
    if (whole) return changed(number, 'Something stands after the closing line.')
    if (number === 1) {
      hash = hashOfLine(line)
      return takeHeader(line, isWhole)
    }
    if (!isWhole) return doubtful ? changed(doubtful.line, notNamed) : { kind: 'cut-off', lines: number - 1 }
    const prev = prevOf(line)
    if (doubtful) return changed(prev === doubtful.hash ? doubtful.line : doubtful.line + 1, notNamed)
    if (prev === null) return changed(number, 'The line does not begin with the hash of the one before it.')
    if (line.toString('latin1', afterPrev, afterPrev + 12) === '","end":true') return takeClosing(line, prev)
    if (prev !== hash) {
      doubtful = { line: number - 1, hash: hashOfLine(line) }
      return null
    }
    const fields = objectOf(line)
    if (!fields || fields['n'] !== events + 1)
      return changed(number, 'The line is no event, or not the next one.')
    events++
    firstSeq ??= fields['seq'] ?? null
    lastSeq = fields['seq'] ?? null
    hash = hashOfLine(line)
    return null
  }

  return {
    take,
    tooLong(): Verdict {
      if (number === 0) return other('Its first line is longer than any of a recording.')
      return doubtful
        ? changed(doubtful.line, notNamed)
        : changed(number + 1, 'The line is longer than any of a recording.')
    },
    end(): Verdict {
      if (number === 0) return other('It is empty.')
      if (doubtful) return changed(doubtful.line, notNamed)
      return whole ?? { kind: 'cut-off', lines: number }
    },
  }
}

const notNamed =
  'The next line does not follow it: this line was changed (its line end counts), or lines between the two are missing.'

import type { Phrase } from '../../../contract/phrases.ts'
import { parseExactJson } from '../../../lib/exact-json.ts'
import type { ServiceAnswer } from './direct-fetch.ts'
import {
  badAnswer,
  type CallName,
  type Failure,
  networkFailure,
  notTheService,
  tooLarge,
} from './http-errors.ts'

/** Largest response, after decompression. A page of 100 records is under 200 KiB. */
const maxAnswerMiB = 8
const maxAnswerBytes = maxAnswerMiB * 1024 * 1024

/** A response body. */
export type Body =
  | { kind: 'json'; value: unknown }
  | { kind: 'empty' }
  | { kind: 'page' }
  | { kind: 'text'; text: string; fault: 'answer.notUtf8' | 'answer.notJson' }

/** Strict: a replacement character would silently change a name or number. Skips a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Stops at the limit, also for compressed responses. */
async function readBytes(response: ServiceAnswer): Promise<Uint8Array | 'too large'> {
  const promisedBytes = Number(response.headers.get('content-length'))
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength
    // Leaving the loop also ends the response.
    if (Math.max(sizeBytes, promisedBytes) > maxAnswerBytes) return 'too large'
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function bodyOf(bytes: Uint8Array, contentType: string): Body {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { kind: 'text', text: '', fault: 'answer.notUtf8' }
  }
  if (text.trim() === '') return { kind: 'empty' }
  try {
    return { kind: 'json', value: parseExactJson(text) }
  } catch {
    if (/html|xml/i.test(contentType) || /^\s*</.test(text)) return { kind: 'page' }
    return { kind: 'text', text, fault: 'answer.notJson' }
  }
}

/**
 * Reads a body of any status. The content type isn't trusted. ANSWER_TOO_LARGE, SERVICE_UNREACHABLE for a broken
 * connection, BAD_ANSWER for broken compression.
 */
export async function readBody(
  name: CallName,
  response: ServiceAnswer,
  secrets: readonly string[],
): Promise<{ body: Body } | { failure: Failure }> {
  try {
    const bytes = await readBytes(response)
    if (bytes === 'too large') return { failure: tooLarge(name, response.status, maxAnswerMiB) }
    return { body: bodyOf(bytes, response.headers.get('content-type') ?? '') }
  } catch (thrown) {
    return { failure: networkFailure(name, thrown, secrets) }
  }
}

/** Value of a 2xx body. With `needed` false, empty and plain text become null. A page is always a failure. */
export function valueOf(
  name: CallName,
  status: number,
  body: Body,
  needed: boolean,
): { value: unknown } | { failure: Failure } {
  if (body.kind === 'json') return { value: body.value }
  if (body.kind === 'page') return { failure: notTheService(name, status, { key: 'answer.page' }) }
  if (!needed) return { value: null }
  const detail: Phrase = { key: body.kind === 'empty' ? 'answer.empty' : body.fault }
  return { failure: badAnswer(name, status, detail) }
}

import { isUtf8 } from 'node:buffer'
import type { Acted, AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import {
  actedOver,
  type CallName,
  cleanText,
  errorTextOf,
  type Failure,
  networkFailure,
  statusFailure,
  timedOut,
  badAnswer,
  notTheService,
  tooLarge,
} from './http-errors.ts'
import type { Exchange, RateReading } from '../rate-limit/rate-headers.ts'
import type { ServiceAnswer } from './direct-fetch.ts'
import type { ServiceFetch } from './service-fetch.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { parseExactJson } from '../../../lib/exact-json.ts'

/** Largest response, after decompression. A page of 100 records is under 200 KiB. */
const maxAnswerMiB = 8
const maxAnswerBytes = maxAnswerMiB * 1024 * 1024

type Body =
  | { kind: 'json'; value: unknown }
  | { kind: 'empty' }
  | { kind: 'page' }
  | { kind: 'text'; text: string; fault: 'answer.notUtf8' | 'answer.notJson' }

/** One broken byte must not cost a page. The replacement character makes a number or ID unreadable. Skips a byte order mark. */
const utf8 = new TextDecoder('utf-8')
/** In JSON: NUL, at which SQLite's text functions stop, and half of a character. */
const brokenText = /\\u(?:0000|d[89a-f])/i

/** Replaces broken characters in all texts. */
function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd')
  if (Array.isArray(value)) return value.map(mended)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map((entry) => entry.map(mended)))
}

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
  const text = utf8.decode(bytes)
  if (text.trim() === '') return { kind: 'empty' }
  try {
    const value = parseExactJson(text)
    return { kind: 'json', value: brokenText.test(text) || text.includes('\0') ? mended(value) : value }
  } catch {
    if (/html|xml/i.test(contentType) || /^\s*</.test(text)) return { kind: 'page' }
    return isUtf8(bytes)
      ? { kind: 'text', text, fault: 'answer.notJson' }
      : { kind: 'text', text: '', fault: 'answer.notUtf8' }
  }
}

/**
 * Reads a body of any status. The content type isn't trusted. ANSWER_TOO_LARGE, SERVICE_UNREACHABLE for a broken
 * connection, BAD_ANSWER for broken compression.
 */
async function readBody(
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
function valueOf(
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

/** Deadline for status and headers. The spec gives no response time; clicks must not hang longer. */
const headersTimeoutMs = 10_000
/** Deadline for the whole body. */
export const totalTimeoutMs = 30_000

/** Observes every request, to tell whether the service is reachable. */
export interface ServiceObserver {
  /** Any response that isn't 5xx. */
  answered(): void
  /** A 5xx response. */
  serverFailed(error: AppError): void
  /** No answer: SERVICE_UNREACHABLE, SERVICE_TIMEOUT or SERVICE_TLS. */
  failed(error: AppError): void
}

export interface Outgoing {
  name: CallName
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** JSON; absent for none. */
  body?: string
  /** False when only the status matters. */
  needsBody: boolean
  /** Removed from the service's text before it is shown. */
  secrets: string[]
}

/** Result of a request. `reading` is set once headers arrived. */
export type Ending =
  | { kind: 'ok'; status: number; value: unknown; reading: RateReading }
  | { kind: 'failed'; failure: Failure; reading: RateReading | null }
  | { kind: 'aborted'; reason: unknown; acted: Acted }

/**
 * The only function that uses the network. It follows no redirects, which could leak the credential, and keeps no
 * cookies. Each response is read or cancelled, so no socket stays open.
 */
export function createExchange(options: {
  clock: Clock
  fetch: ServiceFetch['fetch']
  readRate: (headers: ServiceAnswer['headers'], exchange: Exchange) => RateReading
  observe?: ServiceObserver
}): (outgoing: Outgoing, signal?: AbortSignal) => Promise<Ending> {
  const { clock, fetch, readRate, observe } = options
  let answeredAtMs = -Infinity

  return async (outgoing, signal) => {
    const { name } = outgoing
    if (signal?.aborted) return { kind: 'aborted', reason: signal.reason, acted: 'no' }
    const controller = new AbortController()
    let late: 'headers' | 'body' | null = null
    const expire = (phase: 'headers' | 'body') => () => {
      late = phase
      controller.abort()
    }
    const onAbort = () => controller.abort()
    signal?.addEventListener('abort', onAbort, { once: true })
    let cancelHeaders = clock.after(headersTimeoutMs, expire('headers'))
    const cancelTotal = clock.after(totalTimeoutMs, expire('body'))
    const sentAtMs = clock.monotonic()
    let reading: RateReading | null = null
    let isOpen = false
    const failed = (failure: Failure): Ending => {
      if (!late && signal?.aborted)
        return { kind: 'aborted', reason: signal.reason, acted: actedOver(isOpen) }
      const seen = late === null ? failure : timedOut(name, late, isOpen)
      // One slow call doesn't count if the service answered another since.
      const isStale = late !== null && answeredAtMs > sentAtMs
      if (!reading && !isStale) observe?.failed(seen.error)
      return { kind: 'failed', failure: seen, reading }
    }

    try {
      const response = await fetch(outgoing.url, {
        method: outgoing.method,
        headers: outgoing.headers,
        signal: controller.signal,
        onOpen: () => (isOpen = true),
        ...(outgoing.body === undefined ? {} : { body: outgoing.body }),
      })
      cancelHeaders()
      cancelHeaders = () => {}
      reading = readRate(response.headers, {
        sentAtMs,
        answeredAtMs: clock.monotonic(),
        answeredAtWallMs: clock.now(),
      })
      answeredAtMs = clock.monotonic()
      const { status } = response
      if (status < 500) observe?.answered()
      const read = await readBody(name, response, outgoing.secrets)
      if (status < 200 || status >= 300) {
        const failure = refusalOf(outgoing, response, 'body' in read ? read.body : null, reading)
        if (status >= 500) observe?.serverFailed(failure.error)
        return { kind: 'failed', failure, reading }
      }
      if ('failure' in read) return failed(read.failure)
      // A body without a length ends with its connection, which looks complete.
      if (controller.signal.aborted) return failed(timedOut(name, 'body', true))
      const result = valueOf(name, status, read.body, outgoing.needsBody)
      if ('failure' in result) return failed(result.failure)
      return { kind: 'ok', status, value: result.value, reading }
    } catch (thrown) {
      return failed(networkFailure(name, thrown, outgoing.secrets, isOpen))
    } finally {
      cancelHeaders()
      cancelTotal()
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

/** What a response outside 2xx says. Only its status counts: an unreadable body only costs the service's text. */
function refusalOf(
  { name, secrets }: Outgoing,
  { status, headers }: ServiceAnswer,
  body: Body | null,
  { retryAfterMs }: RateReading,
): Failure {
  const text = body?.kind === 'json' ? errorTextOf(body.value) : body?.kind === 'text' ? body.text : ''
  // The query of a redirect's target may contain input.
  const location = headers.get('location')?.split(/[?#]/)[0] ?? ''
  return statusFailure(name, {
    status,
    serviceText: cleanText(text, secrets),
    isPage: body?.kind === 'page',
    location: cleanText(location, secrets),
    retryAfterMs,
  })
}

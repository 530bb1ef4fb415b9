import { AppError, type ErrorData } from '../../../contract/errors.ts'
import type { Phrase, PhraseKey, Said } from '../../../contract/phrases.ts'
import { ProxyFailure } from './service-fetch.ts'

/** The call an error is about. */
export interface CallName {
  host: string
  /** Method and path, e.g. `GET /campaigns/{id}`: never an id, number or query. */
  call: string
}

/**
 * How a request failed. `notSent`: nothing left, so the service did not act. `interrupted`: it may have arrived.
 * `status`: not 2xx. `badAnswer`: 2xx, but unusable.
 */
export interface Failure {
  kind: 'notSent' | 'interrupted' | 'status' | 'badAnswer'
  error: AppError
  /** Null without a response. */
  status: number | null
  /** True for an HTML page: a proxy, a portal or a wrong Base URL. */
  isPage: boolean
  /** From Retry-After, milliseconds. */
  retryAfterMs: number | null
}

const maxTextLength = 300
// eslint-disable-next-line no-control-regex -- control characters are exactly what must go
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
const tokenLike = /(Bearer\s+)\S+|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g

/** The service's text for display: one line, at most 300 characters, without secrets. */
export function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, '[secret]')
  clean = clean
    .replace(tokenLike, (_match, bearer: string | undefined) => `${bearer ?? ''}[secret]`)
    .replace(controlCharacters, ' ')
    .trim()
  return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength - 1)}…` : clean
}

/** Message of an error body: `{ error }` (spec, "Errors"), `{ message }` or `{ error: { message } }`. */
export function errorTextOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return ''
  const { error, message } = body as { error?: unknown; message?: unknown }
  if (typeof error === 'string' && error) return error
  if (typeof error === 'object' && error !== null) return errorTextOf(error)
  return typeof message === 'string' ? message : ''
}

const failure = (kind: Failure['kind'], error: AppError, rest: Partial<Failure> = {}): Failure => ({
  kind,
  error,
  status: null,
  isPage: false,
  retryAfterMs: null,
  ...rest,
})

/**
 * A response outside 2xx; `serviceText` is already clean. 3xx: SERVICE_REDIRECTED. 401: SESSION_EXPIRED, after the
 * credentials handled it. 403: FORBIDDEN. 404: SERVICE_NOT_FOUND. 401, 404 or 405 with a page: NOT_THE_SERVICE. 408
 * and 5xx: SERVICE_FAILED. 429: RATE_LIMITED. Other 4xx: SERVICE_REJECTED. Else BAD_ANSWER.
 */
export function statusFailure(
  name: CallName,
  answer: {
    status: number
    serviceText: string
    isPage: boolean
    location: string
    retryAfterMs: number | null
  },
): Failure {
  const { status, serviceText, isPage, retryAfterMs } = answer
  const statusOnly: Phrase = { key: 'answer.status', status: String(status) }
  const data: ErrorData = {
    ...name,
    status,
    serviceText: serviceText || statusOnly,
    ...(isPage ? { isPage } : {}),
  }
  const error = (): AppError => {
    if (status >= 300 && status < 400)
      return new AppError('SERVICE_REDIRECTED', {
        ...data,
        location: answer.location || { key: 'answer.noAddress' },
      })
    if ([401, 404, 405].includes(status) && isPage)
      return new AppError('NOT_THE_SERVICE', {
        ...data,
        received: { key: 'answer.pageStatus', status: String(status) },
      })
    if (status === 401) return new AppError('SESSION_EXPIRED', data)
    if (status === 403) return new AppError('FORBIDDEN', data)
    if (status === 404) return new AppError('SERVICE_NOT_FOUND', data)
    if (status === 429) return rateLimited(name, retryAfterMs ?? 0, data)
    if (status === 408 || (status >= 500 && status < 600))
      return new AppError('SERVICE_FAILED', {
        ...data,
        serviceText,
        answer: serviceText
          ? { key: 'answer.statusText', status: String(status), text: serviceText }
          : statusOnly,
      })
    if (status >= 400 && status < 500) return new AppError('SERVICE_REJECTED', data)
    return new AppError('BAD_ANSWER', { ...data, detail: statusOnly })
  }
  return failure('status', error(), { status, isPage, retryAfterMs })
}

/** `retryAfterMs` is rounded up to seconds for the text. */
export function rateLimited(name: CallName, retryAfterMs: number, data: ErrorData = {}): AppError {
  return new AppError(
    'RATE_LIMITED',
    { ...data, ...name, retryInSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) },
    { retryAfterMs },
  )
}

/** An unusable 2xx response. `detail` quotes no values. */
export function badAnswer(name: CallName, status: number, detail: Said): Failure {
  return failure('badAnswer', new AppError('BAD_ANSWER', { ...name, status, detail }), { status })
}

/** A 2xx response with a page. */
export function notTheService(name: CallName, status: number, received: Phrase): Failure {
  return failure('badAnswer', new AppError('NOT_THE_SERVICE', { ...name, status, received }), {
    status,
    isPage: true,
  })
}

/** A response above the size limit. */
export function tooLarge(name: CallName, status: number, limitMiB: number): Failure {
  return failure('badAnswer', new AppError('ANSWER_TOO_LARGE', { ...name, status, limitMiB }), { status })
}

/** No connection before the deadline. */
export function connectTimedOut(name: CallName): Failure {
  return failure(
    'notSent',
    new AppError('SERVICE_UNREACHABLE', { ...name, detail: { key: 'network.timedOut' } }),
  )
}

/** A missed deadline on an open connection; the request may have arrived. */
export function timedOut(name: CallName, phase: 'headers' | 'body'): Failure {
  return failure('interrupted', new AppError('SERVICE_TIMEOUT', { ...name, phase }))
}

interface Cause {
  name: string
  code: string
  message: string
}

/**
 * Innermost causes of a `fetch` error, which wraps them in a TypeError and, for several addresses, an AggregateError.
 */
function causesOf(thrown: unknown, depth = 0): Cause[] {
  if (!(thrown instanceof Error) || depth > 5) return []
  const inner = [
    ...(thrown instanceof AggregateError ? (thrown.errors as unknown[]) : []),
    ...(thrown.cause === undefined ? [] : [thrown.cause]),
  ].flatMap((error) => causesOf(error, depth + 1))
  if (inner.length > 0) return inner
  const { code = '' } = thrown as { code?: unknown }
  return [{ name: thrown.name, code: String(code), message: thrown.message }]
}

/** Node's codes for a rejected certificate; the same with OpenSSL and BoringSSL. */
const certificateCodes = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_CHAIN_TOO_LONG',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNSPECIFIED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
])
/** Prefixes of TLS alerts: BoringSSL's `TLSV1_ALERT_…` is `TLSV1_…` or `SSL/TLS_ALERT_…` in OpenSSL. */
const alert = String.raw`(?:SSLV3|SSL/TLS|TLSV1|TLSV13)_(?:ALERT_)?`
/**
 * Handshake failures before any request byte, as Node names them after OpenSSL (measured with Node 24) and Electron
 * after BoringSSL (`ssl.errordata`).
 */
const handshakeCodes = new RegExp(
  `^ERR_SSL_(?:${[
    'WRONG_VERSION_NUMBER',
    'WRONG_SSL_VERSION',
    'UNKNOWN_SSL_VERSION',
    'UNKNOWN_PROTOCOL',
    'UNSUPPORTED_PROTOCOL',
    'NO_PROTOCOLS_AVAILABLE',
    'NO_SUPPORTED_VERSIONS_ENABLED',
    'PACKET_LENGTH_TOO_LONG',
    'HANDSHAKE_FAILURE_ON_CLIENT_HELLO',
    'CERTIFICATE_VERIFY_FAILED',
    'NO_COMMON_SIGNATURE_ALGORITHMS',
    'NO_SHARED_CIPHER',
    '(?:WRONG|UNKNOWN)_CIPHER_RETURNED',
    'WRONG_CURVE',
    'DH_KEY_TOO_SMALL',
    'BAD_DH_P_LENGTH',
    'EE_KEY_TOO_SMALL',
    'UNSAFE_LEGACY_RENEGOTIATION_DISABLED',
    `${alert}(?:${[
      'PROTOCOL_VERSION',
      'HANDSHAKE_FAILURE',
      'INSUFFICIENT_SECURITY',
      'INAPPROPRIATE_FALLBACK',
      'NO_APPLICATION_PROTOCOL',
      'MISSING_EXTENSION',
      'UNSUPPORTED_EXTENSION',
      'UNRECOGNIZED_NAME',
      'INTERNAL_ERROR',
    ].join('|')})`,
  ].join('|')})$`,
)
/** The service rejects or demands a client certificate. In TLS 1.3 this can follow the request. */
const clientCertificateCodes = new RegExp(
  `^ERR_SSL_${alert}(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\\w+|UNKNOWN_CA|ACCESS_DENIED)$`,
)
/** Undici's errors for bytes that aren't HTTP; they also trigger some of its assertions (measured with Node 24). */
const notHttpNames = new Set(['HTTPParserError', 'AssertionError'])
/** Parser errors and invalid compression. */
const notHttpCodes = /^HPE_|^UND_ERR_HEADERS_OVERFLOW$|^Z_|^ERR_(__)?ZLIB/

/**
 * Code of a TLS error. During a write it is `EPROTO` with the library's line in the message: `error:0A00010B:SSL
 * routines:…:wrong version number:…`, `error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER:…`.
 */
function tlsCodeOf({ code, message }: Cause): string {
  if (code !== 'EPROTO') return code
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]
  return reason === undefined ? code : `ERR_SSL_${reason.trim().replaceAll(' ', '_').toUpperCase()}`
}

function isTls(cause: Cause): boolean {
  const code = tlsCodeOf(cause)
  return certificateCodes.has(code) || handshakeCodes.test(code) || clientCertificateCodes.test(code)
}

const words: Record<string, PhraseKey> = {
  ECONNREFUSED: 'network.refused',
  ENOTFOUND: 'network.unknownHost',
  EAI_AGAIN: 'network.lookup',
  ECONNRESET: 'network.reset',
  EPIPE: 'network.closed',
  UND_ERR_SOCKET: 'network.closedEarly',
  UND_ERR_CONNECT_TIMEOUT: 'network.timedOut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'network.cutOff',
  ENETUNREACH: 'network.none',
  EHOSTUNREACH: 'network.noRoute',
  ENETDOWN: 'network.down',
  ETIMEDOUT: 'network.timedOut',
}

/**
 * An error of `fetch` or of reading a body. `isOpen`: the connection was open, so the request may have arrived.
 * `thrown` stays in the process as the cause.
 */
export function networkFailure(
  name: CallName,
  thrown: unknown,
  secrets: readonly string[],
  isOpen = true,
): Failure {
  if (thrown instanceof ProxyFailure) return failure('notSent', proxyError(name, thrown))
  const causes = causesOf(thrown)
  const first = causes[0] ?? { name: '', code: '', message: '' }
  if (notHttpNames.has(first.name) || notHttpCodes.test(first.code))
    return failure(
      'badAnswer',
      new AppError('BAD_ANSWER', { ...name, detail: { key: 'answer.notHttp' } }, { cause: thrown }),
    )
  const key = words[first.code] ?? (first.code || first.message ? null : 'network.noReason')
  const detail = key ? { key } : cleanText(first.code || first.message, secrets)
  const code = causes.some(isTls) ? 'SERVICE_TLS' : 'SERVICE_UNREACHABLE'
  return failure(
    isOpen ? 'interrupted' : 'notSent',
    new AppError(code, { ...name, detail }, { cause: thrown }),
  )
}

/** Why `fetch` failed, without parts of the address; null when unknown. */
export function whyUnreachable(thrown: unknown): Phrase | null {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return { key: 'network.noAnswer' }
  const causes = causesOf(thrown)
  const tls = causes.find(isTls)
  if (tls) return { key: 'network.tls', code: tlsCodeOf(tls) }
  const codes = new Set(causes.map(({ code }) => code))
  if (codes.has('ENOTFOUND') || codes.has('EAI_AGAIN')) return { key: 'network.unknownHost' }
  return codes.has('ECONNREFUSED') ? { key: 'network.refused' } : null
}

function proxyError(name: CallName, thrown: ProxyFailure): AppError {
  const { proxy, status } = thrown
  const code = status === null ? 'PROXY_UNREACHABLE' : status === 407 ? 'PROXY_SIGN_IN' : 'PROXY_REFUSED'
  return new AppError(code, { ...name, proxy, ...(status === null ? {} : { status }) }, { cause: thrown })
}

/** A POST that may have been done. Keeps the failure's code as `reason`, the status and the service's text. */
export function outcomeUnknown(name: CallName, { error }: { error: AppError }): AppError {
  const { status = null, serviceText = '', detail = '' } = error.data
  return new AppError(
    'OUTCOME_UNKNOWN',
    { ...name, reason: error.code, status, serviceText, detail },
    { cause: error },
  )
}

import { type Acted, AppError, type ErrorCode, type ErrorData } from '../../../contract/errors.ts'
import type { Phrase, PhraseKey, Said } from '../../../contract/phrases.ts'
import { ProxyFailure } from './service-fetch.ts'

export interface CallName {
  host: string
  /** Method and path, e.g. `GET /campaigns/{id}`: never an id, number or query. */
  call: string
}

/** How a request failed. Only here is it decided whether the service may have acted. */
export interface Failure {
  error: AppError
  /** Null without a response. */
  status: number | null
  /** Another try may succeed. */
  isTransient: boolean
  /** True for an HTML page: a proxy, a portal or a wrong Base URL. */
  isPage: boolean
  /** From Retry-After, milliseconds. */
  retryAfterMs: number | null
}

const maxTextLength = 300
const maxFields = 5
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

/**
 * Message of an error body: `{ error }` (spec, "Errors"), or what other services send: `{ message }`, `{ detail }`, `{ msg }` or
 * `{ title }`, also within these or the first of a list. Of `{ errors }` by field, the first fields with their names.
 */
export function errorTextOf(body: unknown): string {
  const { error, errors, message, detail, msg, title } = Object(body) as Record<string, unknown>
  const firstOf = (...all: unknown[]) => all.find((said) => typeof said === 'string' && said !== '')
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return within(value[0])
    return typeof value === 'object' ? errorTextOf(value) : value
  }
  const perField = (value: unknown): string =>
    Object.entries(Object(value) as Record<string, unknown>)
      .slice(0, maxFields)
      .flatMap(([name, value]) => {
        const said = within(value)
        return typeof said === 'string' && said !== '' ? `${name}: ${said}` : []
      })
      .join('; ')
  const said = [error, message, detail, msg]
  const found = firstOf(...said, ...said.map(within), within(errors))
  const byField = found === undefined && !Array.isArray(errors) && perField(errors)
  return (firstOf(found, byField, title) ?? '') as string
}

const failure = (error: AppError, rest: Partial<Failure> = {}): Failure => ({
  error,
  status: null,
  isTransient: false,
  isPage: false,
  retryAfterMs: null,
  ...rest,
})

/**
 * 408 and 5xx leave open what was done. 303, or 302 within the service, may point to a POST's result. Any other 3xx or
 * 4xx is a refusal.
 */
function actedAt(status: number, host: string, location: string): Acted {
  const isResult = status === 303 || (status === 302 && URL.parse(location, `http://${host}`)?.host === host)
  return isResult || status === 408 || status < 300 || status >= 500 ? 'maybe' : 'no'
}

/** Nothing leaves before the connection is open. */
export const actedOver = (isOpen: boolean): Acted => (isOpen ? 'maybe' : 'no')

/**
 * A response outside 2xx; `serviceText` is already clean. 3xx: SERVICE_REDIRECTED. 401: SESSION_EXPIRED, after the
 * credentials handled it. 403: FORBIDDEN. 404, 410: SERVICE_NOT_FOUND. 401, 404 or 405 with a page: NOT_THE_SERVICE. 408
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
  const acted = actedAt(status, name.host, answer.location)
  const isFailed = status === 408 || (status >= 500 && status < 600)
  const statusOnly: Phrase = { key: 'answer.status', status: String(status) }
  const data: ErrorData = {
    ...name,
    status,
    serviceText: serviceText || statusOnly,
    ...(isPage ? { isPage } : {}),
  }
  const [code, rest] = ((): [ErrorCode, ErrorData?] => {
    if (status >= 300 && status < 400)
      return ['SERVICE_REDIRECTED', { location: answer.location || { key: 'answer.noAddress' } }]
    if ([401, 404, 405].includes(status) && isPage)
      return ['NOT_THE_SERVICE', { received: { key: 'answer.pageStatus', status: String(status) } }]
    if (status === 401) return ['SESSION_EXPIRED']
    if (status === 403) return ['FORBIDDEN']
    if (status === 404 || status === 410) return ['SERVICE_NOT_FOUND']
    if (status === 429) return ['RATE_LIMITED', retryIn(retryAfterMs ?? 0)]
    if (isFailed)
      return [
        'SERVICE_FAILED',
        {
          serviceText,
          answer: {
            key: serviceText ? 'answer.callStatusText' : 'answer.callStatus',
            call: name.call,
            status: String(status),
            text: serviceText,
          },
        },
      ]
    if (status >= 400 && status < 500) return ['SERVICE_REJECTED']
    return ['BAD_ANSWER', { detail: statusOnly }]
  })()
  return failure(new AppError(code, { ...data, ...rest }, { acted }), {
    status,
    isTransient: isFailed && status !== 501,
    isPage,
    retryAfterMs,
  })
}

/** Rounded up to seconds for the text. */
const retryIn = (retryAfterMs: number): ErrorData => ({
  retryInSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
})

export const rateLimited = (name: CallName, retryAfterMs: number, data: ErrorData): AppError =>
  new AppError('RATE_LIMITED', { ...data, ...name, ...retryIn(retryAfterMs) })

/** A 2xx response that doesn't say what was done. */
const unusable = (code: ErrorCode, data: ErrorData, status: number): Failure =>
  failure(new AppError(code, { ...data, status }, { acted: 'maybe' }), { status })

/** An unusable 2xx response. `detail` quotes no values. */
export const badAnswer = (name: CallName, status: number, detail: Said): Failure =>
  unusable('BAD_ANSWER', { ...name, detail }, status)

export const notTheService = (name: CallName, status: number, received: Phrase): Failure => ({
  ...unusable('NOT_THE_SERVICE', { ...name, received }, status),
  isPage: true,
})

export const tooLarge = (name: CallName, status: number, limitMiB: number): Failure =>
  unusable('ANSWER_TOO_LARGE', { ...name, limitMiB }, status)

export function timedOut(name: CallName, phase: 'headers' | 'body', isOpen: boolean): Failure {
  const error = isOpen
    ? new AppError('SERVICE_TIMEOUT', { ...name, phase }, { acted: 'maybe' })
    : new AppError('SERVICE_UNREACHABLE', { ...name, detail: { key: 'network.timedOut' } })
  return failure(error, { isTransient: true })
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
])
/** The answer to a handshake was plain text. */
const plainHttpCodes = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_HTTP_REQUEST'])
/** Errors of the TLS library, of Node (OpenSSL) and Electron (BoringSSL). */
const tlsCodes = /^ERR_(?:SSL|TLS)_/
/** The service rejects or demands a client certificate. In TLS 1.3 this can follow the request. */
const clientCertificateCodes =
  /^ERR_SSL_(?:SSLV3|SSL\/TLS|TLSV1|TLSV13)_(?:ALERT_)?(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED)$/
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

/** Before the connection is open, any error of the library is one of the handshake. */
function isTls(cause: Cause, isOpen: boolean): boolean {
  const code = tlsCodeOf(cause)
  return isOpen ? clientCertificateCodes.test(code) : certificateCodes.has(code) || tlsCodes.test(code)
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
  const options = { cause: thrown, acted: actedOver(isOpen) }
  if (thrown instanceof ProxyFailure) return proxyFailure(name, thrown, options)
  const causes = causesOf(thrown)
  const first = causes[0] ?? { name: '', code: '', message: '' }
  if (notHttpNames.has(first.name) || notHttpCodes.test(first.code))
    return failure(new AppError('BAD_ANSWER', { ...name, detail: { key: 'answer.notHttp' } }, options))
  if (!isOpen && causes.some((cause) => plainHttpCodes.has(tlsCodeOf(cause))))
    return failure(
      new AppError('SERVICE_UNREACHABLE', { ...name, detail: { key: 'network.noHttps' } }, options),
    )
  const key = words[first.code] ?? (first.code || first.message ? null : 'network.noReason')
  const detail = key ? { key } : cleanText(first.code || first.message, secrets)
  const code = causes.some((cause) => isTls(cause, isOpen)) ? 'SERVICE_TLS' : 'SERVICE_UNREACHABLE'
  return failure(new AppError(code, { ...name, detail }, options), { isTransient: code !== 'SERVICE_TLS' })
}

/** Why `fetch` failed, without parts of the address; null when unknown. */
export function whyUnreachable(thrown: unknown): Phrase | null {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return { key: 'network.noAnswer' }
  const causes = causesOf(thrown)
  const tls = causes.find((cause) => isTls(cause, false))
  if (tls) return { key: 'network.tls', code: tlsCodeOf(tls) }
  const codes = new Set(causes.map(({ code }) => code))
  if (codes.has('ENOTFOUND') || codes.has('EAI_AGAIN')) return { key: 'network.unknownHost' }
  return codes.has('ECONNREFUSED') ? { key: 'network.refused' } : null
}

function proxyFailure(
  name: CallName,
  { proxy, status }: ProxyFailure,
  options: { cause: unknown; acted: Acted },
): Failure {
  const code = status === null ? 'PROXY_UNREACHABLE' : status === 407 ? 'PROXY_SIGN_IN' : 'PROXY_REFUSED'
  const data = { ...name, proxy, ...(status === null ? {} : { status }) }
  return failure(new AppError(code, data, options), { isTransient: status === null || status >= 500 })
}

/** A POST that may have been done. Keeps the failure's code as `reason`, the status and the service's text. */
export function outcomeUnknown(name: CallName, error: AppError): AppError {
  const { status = null, serviceText = '', detail = '' } = error.data
  const data = { ...name, reason: error.code, status, serviceText, detail }
  return new AppError('OUTCOME_UNKNOWN', data, { cause: error, scope: error.scope })
}

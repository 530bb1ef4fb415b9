import texts from './errors.en.json' with { type: 'json' }
import { fillText, isPhrase, type Phrase, type PhraseValue } from './phrases.ts'

/** Every error of the core. `errors.<language>.json` has the texts: what happened, what was kept and what to do. */
export type ErrorCode = keyof typeof texts

export const errorCodes = Object.keys(texts) as ErrorCode[]

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(texts, code)

/** The same action may succeed later. */
const retryable: ReadonlySet<string> = new Set<ErrorCode>([
  'DISCONNECTED',
  'TOO_MANY_CALLS',
  'TOO_MANY_STREAMS',
  'INTERNAL',
  'SANDBOX_FAILED',
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
  'PROXY_UNREACHABLE',
  'PROXY_REFUSED',
  'BAD_ANSWER',
  'SERVICE_FAILED',
  'RATE_LIMITED',
  'KEYCHAIN_LOCKED',
  'KEYCHAIN_TIMEOUT',
  'KEYCHAIN_CRASHED',
  'KEYCHAIN_FAILED',
  'LISTENER_FAILED',
  'DISK_FULL',
  'STORAGE_BUSY',
  'BOOK_FAILED',
  'DNC_MOVING',
  'SIGNED_EXPORT_CHANGED',
  'SIGNING_KEY_UNREADABLE',
  'PAUSE_NOT_CONFIRMED',
])

export const isRetryable = (code: ErrorCode): boolean => retryable.has(code)

/** Values for `{name}` in the text and for programs. Never a secret or a stack. */
export type ErrorData = Record<string, string | number | boolean | null | Phrase>

/** An error of the table. `cause` stays in the process; code, message and data may reach the renderer. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly data: ErrorData
  /** Wait before a retry, milliseconds, where known. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: ErrorCode,
    data: ErrorData = {},
    options: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(errorText(code, data), options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.data = data
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Values that are no counts: written without thousands separators. */
const ids = new Set(['port', 'pid', 'status', 'from', 'to'])

/** The values of an error's text. */
export function errorValues(data: ErrorData): Record<string, PhraseValue> {
  const values: Record<string, PhraseValue> = {}
  for (const [name, value] of Object.entries(data))
    if (isPhrase(value) || (typeof value === 'number' && !ids.has(name))) values[name] = value
    else if (value !== null) values[name] = String(value)
  return values
}

/** The English text for `code`. Missing values become empty; invisible characters in values are shown by name. */
export const errorText = (code: string, data: ErrorData = {}): string =>
  fillText(texts[isErrorCode(code) ? code : 'INTERNAL'], errorValues(data))

/** An error inside another text. */
export const errorPhrase = ({ code, data }: { code: string; data: ErrorData }): Phrase => ({
  ...errorValues(data),
  key: `error.${isErrorCode(code) ? code : 'INTERNAL'}`,
})

/** True when `value` is an `AppError`, optionally of one of `codes`. */
export function isAppError(value: unknown, ...codes: ErrorCode[]): value is AppError {
  return value instanceof AppError && (codes.length === 0 || codes.includes(value.code))
}

/** True when the keychain failed. A missing secret is not an error. */
export function isKeychainError(value: unknown): value is AppError {
  return isAppError(value) && value.code.startsWith('KEYCHAIN_')
}

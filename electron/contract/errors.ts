import { englishText, type ErrorCode, isPhrase, type Phrase, type PhraseValue, type Said } from './phrases.ts'

export type { ErrorCode }

/**
 * Whether the same action may succeed later. The list of codes is here, not read from the texts, so that the window
 * loads texts in its own language only.
 */
const retryable: Record<ErrorCode, boolean> = {
  INVALID_INPUT: false,
  NOT_FOUND: false,
  UNSUPPORTED: false,
  DISCONNECTED: true,
  CORE_RESTARTED: false,
  CORE_STALLED: false,
  TOO_MANY_CALLS: true,
  TOO_MANY_STREAMS: true,
  INTERNAL: true,
  NO_CONNECTION: false,
  NAME_TAKEN: false,
  CONFIRMATION_MISMATCH: false,
  BASE_URL_INVALID: false,
  BASE_URL_WITH_CREDENTIALS: false,
  BASE_URL_NOT_HTTPS: false,
  SANDBOX_FAILED: true,
  OTHER_INSTANCE: false,
  WRONG_PASSWORD: false,
  API_KEY_REFUSED: false,
  SESSION_EXPIRED: false,
  SIGNED_OUT: false,
  FORBIDDEN: false,
  SERVICE_UNREACHABLE: true,
  SERVICE_TIMEOUT: true,
  SERVICE_TLS: false,
  PROXY_UNREACHABLE: true,
  PROXY_REFUSED: true,
  PROXY_SIGN_IN: false,
  SERVICE_REDIRECTED: false,
  NOT_THE_SERVICE: false,
  BAD_ANSWER: true,
  ANSWER_TOO_LARGE: false,
  SERVICE_REJECTED: false,
  ANALYTICS_DATES_REFUSED: false,
  SERVICE_NOT_FOUND: false,
  SERVICE_FAILED: true,
  RATE_LIMITED: true,
  OUTCOME_UNKNOWN: false,
  KEYCHAIN_NO_LIBRARY: false,
  KEYCHAIN_NO_BUS: false,
  KEYCHAIN_NO_PROVIDER: false,
  KEYCHAIN_NO_COLLECTION: false,
  KEYCHAIN_LOCKED: true,
  KEYCHAIN_TIMEOUT: true,
  KEYCHAIN_CRASHED: true,
  KEYCHAIN_FAILED: true,
  SECRET_INVALID: false,
  SIGN_OUT_INCOMPLETE: false,
  SIGN_OUT_NOT_TOLD: false,
  FOLDER_NOT_DELETED: false,
  PORT_TAKEN: false,
  PORT_OF_PAGE: false,
  PORT_OUTGOING: false,
  PORT_FORBIDDEN: false,
  LISTENER_NOT_MOVED: false,
  ADDRESS_UNAVAILABLE: false,
  SUBSCRIPTIONS_LEFT_BEHIND: false,
  SUBSCRIPTION_NOT_MADE: false,
  WIDE_BIND_NEEDS_SECRET: false,
  LISTENER_FAILED: true,
  DISK_FULL: true,
  STORAGE_READ_ONLY: false,
  STORAGE_DAMAGED: false,
  STORAGE_DAMAGED_IN_USE: false,
  STORAGE_MISSING: false,
  STORAGE_FROM_FUTURE: false,
  STORAGE_BUSY: true,
  STORAGE_FAILED: false,
  TASK_NOT_POSSIBLE: false,
  LINK_IGNORED: false,
  OPENED_FILE_IGNORED: false,
  OPENED_FILE_UNREADABLE: false,
  FILE_GONE: false,
  FILE_OUT_OF_STEP: false,
  FILE_UNFINISHED: false,
  BACKUP_UNKNOWN: false,
  BACKUP_FROM_FUTURE: false,
  BACKUP_DAMAGED: false,
  RESTORED_PAUSED: false,
  PHONE_INVALID: false,
  CONTACT_EXISTS: false,
  CONTACT_BUSY: false,
  BOOK_FAILED: true,
  DNC_MOVING: true,
  NUMBER_INVALID: false,
  IMPORT_FILE_EMPTY: false,
  IMPORT_FILE_NOT_TEXT: false,
  IMPORT_FILE_UNREADABLE: false,
  IMPORT_TOO_WIDE: false,
  IMPORT_NOT_POSSIBLE: false,
  OUTBOX_TOO_LATE: false,
  ON_DNC: false,
  CRASHED_IN_FLIGHT: false,
  DELETION_REPEATED: false,
  DELETION_UNKNOWN: false,
  CONTACT_CHANGED: false,
  EDIT_BLOCKED: false,
  DNC_LIST_NOT_FRESH: false,
  SIGNING_KEY_UNREADABLE: true,
  TEMPLATE_IN_USE: false,
  SEND_NOT_POSSIBLE: false,
  SEND_PLAN_GONE: false,
  CAMPAIGN_ALREADY_PAUSED: false,
  CAMPAIGN_NOT_RUNNING: false,
  PAUSE_NOT_CONFIRMED: true,
}

export const errorCodes = Object.keys(retryable) as ErrorCode[]

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(retryable, code)

export const isRetryable = (code: ErrorCode): boolean => retryable[code]

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
  englishText(errorPhrase({ code, data }))

/** An error inside another text. */
export const errorPhrase = ({ code, data }: { code: string; data: ErrorData }): Phrase => ({
  ...errorValues(data),
  key: `error.${isErrorCode(code) ? code : 'INTERNAL'}`,
})

/** True when `value` is an `AppError`, optionally of one of `codes`. */
export function isAppError(value: unknown, ...codes: ErrorCode[]): value is AppError {
  return value instanceof AppError && (codes.length === 0 || codes.includes(value.code))
}

export type KeychainCode = Extract<ErrorCode, `KEYCHAIN_${string}`>

/** True when the keychain failed. A missing secret is not an error. */
export function isKeychainError(value: unknown): value is AppError & { code: KeychainCode } {
  return isAppError(value) && value.code.startsWith('KEYCHAIN_')
}

/** A keychain error in a few words, inside another text. Only an unknown one shows the keychain's own message. */
export const keychainReason = (code: KeychainCode, detail: Said): Said =>
  code === 'KEYCHAIN_FAILED' ? detail : { key: `keychain.${code}` }

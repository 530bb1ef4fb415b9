import {
  englishText,
  type ErrorCode,
  type Phrase,
  type PhraseKey,
  type PhraseValue,
  type Said,
} from './phrases.ts'
import type { LocalTime } from './texts.ts'

export type { ErrorCode }

/**
 * What an error is about. `item`: this request; others may succeed. `session`: the sign-in and what it may do. `network`:
 * the way to the service, the same for every request. `storage`: this computer's disk or keychain.
 */
export type Scope = 'item' | 'session' | 'network' | 'storage'

/** Whether the service acted on the request. Only `no` is certain that it did not. */
export type Acted = 'no' | 'maybe'

/** The list of codes is here, not read from the texts, so that the window loads texts in its own language only. */
const scopes: Record<ErrorCode, Scope> = {
  INVALID_INPUT: 'item',
  NOT_FOUND: 'item',
  UNSUPPORTED: 'item',
  DISCONNECTED: 'item',
  CORE_RESTARTED: 'item',
  CORE_STALLED: 'item',
  INTERNAL: 'item',
  NO_CONNECTION: 'item',
  NAME_TAKEN: 'item',
  CONFIRMATION_MISMATCH: 'item',
  BASE_URL_INVALID: 'item',
  BASE_URL_WITH_CREDENTIALS: 'item',
  BASE_URL_NOT_HTTPS: 'item',
  SANDBOX_FAILED: 'item',
  OTHER_INSTANCE: 'item',
  WRONG_PASSWORD: 'session',
  API_KEY_REFUSED: 'session',
  SESSION_EXPIRED: 'session',
  REQUESTS_REFUSED: 'session',
  SIGNED_OUT: 'session',
  SIGN_IN_LOST: 'session',
  FORBIDDEN: 'session',
  SERVICE_UNREACHABLE: 'network',
  SERVICE_TIMEOUT: 'network',
  SERVICE_TLS: 'network',
  PROXY_UNREACHABLE: 'network',
  PROXY_REFUSED: 'network',
  PROXY_SIGN_IN: 'network',
  SERVICE_REDIRECTED: 'network',
  NOT_THE_SERVICE: 'network',
  BAD_ANSWER: 'item',
  ANSWER_TOO_LARGE: 'item',
  SERVICE_REJECTED: 'item',
  ANALYTICS_DATES_REFUSED: 'item',
  SERVICE_NOT_FOUND: 'item',
  SERVICE_FAILED: 'item',
  RATE_LIMITED: 'network',
  OUTCOME_UNKNOWN: 'item',
  KEYCHAIN_NO_LIBRARY: 'storage',
  KEYCHAIN_NO_BUS: 'storage',
  KEYCHAIN_NO_PROVIDER: 'storage',
  KEYCHAIN_NO_COLLECTION: 'storage',
  KEYCHAIN_LOCKED: 'storage',
  KEYCHAIN_TIMEOUT: 'storage',
  KEYCHAIN_CRASHED: 'storage',
  KEYCHAIN_FAILED: 'storage',
  SECRET_INVALID: 'item',
  SIGN_OUT_INCOMPLETE: 'item',
  SIGN_OUT_NOT_TOLD: 'item',
  FOLDER_NOT_DELETED: 'item',
  PORT_TAKEN: 'item',
  PORT_OF_PAGE: 'item',
  PORT_OUTGOING: 'item',
  PORT_FORBIDDEN: 'item',
  LISTENER_NOT_MOVED: 'item',
  ADDRESS_UNAVAILABLE: 'item',
  SUBSCRIPTIONS_LEFT_BEHIND: 'item',
  SUBSCRIPTION_NOT_MADE: 'item',
  WIDE_BIND_NEEDS_SECRET: 'item',
  LISTENER_FAILED: 'item',
  DISK_FULL: 'storage',
  STORAGE_READ_ONLY: 'storage',
  STORAGE_DAMAGED: 'storage',
  STORAGE_DAMAGED_IN_USE: 'storage',
  STORAGE_MISSING: 'storage',
  STORAGE_FROM_FUTURE: 'storage',
  STORAGE_OTHER_BUILD: 'storage',
  STORAGE_BUSY: 'storage',
  STORAGE_FAILED: 'storage',
  TASK_NOT_POSSIBLE: 'item',
  LINK_IGNORED: 'item',
  OPENED_FILE_IGNORED: 'item',
  OPENED_FILE_UNREADABLE: 'item',
  FILE_GONE: 'item',
  FILE_ERASED: 'item',
  FILE_OUT_OF_STEP: 'item',
  FILE_UNFINISHED: 'item',
  BACKUP_UNKNOWN: 'item',
  BACKUP_FROM_FUTURE: 'item',
  BACKUP_DAMAGED: 'item',
  RESTORED_PAUSED: 'item',
  PHONE_INVALID: 'item',
  CONTACT_EXISTS: 'item',
  CONTACT_BUSY: 'item',
  CONTACTS_FAILED: 'item',
  DNC_MOVING: 'item',
  DNC_LIST_CHANGED: 'item',
  NUMBER_INVALID: 'item',
  IMPORT_FILE_EMPTY: 'item',
  IMPORT_FILE_NOT_TEXT: 'item',
  IMPORT_FILE_UNREADABLE: 'item',
  IMPORT_TOO_WIDE: 'item',
  IMPORT_NOT_POSSIBLE: 'item',
  CONSENT_UNDECIDED: 'item',
  OUTBOX_TOO_LATE: 'item',
  OUTBOX_NOT_WAITING: 'item',
  ON_DNC: 'item',
  CRASHED_IN_FLIGHT: 'item',
  DELETION_REPEATED: 'item',
  DELETION_UNKNOWN: 'item',
  CONTACT_CHANGED: 'item',
  EDIT_BLOCKED: 'item',
  DNC_LIST_NOT_FRESH: 'item',
  SENDS_WAIT_FOR_DNC: 'item',
  SENDS_WAIT_FOR_INBOUND: 'item',
  TEAM_RELAY_FAILED: 'item',
  TEAM_ERASED: 'item',
  TEAM_KEY_WRONG: 'item',
  SIGNING_KEY_UNREADABLE: 'item',
  TEMPLATE_IN_USE: 'item',
  SEND_NOT_POSSIBLE: 'item',
  SEND_PLAN_GONE: 'item',
  CAMPAIGN_ALREADY_PAUSED: 'item',
  CAMPAIGN_NOT_RUNNING: 'item',
  CAMPAIGN_UNKNOWN: 'item',
  PAUSE_NOT_CONFIRMED: 'item',
}

/** The outcome is open even if nobody saw the request fail. */
const openEnded: ReadonlySet<ErrorCode> = new Set([
  'OUTCOME_UNKNOWN',
  'CRASHED_IN_FLIGHT',
  'DELETION_UNKNOWN',
  'PAUSE_NOT_CONFIRMED',
  'DISCONNECTED',
  'INTERNAL',
])

export const errorCodes = Object.keys(scopes) as ErrorCode[]

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(scopes, code)

export const scopeOf = (code: string): Scope => (isErrorCode(code) ? scopes[code] : 'item')

export const actedAfter = (code: ErrorCode): Acted => (openEnded.has(code) ? 'maybe' : 'no')

/** Values for `{name}` in the text and for programs. Never a secret or a stack. */
export type ErrorData = Record<string, string | number | boolean | null | LocalTime | Phrase>

/** An error of the table. `cause` stays in the process; code, message and data may reach the renderer. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly data: ErrorData
  readonly acted: Acted
  readonly scope: Scope

  /** `acted` and `scope` are given where a failure enters; the code says the usual ones. */
  constructor(
    code: ErrorCode,
    data: ErrorData = {},
    options: { cause?: unknown; acted?: Acted; scope?: Scope } = {},
  ) {
    super(errorText(code, data), options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.data = data
    this.acted = options.acted ?? actedAfter(code)
    this.scope = options.scope ?? scopes[code]
  }

  /** The same error as another request sees it. */
  as(change: { acted?: Acted; scope?: Scope }): AppError {
    const { acted, scope } = this
    const isSame = (change.acted ?? acted) === acted && (change.scope ?? scope) === scope
    return isSame ? this : new AppError(this.code, this.data, { acted, scope, ...change, cause: this })
  }
}

/** Values that are no counts: written without thousands separators. */
const ids = new Set(['port', 'pid', 'status', 'from', 'to'])

/** The values of an error's text. */
export function errorValues(data: ErrorData): Record<string, PhraseValue> {
  const values: Record<string, PhraseValue> = {}
  for (const [name, value] of Object.entries(data)) {
    if (value === null) continue
    const isWritten = typeof value === 'object' || (typeof value === 'number' && !ids.has(name))
    values[name] = isWritten ? value : String(value)
  }
  return values
}

/** The English text for `code`. Missing values become empty; invisible characters in values are shown by name. */
export const errorText = (code: string, data: ErrorData = {}): string =>
  englishText(errorPhrase({ code, data }))

/** What a call does, for operators. */
const callWords: Record<string, PhraseKey> = {
  'POST /ott/messages': 'call.sendMessage',
  'POST /contacts': 'call.createContact',
  'DELETE /contacts/{id}': 'call.deleteContact',
  'POST /templates': 'call.createTemplate',
  'DELETE /ott/templates/{id}': 'call.deleteTemplate',
  'POST /campaigns/{id}/pause': 'call.pauseCampaign',
  'POST /messages/{id}/release': 'call.releaseMessage',
  'POST /webhooks': 'call.createSubscription',
  'POST /webhooks/{id}/test': 'call.testSubscription',
}

/** An error inside another text. */
export const errorPhrase = ({ code, data }: { code: string; data: ErrorData }): Phrase => ({
  ...errorValues(data),
  ...(code === 'OUTCOME_UNKNOWN' ? callOf(data['call']) : {}),
  ...(code === 'SERVICE_REJECTED' ? { advice: adviceOn(data['call']) } : {}),
  key: `error.${isErrorCode(code) ? code : 'INTERNAL'}`,
})

function callOf(call: ErrorData[string] | undefined): { call?: Phrase } {
  const key = typeof call === 'string' ? callWords[call] : undefined
  return key === undefined ? {} : { call: { key } }
}

/** A read that the service rejects is no mistake of the operator. */
const adviceOn = (call: ErrorData[string] | undefined): Phrase =>
  typeof call === 'string' && call.startsWith('GET ')
    ? { key: 'rejected.read', call }
    : { key: 'rejected.write' }

/** True when `value` is an `AppError`, optionally of one of `codes`. */
export function isAppError(value: unknown, ...codes: ErrorCode[]): value is AppError {
  return value instanceof AppError && (codes.length === 0 || codes.includes(value.code))
}

/** True when others of its kind may succeed. */
export const isOfItem = (value: unknown): value is AppError => isAppError(value) && value.scope === 'item'

/** True when this request was refused, by the service or before it left. */
export const isRefusal = (value: unknown): value is AppError => isOfItem(value) && value.acted === 'no'

export type KeychainCode = Extract<ErrorCode, `KEYCHAIN_${string}`>

/** True when the keychain failed. A missing secret is not an error. */
export function isKeychainError(value: unknown): value is AppError & { code: KeychainCode } {
  return isAppError(value) && value.code.startsWith('KEYCHAIN_')
}

/** A keychain error in a few words, inside another text. Only an unknown one shows the keychain's own message. */
export const keychainReason = (code: KeychainCode, detail: Said): Said =>
  code === 'KEYCHAIN_FAILED' ? detail : { key: `keychain.${code}` }

import { visibleText } from './visible-text.ts'

/**
 * Every error of the core: its text, and whether a retry can help. `text` says what happened, what was kept and what
 * to do; `{name}` is filled from the error's `data`.
 */
export interface ErrorEntry {
  text: string
  /** True when the same action may succeed later. */
  retryable: boolean
}

const entry = (text: string, retryable = false): ErrorEntry => ({ text, retryable })

export const errorTable = {
  // Input
  INVALID_INPUT: entry('Invalid input: {detail}. Nothing was sent. Correct it and try again.'),
  NOT_FOUND: entry('{what} no longer exists. Nothing was changed. Refresh the list.'),
  UNSUPPORTED: entry('Not available here ({capability}). Nothing was changed.'),
  DISCONNECTED: entry(
    'This window lost its connection to Switchboard. Saved data is safe, but this action may or may not have completed. Reconnecting automatically.',
    true,
  ),
  CORE_RESTARTED: entry(
    'Switchboard recovered from a crash. Everything saved was kept. If it happens again, send the log to your administrator.',
  ),
  CORE_STALLED: entry(
    'Switchboard stopped responding and was restarted. Everything saved and acknowledged is kept. If it happens again, check the log.',
  ),
  TOO_MANY_CALLS: entry(
    'This window has too many requests running. This one was not started. Wait a moment and try again.',
    true,
  ),
  TOO_MANY_STREAMS: entry(
    'This window has too many live views open. This one was not started. Close some, or reload the window.',
    true,
  ),
  INTERNAL: entry(
    'Something went wrong (reference {correlationId}). Saved data is unaffected. See the log for details.',
    true,
  ),

  // Connections
  NO_CONNECTION: entry('No service is connected. Nothing was sent. Connect to a service first.'),
  NAME_TAKEN: entry('A connection named “{name}” already exists. Nothing was saved. Choose another name.'),
  CONFIRMATION_MISMATCH: entry('The name doesn’t match. Nothing was changed. Type {name} to confirm.'),
  BASE_URL_INVALID: entry(
    '“{baseUrl}” isn’t a valid service URL. Nothing was sent. Use the form https://host/v1.',
  ),
  BASE_URL_WITH_CREDENTIALS: entry(
    'The base URL contains a user name or password. Nothing was sent. Enter them in the fields below instead.',
  ),
  BASE_URL_NOT_HTTPS: entry(
    '{baseUrl} is unencrypted and not on this computer. Nothing was sent. Use https, or allow http for this host.',
  ),
  SANDBOX_FAILED: entry(
    'The sandbox couldn’t start: {detail}. Nothing was changed. Try again, or use npm run sandbox.',
    true,
  ),
  OTHER_INSTANCE: entry(
    'Switchboard is already running with this data folder (process {pid}). Nothing was opened. Use that window, close it, or start with another data folder.',
  ),

  // Signing in
  WRONG_PASSWORD: entry(
    'Wrong user name or password (“{serviceText}”). Nothing was saved. Check both and try again.',
  ),
  API_KEY_REFUSED: entry(
    'The service rejected this API key: “{serviceText}”. It may be revoked; nothing else was changed. Enter a valid key.',
  ),
  SESSION_EXPIRED: entry(
    'Your session expired. Queued work and stored events are kept. Sign in to continue.',
  ),
  SIGNED_OUT: entry('You are signed out. Stored events and lists are kept. Sign in to continue.'),
  FORBIDDEN: entry(
    'You don’t have permission to do this: “{serviceText}”. Nothing was changed. Ask for access, or use another sign-in.',
  ),

  // The service's answers
  SERVICE_UNREACHABLE: entry(
    'Can’t reach {host} ({detail}). Local data is still available. Check the URL and your network.',
    true,
  ),
  SERVICE_TIMEOUT: entry('{host} didn’t respond in time. Local data is still available. Try again.', true),
  SERVICE_TLS: entry(
    '{host} has an untrusted certificate ({detail}). Nothing was sent. Check the URL, or ask the service about its certificate.',
  ),
  PROXY_UNREACHABLE: entry(
    'Can’t reach the proxy {proxy}. Nothing was sent. Check the proxy settings of this computer.',
    true,
  ),
  PROXY_REFUSED: entry(
    'The proxy {proxy} refused the connection to {host} (status {status}). Nothing was sent. Ask your administrator to allow {host}.',
    true,
  ),
  PROXY_SIGN_IN: entry(
    'The proxy {proxy} asks for a sign-in. Nothing was sent. Start Switchboard with HTTPS_PROXY=http://user:password@host:port.',
  ),
  SERVICE_REDIRECTED: entry(
    '{host} redirected to {location}. The redirect wasn’t followed, so no credentials were sent there. Check the base URL.',
  ),
  NOT_THE_SERVICE: entry(
    '{host} returned {received} instead of JSON, and it was ignored. This may be a network sign-in page or a wrong base URL. Check both.',
  ),
  BAD_ANSWER: entry(
    '{host} returned an invalid response to {call}: {detail}. It was ignored. Try again; if it persists, report it to the service.',
    true,
  ),
  ANSWER_TOO_LARGE: entry(
    '{host} returned more than {limitMiB} MiB for {call}. The response was ignored. Report it to the service.',
  ),
  SERVICE_REJECTED: entry(
    'The service rejected this: “{serviceText}”. Nothing was changed. Correct it and try again.',
  ),
  ANALYTICS_DATES_REFUSED: entry(
    'The service rejected the dates: “{serviceText}”. They were sent as {names}, for example {example}. Check Settings › Field names, or choose a shorter period.',
  ),
  SERVICE_NOT_FOUND: entry(
    'The service has no such record: “{serviceText}”. Nothing was changed. Refresh the list.',
  ),
  SERVICE_FAILED: entry(
    'The service failed ({status}: “{serviceText}”). Local data is unaffected. Try again later.',
    true,
  ),
  RATE_LIMITED: entry(
    'Rate limit reached. Queued work continues automatically. Try again in {retryInSeconds} s.',
    true,
  ),
  OUTCOME_UNKNOWN: entry(
    '{host} didn’t confirm {call}. It may or may not have been done, and it wasn’t retried. Check the service before you try again.',
  ),

  // Keychain
  KEYCHAIN_NO_LIBRARY: entry(
    'The keychain library libsecret-1-0 isn’t installed. Your sign-in stays in memory until you quit. Install it, retry in Settings, then sign in again.',
  ),
  KEYCHAIN_NO_BUS: entry(
    'No desktop session found, so there is no keychain. Your sign-in stays in memory until you quit. Start Switchboard from a desktop session to keep it.',
  ),
  KEYCHAIN_NO_PROVIDER: entry(
    'No keychain service is running. Your sign-in stays in memory until you quit. Start gnome-keyring or KWallet, then retry.',
  ),
  KEYCHAIN_NO_COLLECTION: entry(
    'The keychain has no default keyring. Your sign-in stays in memory until you quit. Create one, then retry.',
  ),
  KEYCHAIN_LOCKED: entry(
    'Your keychain is locked. Nothing was deleted; your sign-in stays in memory until you quit. Unlock it, then retry.',
    true,
  ),
  KEYCHAIN_TIMEOUT: entry(
    'The keychain didn’t respond within 3 seconds. Your sign-in stays in memory until you quit. Check the keychain app, then retry.',
    true,
  ),
  KEYCHAIN_CRASHED: entry(
    'The keychain helper stopped. Stored secrets are safe; your sign-in stays in memory until you quit. Retry.',
    true,
  ),
  KEYCHAIN_FAILED: entry(
    'Keychain error: {detail}. Your sign-in stays in memory until you quit. Retry, or check the keychain app.',
    true,
  ),
  SECRET_INVALID: entry(
    'This secret is too long or has unsupported characters. Nothing was saved. Check what you pasted.',
  ),
  SIGN_OUT_INCOMPLETE: entry(
    'You are signed out, but the keychain still has your sign-in ({detail}). It won’t be used again. It is removed once the keychain is available.',
  ),
  SIGN_OUT_NOT_TOLD: entry(
    'You are signed out and your sign-in is removed from this computer. {host} couldn’t be told, so its session may last up to 7 days. To end it sooner, ask the service.',
  ),

  // Listener
  PORT_TAKEN: entry(
    'Port {port} is in use{hint}. No events can arrive; stored events are safe. Close that program and the listener starts automatically, or choose another port in Settings › Listener.',
  ),
  PORT_OF_PAGE: entry(
    'Port {port} is used by Switchboard’s own page. No events can arrive; stored events are safe. Choose another port in Settings › Listener.',
  ),
  PORT_OUTGOING: entry(
    'This computer may use port {port} for outgoing connections. The listener then can’t start. Choose a port outside {from} to {to} in Settings › Listener.',
  ),
  PORT_FORBIDDEN: entry(
    'You don’t have permission to listen on port {port}. No events can arrive; stored events are safe. Choose a port above 1023.',
  ),
  LISTENER_NOT_MOVED: entry(
    'The listener couldn’t move to {address}, port {port} ({detail}). It still listens at {url}. Choose another address or port.',
  ),
  ADDRESS_UNAVAILABLE: entry(
    '{address} isn’t an address of this computer. No events can arrive; stored events are safe. Use 127.0.0.1 or one of its addresses.',
  ),
  SUBSCRIPTIONS_LEFT_BEHIND: entry(
    'Subscriptions still delivering to the old address {url}: {count}. Their events are lost after about 30 seconds. Move the listener back, or make sure Webhooks has a subscription for the new address.',
  ),
  SUBSCRIPTION_NOT_MADE: entry(
    'Listening at {url}, but no subscription could be created ({reason}). Stored events and other subscriptions are unchanged. Use an address the service can reach, or subscribe in Webhooks.',
  ),
  WIDE_BIND_NEEDS_SECRET: entry(
    'Add a signing secret before listening beyond this computer. Without one, anyone could send events. Nothing was changed.',
  ),
  LISTENER_FAILED: entry(
    'The webhook listener stopped: {detail}. Acknowledged events are safe. Restarting automatically.',
    true,
  ),

  // Storage
  DISK_FULL: entry(
    'The disk is full. This wasn’t saved; earlier data is intact. Free up space and try again.',
    true,
  ),
  STORAGE_READ_ONLY: entry(
    'Can’t write to the data folder ({path}). This wasn’t saved. Check its permissions.',
  ),
  STORAGE_DAMAGED: entry(
    'A database was damaged ({file}) and set aside as {asideFile}. {lost} Nothing else was affected.',
  ),
  STORAGE_DAMAGED_IN_USE: entry(
    'A database is damaged ({file}: {detail}). This wasn’t saved. Restart Switchboard to recover what is readable.',
  ),
  STORAGE_MISSING: entry(
    'The data folder {path} is missing. Nothing was created or changed. Mount its disk, or start with another data folder.',
  ),
  STORAGE_FROM_FUTURE: entry(
    '{file} was written by a newer Switchboard (schema {found}; this version reads {known}). It wasn’t changed. Open it with the newer version.',
  ),
  STORAGE_BUSY: entry('The database is busy. This wasn’t saved. Try again.', true),
  STORAGE_FAILED: entry('Database error: {detail}. This wasn’t saved. See the log for details.'),

  // Tasks and files
  TASK_NOT_POSSIBLE: entry(
    'This task can’t {what}: it is {state}. Nothing was changed. See Tasks for what you can do.',
  ),
  LINK_IGNORED: entry(
    'A switchboard:// link was ignored because it names no page of Switchboard. Nothing was changed. Check the link.',
  ),
  OPENED_FILE_IGNORED: entry(
    '{name} can’t be imported. Nothing was changed. Switchboard opens CSV, TSV and text files.',
  ),
  OPENED_FILE_UNREADABLE: entry(
    '{name} can’t be read. Nothing was imported. Check that it exists and that you have permission to read it.',
  ),
  FILE_GONE: entry('This file is no longer available. Nothing was changed. Create it or choose it again.'),
  FILE_OUT_OF_STEP: entry(
    'The upload was interrupted after {received} bytes, which are kept for a day. Choose the file again.',
  ),
  FILE_UNFINISHED: entry(
    'This file isn’t complete yet. Nothing was downloaded. Wait for its task, resume it, or create the file again.',
  ),

  // Backups
  BACKUP_UNKNOWN: entry('This file is not a Switchboard backup. Nothing was restored. Choose another file.'),
  BACKUP_FROM_FUTURE: entry(
    'A newer version of Switchboard made this backup. Nothing was restored. Update Switchboard, then try again.',
  ),
  BACKUP_DAMAGED: entry(
    'The backup is damaged ({file}). Nothing was restored. Use another copy of the file.',
  ),
  RESTORED_PAUSED: entry(
    'This connection was restored from a backup of {createdAt}. Its outbox is paused: the original may have sent the queued requests since. Check them, then resume.',
  ),

  // Contacts
  PHONE_INVALID: entry(
    '“{phone}” isn’t a valid phone number: {reason}. Nothing was saved. Correct it and include the country code.',
  ),
  CONTACT_EXISTS: entry(
    'A contact with {phone} already exists ({name}). Nothing was saved. Edit that contact instead.',
  ),
  CONTACT_BUSY: entry(
    'A request for this contact is in flight or unconfirmed. Nothing was changed. Resolve it in the outbox first.',
  ),
  BOOK_FAILED: entry(
    'The contact store stopped ({detail}) and is restarting. Confirmed changes are kept. Try again.',
    true,
  ),

  // Do not contact
  DNC_MOVING: entry(
    'The DNC list kept changing during the sync. What was read is kept, but the offline copy is incomplete. Try again later.',
    true,
  ),
  NUMBER_INVALID: entry(
    '“{phone}” isn’t a valid phone number: {reason}. Nothing was changed. Correct it and include the country code.',
  ),

  // Imports
  IMPORT_FILE_EMPTY: entry('{name} has no rows. Nothing was imported. Choose another file.'),
  IMPORT_FILE_NOT_TEXT: entry(
    '{name} isn’t a CSV or text file: {detail}. Nothing was imported. Save it as CSV and try again.',
  ),
  IMPORT_TOO_WIDE: entry(
    '{name} has {columns} columns; the limit is {max}. Nothing was imported. Remove columns you don’t need and try again.',
  ),
  IMPORT_NOT_POSSIBLE: entry(
    'This import can’t {what}: it is {state}. Nothing was changed. See Past imports for what you can do.',
  ),

  // Outbox
  OUTBOX_TOO_LATE: entry(
    'The undo window has closed: {sent} requests were sent. Nothing else was changed. See the outbox for each result.',
  ),
  ON_DNC: entry(
    '{phone} is on the DNC list or on hold ({reason}). It wasn’t sent, and the contact is kept. No action needed.',
  ),
  CRASHED_IN_FLIGHT: entry(
    'Switchboard stopped while this request was in flight; it may have been done. It wasn’t retried. Check the service, then mark it as done, resend it or discard it.',
  ),

  DELETION_REPEATED: entry('The service didn’t confirm this deletion. It is being retried, which is safe.'),
  DELETION_UNKNOWN: entry(
    'The service didn’t confirm this deletion. Check the service, then mark it as deleted, resend it or discard it.',
  ),

  CONTACT_CHANGED: entry(
    'This contact was changed elsewhere. Nothing was saved. Cancel to see the latest version, then edit again.',
  ),
  EDIT_BLOCKED: entry(
    '{phone} is on the DNC list or on hold ({reason}). An edit recreates the contact at the service, so nothing was saved.',
  ),
  DNC_LIST_NOT_FRESH: entry(
    'Nothing was queued: {state}. Sync it in Do not contact, or confirm to continue without the check.',
  ),

  // Signed exports
  SIGNED_EXPORT_CHANGED: entry(
    'The events changed during the export ({expected} expected, {found} written). No file was created. Export again.',
    true,
  ),
  SIGNING_KEY_UNREADABLE: entry(
    'The signing key couldn’t be read from the keychain ({detail}). No file was created and the key was not replaced. Unlock the keychain and try again.',
    true,
  ),

  // Templates and sends
  TEMPLATE_IN_USE: entry('This template is already listed as {name}. Nothing was changed. Open that one.'),
  SEND_NOT_POSSIBLE: entry(
    'This send can’t {what}: it is {state}. Nothing was changed. See Templates for what you can do.',
  ),
  SEND_PLAN_GONE: entry(
    'This dry run has expired. Nothing was queued. Undo anything queued earlier, then run it again.',
  ),

  // Campaigns
  CAMPAIGN_ALREADY_PAUSED: entry('This campaign was already paused elsewhere. Nothing was sent.'),
  CAMPAIGN_NOT_RUNNING: entry('This campaign is {status}, so it wasn’t paused. Nothing was changed.'),
  PAUSE_NOT_CONFIRMED: entry(
    'The service responded, but the campaign is still {status}. Nothing else was tried. Refresh, and pause again if it still runs.',
    true,
  ),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable

/** Values for `{name}` in the text and for programs. Never a secret or a stack. */
export type ErrorData = Record<string, string | number | boolean | null>

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

/** The text for `code`. Missing values become empty; invisible characters in values are shown by name. */
export function errorText(code: ErrorCode, data: ErrorData = {}): string {
  return errorTable[code].text.replace(/\{(\w+)\}/g, (_match, name: string) =>
    visibleText(String(data[name] ?? '')),
  )
}

/** True when `value` is an `AppError`, optionally of one of `codes`. */
export function isAppError(value: unknown, ...codes: ErrorCode[]): value is AppError {
  return value instanceof AppError && (codes.length === 0 || codes.includes(value.code))
}

/** True when the keychain failed. A missing secret is not an error. */
export function isKeychainError(value: unknown): value is AppError {
  return isAppError(value) && value.code.startsWith('KEYCHAIN_')
}

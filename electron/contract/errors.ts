import { visibleText } from './visible-text.ts'

/**
 * Every error the console can show: code → what an operator reads and whether trying again can help.
 * `text` says what happened, what was kept and what to do. `{name}` is filled from the error's `data`.
 */
export interface ErrorEntry {
  text: string
  /** True when the same action may succeed later without a change by the operator. */
  retryable: boolean
}

const entry = (text: string, retryable = false): ErrorEntry => ({ text, retryable })

export const errorTable = {
  // Input
  INVALID_INPUT: entry(
    'Something in this form is not valid: {detail}. Nothing was sent. Correct it and try again.',
  ),
  NOT_FOUND: entry('{what} no longer exists here. Nothing was changed. Refresh the list.'),
  UNSUPPORTED: entry('This host cannot do that ({capability}). Nothing was changed.'),
  DISCONNECTED: entry(
    'The window lost its connection to the console. Nothing that was acknowledged is lost. It reconnects by itself once the console runs; whether this action was done is not known.',
    true,
  ),
  CORE_RESTARTED: entry(
    'The console stopped unexpectedly inside and was started again. Everything acknowledged and saved is kept. If it happens again, send the log to whoever looks after it.',
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
    'Something went wrong inside the console (reference {correlationId}). What was saved stays saved. Details are in the log.',
    true,
  ),

  // Connections
  NO_CONNECTION: entry('No messaging service is connected. Nothing was sent. Connect first.'),
  NAME_TAKEN: entry('A connection named "{name}" exists already. Nothing was saved. Choose another name.'),
  CONFIRMATION_MISMATCH: entry(
    'The name typed does not match this production connection. Nothing was done. Type {name} to confirm.',
  ),
  BASE_URL_INVALID: entry(
    '"{baseUrl}" is not an address of a messaging service. Nothing was sent. Enter it as https://host/v1.',
  ),
  BASE_URL_WITH_CREDENTIALS: entry(
    'The Base URL contains a user name or password. Nothing was sent. Leave them out of the address and enter them below.',
  ),
  BASE_URL_NOT_HTTPS: entry(
    '{baseUrl} is not encrypted and not on this computer. Nothing was sent. Use https, or allow plain http for this host by name.',
  ),
  SANDBOX_FAILED: entry(
    'The sandbox could not start: {detail}. Nothing was changed. Try again, or run it alone with npm run sandbox.',
    true,
  ),
  OTHER_INSTANCE: entry(
    'Another Switchboard (process {pid}) uses this profile. Nothing was opened, so nothing can be doubled. Use that one, close it, or start with another data folder.',
  ),

  // Signing in
  WRONG_PASSWORD: entry(
    'The service did not accept this user name and password ("{serviceText}"). Nothing was saved. Check both and try again.',
  ),
  API_KEY_REFUSED: entry(
    'The service did not accept this API key ("{serviceText}"). It may have been revoked. Nothing else was changed. Enter a valid key.',
  ),
  SESSION_EXPIRED: entry(
    'Your sign-in has expired. Queued work and stored events are kept. Sign in again to continue.',
  ),
  SIGNED_OUT: entry(
    'You are signed out of this service. Stored events and lists are kept. Sign in to continue.',
  ),
  FORBIDDEN: entry(
    'This sign-in is not allowed to do that ("{serviceText}"). Nothing was changed. Ask for the permission, or use another sign-in.',
  ),

  // The service's answers
  SERVICE_UNREACHABLE: entry(
    '{host} cannot be reached ({detail}). What is stored here stays available. Check the address and the network.',
    true,
  ),
  SERVICE_TIMEOUT: entry(
    '{host} did not answer in time. What is stored here stays available. Try again.',
    true,
  ),
  SERVICE_TLS: entry(
    'This computer does not trust the certificate of {host} ({detail}). Nothing was sent. Check the address, or add your company’s certificate authority to this system.',
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
    '{host} sent the request elsewhere ({location}). It was not followed, so no credential left. Check the Base URL.',
  ),
  NOT_THE_SERVICE: entry(
    '{host} answered with {received}, not with JSON. It may be a sign-in page of the network or a wrong Base URL. Nothing was accepted. Check both.',
  ),
  BAD_ANSWER: entry(
    '{host} returned an invalid response to {call}: {detail}. It was ignored. Try again; if it persists, report it to the service.',
    true,
  ),
  ANSWER_TOO_LARGE: entry(
    '{host} answered {call} with more than {limitMiB} MiB. It was cut off and nothing was taken from it. Quote this to the service.',
  ),
  SERVICE_REJECTED: entry(
    'The service refused: "{serviceText}". Nothing was changed. Correct it and try again.',
  ),
  ANALYTICS_DATES_REFUSED: entry(
    'The service refused the dates ("{serviceText}"). They were sent as {names}, written as {example}; nothing was changed. Probe the names of the dates or set them by hand under Settings, Dialect; where they are right, ask for a shorter span.',
  ),
  SERVICE_NOT_FOUND: entry(
    'The service does not know this record ("{serviceText}"). Nothing was changed. Refresh the list.',
  ),
  SERVICE_FAILED: entry(
    'The service failed ({status}: "{serviceText}"). What is stored here is kept. Try again later.',
    true,
  ),
  RATE_LIMITED: entry(
    'The tenant used up its requests for this minute. Nothing was lost; waiting work goes on at the reset. Try again in {retryInSeconds} s.',
    true,
  ),
  OUTCOME_UNKNOWN: entry(
    '{host} did not confirm {call}: it may or may not have been done. It was not repeated. Check before you try again.',
  ),

  // Keychain
  KEYCHAIN_NO_LIBRARY: entry(
    'The system keychain library is not installed (libsecret-1-0). A sign-in is kept in memory until you quit. Install it, retry under Settings, and sign in to keep it.',
  ),
  KEYCHAIN_NO_BUS: entry(
    'No desktop session bus was found, so there is no keychain. A sign-in is kept in memory until you quit. Start the console from a desktop session to keep it.',
  ),
  KEYCHAIN_NO_PROVIDER: entry(
    'No keychain service answers on this desktop. A sign-in is kept in memory until you quit. Install or start one (gnome-keyring or KWallet), then retry.',
  ),
  KEYCHAIN_NO_COLLECTION: entry(
    'The keychain has no login collection yet. A sign-in is kept in memory until you quit. Create the default keyring, then retry.',
  ),
  KEYCHAIN_LOCKED: entry(
    'Your keychain is locked. Nothing was deleted; a sign-in is kept in memory until you quit. Unlock it, then retry.',
    true,
  ),
  KEYCHAIN_TIMEOUT: entry(
    'The keychain did not answer within 3 seconds. A sign-in is kept in memory until you quit. Check the keychain program, then retry.',
    true,
  ),
  KEYCHAIN_CRASHED: entry(
    'The process that speaks to the keychain stopped unexpectedly. Stored secrets are untouched; a sign-in is kept in memory until you quit. Retry.',
    true,
  ),
  KEYCHAIN_FAILED: entry(
    'The keychain refused: {detail}. A sign-in is kept in memory until you quit. Retry, or check the keychain program.',
    true,
  ),
  SECRET_INVALID: entry(
    'This secret contains characters that a keychain cannot hold, or is too long. Nothing was saved. Check what was pasted.',
  ),
  SIGN_OUT_INCOMPLETE: entry(
    'You are signed out here, but the saved sign-in could not be removed from the keychain ({detail}). It is never used again and is removed as soon as the keychain can be used.',
  ),
  SIGN_OUT_NOT_TOLD: entry(
    'You are signed out here, but {host} could not be told, so the session there may stay valid for up to 7 days. Nothing of the sign-in is kept on this computer. To end it sooner, ask the service to end it.',
  ),

  // Listener
  PORT_TAKEN: entry(
    'Port {port} is used by another program{hint}. No events can arrive until this is settled; what is stored is kept. Close that program, and the port is taken by itself; or choose another port in Settings, Webhook listener.',
  ),
  PORT_OF_PAGE: entry(
    'Port {port} is used by this console itself, for its own page. No events can arrive until this is settled; what is stored is kept. Choose another port in Settings, Webhook listener.',
  ),
  PORT_OUTGOING: entry(
    'This computer may give port {port} to outgoing connections, and the listener then cannot start. Choose a port outside {from} to {to} in Settings, Listener.',
  ),
  PORT_FORBIDDEN: entry(
    'This user may not listen on port {port}. No events can arrive until this is settled; what is stored is kept. Choose a port above 1023.',
  ),
  LISTENER_NOT_MOVED: entry(
    'The listener cannot be moved to {address}, port {port} ({detail}). It still listens at {url}, and nothing was changed. Choose another place.',
  ),
  ADDRESS_UNAVAILABLE: entry(
    '{address} is not an address of this computer now. No events can arrive until this is settled; what is stored is kept. Choose 127.0.0.1 or an address it has.',
  ),
  SUBSCRIPTIONS_LEFT_BEHIND: entry(
    'Subscriptions that still deliver to {url}, where this console no longer listens: {count}. What they send is lost after about 30 seconds. Move the listener back; or look in Webhooks whether one points to its new address, and make one where none does.',
  ),
  SUBSCRIPTION_NOT_MADE: entry(
    'The listener listens at {url} now, but there could be no subscription made for that address ({reason}). Nothing is delivered there; what is stored is kept, and subscriptions made before keep their own address. Give the listener an address that the service can reach, or subscribe under Webhooks.',
  ),
  WIDE_BIND_NEEDS_SECRET: entry(
    'Listening beyond this computer needs a webhook secret, else anyone could send events. Nothing was changed. Set a secret first.',
  ),
  LISTENER_FAILED: entry(
    'The webhook listener stopped: {detail}. Events already acknowledged are safe. It is being started again.',
    true,
  ),

  // Storage
  DISK_FULL: entry(
    'The disk is full. Nothing of this action was saved; what was saved before is intact. Free some space and try again.',
    true,
  ),
  STORAGE_READ_ONLY: entry(
    'The data folder cannot be written ({path}). Nothing of this action was saved. Check its permissions.',
  ),
  STORAGE_DAMAGED: entry(
    'A database of this connection was damaged ({file}). It was set aside as {asideFile}. {lost} Nothing else was touched.',
  ),
  STORAGE_DAMAGED_IN_USE: entry(
    'A database was found damaged while in use ({file}: {detail}). Nothing of this action was saved. Restart Switchboard: it sets the file aside and saves what can be read.',
  ),
  STORAGE_MISSING: entry(
    'The data folder {path} is not there. Nothing was created or changed. Check that its disk is mounted, or start with another data folder.',
  ),
  STORAGE_FROM_FUTURE: entry(
    '{file} was written by a newer Switchboard (schema {found}, this one knows {known}). It was not touched. Open it with the newer version.',
  ),
  STORAGE_BUSY: entry('The database is busy. Nothing of this action was saved. Try again.', true),
  STORAGE_FAILED: entry(
    'The database refused: {detail}. Nothing of this action was saved. Details are in the log.',
  ),

  // Tasks and files
  TASK_NOT_POSSIBLE: entry(
    'This task cannot {what}: it is {state}. Nothing was changed. The list shows what can be done with it.',
  ),
  LINK_IGNORED: entry(
    'A switchboard:// link was ignored because it names no page of Switchboard. Nothing was changed. Check the link.',
  ),
  OPENED_FILE_IGNORED: entry(
    '{name} cannot be imported. Nothing was changed. Switchboard opens CSV, TSV and text files.',
  ),
  OPENED_FILE_UNREADABLE: entry(
    '{name} cannot be read. Nothing was imported. Check that it still exists and that you may read it.',
  ),
  FILE_GONE: entry('This file is no longer kept here. Nothing was changed. Make it, or choose it, again.'),
  FILE_OUT_OF_STEP: entry(
    'The file did not arrive whole: {received} bytes of it are here, and byte {offset} was next. They are kept for a day. Choose the file again.',
  ),
  FILE_UNFINISHED: entry(
    'This file is not finished: what writes it is under way, or ended before its end. Nothing was given out. Wait for it, resume it, or make the file again.',
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
    '"{phone}" is not a number that can be called: {reason}. Nothing was saved. Correct it, with its country code.',
  ),
  CONTACT_EXISTS: entry(
    'A contact with {phone} is in the book already ({name}). Nothing was saved. Edit that one instead.',
  ),
  CONTACT_BUSY: entry(
    'A request for this contact is under way, or its outcome is not known. Nothing was changed. Settle it in the outbox first.',
  ),
  BOOK_FAILED: entry(
    'The part that writes the contact book stopped ({detail}). What it confirmed is kept; it is started again by itself. Try again.',
    true,
  ),

  // Do not contact
  DNC_MOVING: entry(
    'The Do Not Contact list kept changing while it was read. What was read is kept, but the copy is not called whole. Try again later.',
    true,
  ),
  NUMBER_INVALID: entry(
    '"{phone}" is not a number that can be looked up: {reason}. Nothing was changed. Correct it, with its country code.',
  ),

  // Imports
  IMPORT_FILE_EMPTY: entry('{name} holds no rows. Nothing was imported. Choose another file.'),
  IMPORT_FILE_NOT_TEXT: entry(
    '{name} is not a table of text ({detail}). Nothing was imported. Save it as CSV and choose it again.',
  ),
  IMPORT_TOO_WIDE: entry(
    '{name} has {columns} columns; at most {max} can be read. Nothing was imported. Remove those that say nothing about contacts and choose it again.',
  ),
  IMPORT_NOT_POSSIBLE: entry(
    'This import cannot {what}: it is {state}. Nothing was changed. The list of imports shows what can be done with it.',
  ),

  // Outbox
  OUTBOX_TOO_LATE: entry(
    'The time to take this back is over: {sent} of its items have left. Nothing more was changed. See the outbox for each.',
  ),
  ON_DNC: entry(
    '{phone} is on the Do Not Contact list or held here ({reason}). It was not sent, and stays in the book. Nothing needs to be done.',
  ),
  CRASHED_IN_FLIGHT: entry(
    'The console ended while this request was under way. It may have been done. Check at the service, then mark it as done, send it again, or discard it.',
  ),

  DELETION_REPEATED: entry(
    'The service did not say whether it deleted this. It is asked again, which does no harm where it did.',
  ),
  DELETION_UNKNOWN: entry(
    'The service was asked to delete this and did not say whether it did. Check there, then mark it as deleted, send it again, or discard it.',
  ),

  CONTACT_CHANGED: entry(
    'This contact was changed meanwhile, in another window or by an import. Nothing was saved. Cancel to see it as it is now, then change it again.',
  ),
  EDIT_BLOCKED: entry(
    'Nothing was saved. A change deletes the record at the service and makes a new one, which is not done for {phone}: {reason}.',
  ),
  DNC_LIST_NOT_FRESH: entry(
    'Nothing was queued: {state}, so it is not known who must not be contacted. Sync it under Do not contact, or go on knowingly.',
  ),

  // Flight recorder
  REPLAY_EMPTY: entry(
    'No event of the time between {from} and {to} is stored, so there is nothing to replay: none arrived, or they were deleted since. Nothing was changed. Choose another span.',
  ),
  REPLAY_ENDED: entry(
    'No replay is running: it was stopped, or the console was started anew. Live events were received and stored all the time. Start the replay again.',
  ),
  RECORDING_CHANGED: entry(
    'The stored events of this span changed while they were written ({expected} were there, {found} were written). No file was made. Write it again.',
    true,
  ),
  RECORDING_UNREADABLE: entry(
    'The signature of this recording fits, but line {line} could not be read as an event of its span: the console that wrote it may be another version. Nothing was replayed and nothing was stored. Replay it in the console that wrote it.',
  ),
  RECORDING_EMPTY: entry(
    'This recording holds no event, so there is nothing to replay: none had arrived in its span when it was written, or they had been deleted. Nothing was changed. Choose another file.',
  ),
  RECORDING_NO_ROOM: entry(
    'There is too little free disk space to replay this recording: {freeMiB} MiB are free and {neededMiB} MiB are needed, of which {keptMiB} MiB stay free for the deliveries that arrive. Nothing was replayed, and nothing of the file was left. Free some space and try again.',
    true,
  ),
  RECORDING_NOT_AS_CHECKED: entry(
    'The file changed in the data folder after it was checked. Nothing was replayed and nothing was stored. Choose it again, so that it is checked again.',
  ),
  RECORDER_KEY_UNREADABLE: entry(
    'The key that signs recordings could not be read from the keychain ({detail}). No file was made, and no other key was put in its place. Unlock the keychain and try again.',
    true,
  ),

  // Templates and sends
  TEMPLATE_IN_USE: entry(
    'This template is known here already, as {name}. Nothing was changed. Open that one.',
  ),
  SEND_NOT_POSSIBLE: entry(
    'This send cannot {what}: it is {state}. Nothing was changed. The list of sends shows what can be done with it.',
  ),
  SEND_PLAN_GONE: entry(
    'What this send prepared is no longer kept. Nothing was queued by this. Take back what is queued, if anything is, and prepare it again.',
  ),

  // Campaigns
  CAMPAIGN_ALREADY_PAUSED: entry(
    'This campaign was paused already, from another window or by a colleague. Nothing was sent.',
  ),
  CAMPAIGN_NOT_RUNNING: entry('This campaign is {status}, so it was not paused. Nothing was changed.'),
  PAUSE_NOT_CONFIRMED: entry(
    'The service answered, but the campaign is still {status}. Nothing else was tried. Refresh, and pause again if it still runs.',
    true,
  ),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable

/** Values that fill `{name}` in an error's text and that programs may read. Never a secret, never a stack. */
export type ErrorData = Record<string, string | number | boolean | null>

/** An error of the table. `cause` stays in the process; code, message and data may travel to the renderer. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly data: ErrorData
  /** How long to wait before trying again, milliseconds, where that is known. */
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

/**
 * The operator's sentence for `code`. A placeholder without a value becomes an empty text. Values may come from outside, so their
 * invisible characters are shown by name.
 */
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

/** What can be asked of the keychain process about one account of one service. */
export type KeychainQuestion =
  /** Answers the stored value, or null: also null when the keyring is locked, so a null proves nothing by itself. */
  | { op: 'get'; account: string }
  /** Stores the value and reads it back. Answers null. */
  | { op: 'set'; account: string; value: string }
  /** Deletes and reads back. Answers true when nothing is read any more; the same doubt as with `get`. */
  | { op: 'delete'; account: string }
  /** Stores, reads and deletes a canary under this account. Answers null, and only when all three worked. */
  | { op: 'probe'; account: string }

/** One message to the keychain process. Secrets travel in here and nowhere else: not in arguments, environment or logs. */
export type KeychainRequest = KeychainQuestion & { id: number; service: string }

/** One message back. `text` is the keychain's own words, never a stored value. */
export type KeychainAnswer =
  { id: number; ok: true; value: string | boolean | null } | { id: number; ok: false; text: string }

/**
 * A running keychain process, seen from its parent. Each host has its own way to start one:
 * `child_process.fork` under Node, `utilityProcess.fork` under Electron.
 */
export interface KeychainChannel {
  /** Sends one request. May throw when the process is gone. */
  post(message: KeychainRequest): void
  /** Called for every message from the process, as it arrived. */
  onMessage(callback: (message: unknown) => void): void
  /** Called once when the process has ended or could not be started, also after `kill`. */
  onExit(callback: () => void): void
  /** Ends the process at once; it may hang in a call, so nothing gentler than SIGKILL will do. */
  kill(): void
}

/**
 * The environment to start a keychain process with: the parent's, without Node options (an inspector port
 * would clash and would open the process that holds secrets), and with untranslated messages, which
 * `keychainFault` has to recognise. GLib translates its own by locale.
 */
export function keychainEnvironment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...parent, LC_ALL: 'C.UTF-8' }
  delete environment['NODE_OPTIONS']
  delete environment['LANGUAGE']
  return environment
}

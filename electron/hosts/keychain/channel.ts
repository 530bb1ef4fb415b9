/** Requests to the keychain process, about one account of one service. */
export type KeychainQuestion =
  /** Returns the stored value or null. A locked keyring also returns null, so null alone proves nothing. */
  | { op: 'get'; account: string }
  /** Stores the value and reads it back. Returns null. */
  | { op: 'set'; account: string; value: string }
  /** Deletes and reads back. Returns true when nothing is read, which proves as little as a null from `get`. */
  | { op: 'delete'; account: string }
  /** Stores, reads and deletes a canary. Returns null if all three worked. */
  | { op: 'probe'; account: string }

/** Secrets travel only in this message, never in arguments, environment or logs. */
export type KeychainRequest = KeychainQuestion & { id: number; service: string }

/** `text` is the keychain's own message, never a stored value. */
export type KeychainAnswer =
  | { id: number; ok: true; value: string | boolean | null }
  | { id: number; ok: false; text: string }

/** A running keychain process: `child_process.fork` under Node, `utilityProcess.fork` under Electron. */
export interface KeychainChannel {
  /** May throw when the process is gone. */
  post(message: KeychainRequest): void
  onMessage(callback: (message: unknown) => void): void
  /** Called once, when the process ended or could not start, also after `kill`. */
  onExit(callback: () => void): void
  /** SIGKILL: the process may hang in a call. */
  kill(): void
}

/**
 * Environment of a keychain process: the parent's, without Node options (an inspector could read secrets) and
 * with untranslated messages, which `keychainFault` matches. GLib translates by locale.
 */
export function keychainEnvironment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...parent, LC_ALL: 'C.UTF-8' }
  delete environment['NODE_OPTIONS']
  delete environment['LANGUAGE']
  return environment
}

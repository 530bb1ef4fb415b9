import type { ErrorCode } from '../contract/errors.ts'
import type { LogEntry } from '../lib/log.ts'

/** What a host can do. The renderer asks for these; it never asks which host it runs in. */
export type Capability =
  'notify.native' | 'file.dialog' | 'external.open' | 'window.native' | 'window.tray' | 'sessions'

/** Where secrets are kept now, and if not in the OS keychain, which of its states is the reason. */
export type SecretsState =
  { kind: 'keychain' } | { kind: 'memory'; code: Extract<ErrorCode, `KEYCHAIN_${string}`>; detail: string }

/**
 * Secrets by account name. Values live in the OS keychain, or in memory for this run when it cannot be used;
 * never anywhere else.
 */
export interface SecretStore {
  /** Tries the keychain with a canary and answers with the state found. Takes at most about 3.5 s. */
  probe(): Promise<SecretsState>
  state(): Promise<SecretsState>
  /** The stored value, or null when there is none. Rejects with a `KEYCHAIN_*` AppError when that cannot be told. */
  get(account: string): Promise<string | null>
  /** Keeps the value; answers where it is kept. Rejects with `SECRET_INVALID` for what no keychain can hold. */
  set(account: string, value: string): Promise<SecretsState>
  /**
   * Forgets the value, in memory at once. `removed` is false when the keychain could not confirm the removal
   * (read back after deleting): the caller keeps a tombstone and tries again later.
   */
  delete(account: string): Promise<{ removed: true } | { removed: false; state: SecretsState }>
}

/** How to reach a sandbox that a host has started. */
export interface SandboxAccess {
  baseUrl: string
  tenantName: string
  username: string
  password: string
  /** For calls that only the sandbox has, such as creating API keys. */
  adminToken: string
  /** The OTT channels of its tenant, which the API lists nowhere; a console may offer them. */
  channels?: readonly { id: string; name: string }[]
}

/** A notification for the operator's desktop. Plain text; never a secret. */
export interface Note {
  /** Names it when the operator clicks it. */
  key: string
  title: string
  body: string
}

/** Everything a host must bring, and nothing else. All members may be called from another thread, so all are asynchronous. */
export interface Ports {
  secrets: SecretStore
  /** Absolute folder of this profile, existing, mode 0700. */
  dataDir: string
  capabilities: readonly Capability[]
  /** Starts the built-in sandbox if it does not run yet, and answers how to reach it. */
  openSandbox(): Promise<SandboxAccess>
  /** Opens an https address in the system's browser. Rejects with `UNSUPPORTED` where the host cannot. */
  openExternal(url: string): Promise<void>
  /** Resolves when it is shown. Rejects with `UNSUPPORTED` where the host cannot show it; the page does so then. */
  notify(note: Note): Promise<void>
  /** Proxies for an origin, in the order to try, as URLs that may hold credentials; null connects directly. */
  resolveProxies(origin: string): Promise<(string | null)[]>
  /** Asks where to save, writes the bytes, and answers the path, or null when the operator cancelled. */
  saveFile(suggestedName: string, bytes: Uint8Array): Promise<string | null>
  /** Called when the webhook listener starts to listen at this address. */
  listening?(url: string): void
  log(entry: LogEntry): void
}

import type { Said } from '../contract/phrases.ts'
import type { KeychainCode } from '../contract/errors.ts'
import type { LogEntry } from '../lib/log.ts'

/** What a host can do. The renderer asks for these; it never asks which host it runs in. */
export type Capability =
  | 'notify.native'
  | 'file.dialog'
  | 'external.open'
  | 'window.native'
  | 'window.tray'
  | 'sessions'

/** Where secrets are stored now, and why if not in the OS keychain. */
export type SecretsState = { kind: 'keychain' } | { kind: 'memory'; code: KeychainCode; detail: Said }

/** Secrets by account name. Values live only in the OS keychain, or in memory for this run when it cannot be used. */
export interface SecretStore {
  /** Tests the keychain with a trial value and returns its state. Takes at most about 3.5 s. */
  probe(): Promise<SecretsState>
  state(): Promise<SecretsState>
  /** The stored value, or null. Rejects with a `KEYCHAIN_*` AppError when the keychain cannot be read. */
  get(account: string): Promise<string | null>
  /** Stores the value and returns where. Rejects with `SECRET_INVALID` for a value no keychain can hold. */
  set(account: string, value: string): Promise<SecretsState>
  /**
   * Removes the value, from memory at once. `removed` is false when the keychain could not confirm it (read back
   * after deleting); the caller then keeps a tombstone and tries again later.
   */
  delete(account: string): Promise<{ removed: true } | { removed: false; state: SecretsState }>
  /** Accounts whose value is only in memory, lost at the end of this run. */
  unsaved(): Promise<string[]>
}

/** How to reach a sandbox that a host has started. */
export interface SandboxAccess {
  baseUrl: string
  tenantName: string
  username: string
  password: string
  /** For calls only the sandbox has, such as creating API keys. */
  adminToken: string
  /** OTT channels of the sandbox's tenant, since the API cannot list them. */
  channels?: readonly { id: string; name: string }[]
  /** Records of the service to start with, since the API cannot list them. */
  samples?: {
    templates: readonly { id: string; name: string; body: string; variables: Record<string, string> }[]
    contacts: readonly {
      id: string
      name: string
      phone: string
      email?: string
      tags: Record<string, string>
    }[]
  }
}

/** A notification for the operator's desktop. Plain text; never a secret. */
export interface Note {
  /** Identifies the notification when the operator clicks it. */
  key: string
  title: string
  body: string
}

/** What a host provides. Members may be called from another thread, so all calls are asynchronous. */
export interface Ports {
  secrets: SecretStore
  /** Absolute path of this profile's folder. It exists, with mode 0700. */
  dataDir: string
  capabilities: readonly Capability[]
  /** Starts the built-in sandbox if needed and returns how to reach it. */
  openSandbox(): Promise<SandboxAccess>
  /** Opens a web page in the system browser. Rejects with `UNSUPPORTED` if the host cannot. */
  openExternal(url: string): Promise<void>
  /** Resolves once shown. Rejects with `UNSUPPORTED` if the host cannot show it; the page then does. */
  notify(note: Note): Promise<void>
  /** Proxies for an origin, in the order to try, as URLs that may hold credentials; null connects directly. */
  resolveProxies(origin: string): Promise<(string | null)[]>
  /** Asks where to save and writes the bytes. Returns the path, or null when the operator cancels. */
  saveFile(suggestedName: string, bytes: Uint8Array): Promise<string | null>
  /** Called when the webhook listener starts listening at this address. */
  listening?(url: string): void
  log(entry: LogEntry): void
}

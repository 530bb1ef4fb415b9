import type { ErrorView } from '../contract/define.ts'
import type { CoreConfig } from '../core/create-core.ts'
import type { HostRequest } from '../core/connection/desktop/desktop.service.ts'
import type { Capability, Ports, SecretStore } from '../core/ports.ts'

/** `workerData` of the core thread. The functions of the ports are called over the thread's port. */
export interface CoreThreadData {
  config: CoreConfig
  dataDir: string
  capabilities: readonly Capability[]
}

/** The functions of the ports, as calls from the core thread to the host. */
export type HostCalls = SecretStore & Required<Omit<Ports, 'secrets' | 'dataDir' | 'capabilities'>>

/** Calls without an answer. */
export const hostEvents = ['log', 'listening'] as const

/** Calls from the host to the core thread. A window's or socket's port travels beside them. */
export interface CoreCalls {
  start(): Promise<CoreStart>
  ask(request: HostRequest): Promise<void>
  suspend(): Promise<void>
  wake(): Promise<void>
  stop(): Promise<void>
  /** Answers while the core responds. */
  ping(): void
}

/** Where webhooks arrive, or why they don't. */
export interface CoreStart {
  listenerUrl: string | null
  problem: ErrorView | null
}

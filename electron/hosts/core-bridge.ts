import type { ErrorView } from '../contract/define.ts'
import { AppError, type ErrorCode, type ErrorData, isAppError } from '../contract/errors.ts'
import type { CoreConfig } from '../core/create-core.ts'
import type { HostRequest } from '../core/connection/desktop/desktop.service.ts'
import type { Capability, Ports, SandboxAccess, SecretsState } from '../core/ports.ts'
import type { LogEntry } from '../lib/log.ts'
import type { CoreEnd } from './core-port.ts'

/** `workerData` of the core thread. The functions of the ports are called over the thread's port. */
export interface CoreThreadData {
  config: CoreConfig
  dataDir: string
  capabilities: readonly Capability[]
}

/** The ports as flat calls from the core thread to the host. */
export interface HostCalls {
  secretsProbe(): Promise<SecretsState>
  secretsState(): Promise<SecretsState>
  secretsGet(account: string): Promise<string | null>
  secretsSet(account: string, value: string): Promise<SecretsState>
  secretsDelete(account: string): ReturnType<Ports['secrets']['delete']>
  secretsUnsaved(): Promise<string[]>
  openSandbox(): Promise<SandboxAccess>
  openExternal(url: string): Promise<void>
  notify(note: Parameters<Ports['notify']>[0]): Promise<void>
  resolveProxies(origin: string): Promise<(string | null)[]>
  saveFile(suggestedName: string, bytes: Uint8Array): Promise<string | null>
  log(entry: LogEntry): void
  listening(url: string): void
}

/** Calls without an answer. */
export const hostEventNames = ['log', 'listening'] as const satisfies (keyof HostCalls)[]

/**
 * Calls from the host to the core thread. A window's or socket's port travels beside them as a
 * `ConnectMessage`.
 */
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

/** Hands a renderer's port to the core thread. */
export interface ConnectMessage extends CoreEnd {
  kind: 'connect'
}

export function isConnectMessage(message: unknown): message is ConnectMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'connect'
}

/** An error as it crosses a thread: structured clone drops the class and code of an `AppError`. */
interface WireError {
  code: ErrorCode | null
  data: ErrorData
  message: string
  stack: string | null
}

function toWire(error: unknown): WireError {
  const isError = error instanceof Error
  return {
    code: isAppError(error) ? error.code : null,
    data: isAppError(error) ? error.data : {},
    message: isError ? error.message : String(error),
    stack: isError ? (error.stack ?? null) : null,
  }
}

function fromWire(wire: WireError): Error {
  if (wire.code !== null) {
    return new AppError(wire.code, wire.data)
  }
  const error = new Error(wire.message)
  if (wire.stack !== null) error.stack = wire.stack
  return error
}

/** For birpc on both sides, whose answers carry a thrown error in `e`. */
export const bridgeCodec = {
  serialize: (message: { e?: unknown }): unknown =>
    message.e === undefined ? message : { ...message, e: toWire(message.e) },
  deserialize: (message: { e?: WireError }): unknown =>
    message.e === undefined ? message : { ...message, e: fromWire(message.e) },
}

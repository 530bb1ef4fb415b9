import { type ClientLink, createORPCClient } from '@orpc/client'
import { RPCLink, type SupportedMessagePort } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { connectionHeader, wireTypes } from '#contract/wire-types.ts'
import type { Contract } from '#contract/contract.ts'
import { AppError } from '#contract/errors.ts'
import { type Core, type CoreConfig, createCore } from '#electron/core/create-core.ts'
import type { Note, Ports, SecretsState, SecretStore } from '#electron/core/ports.ts'
import type { Clock } from '#electron/lib/clock.ts'
import type { LogEntry } from '#electron/lib/log.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '#electron/sandbox/create-sandbox.ts'

export type Rpc = ContractRouterClient<Contract>

/** A secret store in memory that can act like a keychain in one of its states. */
export function fakeSecrets(): SecretStore & {
  values: Map<string, string>
  fail(state: SecretsState | null): void
} {
  const values = new Map<string, string>()
  /** Accounts written while it fails. */
  const unsaved = new Set<string>()
  let failing: SecretsState | null = null
  const state = (): SecretsState => failing ?? { kind: 'keychain' }
  return {
    values,
    fail(next) {
      failing = next
      if (next === null) unsaved.clear()
    },
    probe: () => Promise.resolve(state()),
    state: () => Promise.resolve(state()),
    get: (account) =>
      failing?.kind === 'memory' && !unsaved.has(account)
        ? Promise.reject(new AppError(failing.code, { detail: failing.detail }))
        : Promise.resolve(values.get(account) ?? null),
    set(account, value) {
      values.set(account, value)
      if (failing?.kind === 'memory') unsaved.add(account)
      return Promise.resolve(state())
    },
    delete(account) {
      const now = state()
      if (now.kind === 'memory') return Promise.resolve({ removed: false, state: now })
      values.delete(account)
      return Promise.resolve({ removed: true })
    },
    unsaved: () => Promise.resolve([...unsaved]),
  }
}

export interface RunningCore {
  core: Core
  /** Its calls go to the connection in front. */
  rpc: Rpc
  /** Calls of a page that shows this connection. */
  rpcOf(connectionId: string): Rpc
  /** Set once the sandbox was opened through the core's port, or from the start with `sandbox`. */
  sandbox: Sandbox
  secrets: ReturnType<typeof fakeSecrets>
  dataDir: string
  log: LogEntry[]
  /** What the host was asked to show on the desktop. */
  notes: Note[]
  /** Addresses that the host was asked to open. */
  openedUrls: string[]
  started: Awaited<ReturnType<Core['start']>>
  /** Stops the core and keeps its data and its sandbox for a next start. */
  stopCore(): Promise<void>
  stop(): Promise<void>
}

const noSandbox = { stop: () => Promise.resolve() } as Sandbox

/** Calls over a port that a core serves. */
export function callsOver(port: SupportedMessagePort): Pick<RunningCore, 'rpc' | 'rpcOf'> {
  const link = new RPCLink<{ connectionId?: string }>({
    port,
    customJsonSerializers: wireTypes,
    headers: ({ context: { connectionId } }) =>
      connectionId === undefined ? {} : { [connectionHeader]: connectionId },
  })
  return {
    rpc: createORPCClient(link),
    rpcOf: (connectionId) =>
      createORPCClient({
        call: (path, input, options) => link.call(path, input, { ...options, context: { connectionId } }),
      } satisfies ClientLink<object>),
  }
}

/** A real core over real databases and the real sandbox, in this process; only the host's ports are stand-ins. */
export async function startCore(options: {
  /** Null where a test has its own service: a sandbox costs more than some tests. */
  sandbox?: SandboxOptions | null
  config?: Partial<CoreConfig>
  clock?: Clock
  /** The host's capabilities; by default it shows notifications. */
  capabilities?: Ports['capabilities']
  /** Its data folder; a new one by default. */
  dataDir?: string
  /** Its keychain; a new one by default. */
  secrets?: ReturnType<typeof fakeSecrets>
  /** The folder, secrets and sandbox of an earlier core. */
  after?: RunningCore
}): Promise<RunningCore> {
  const { after } = options
  const dataDir = after?.dataDir ?? options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-core-'))
  const secrets = after?.secrets ?? options.secrets ?? fakeSecrets()
  const sandbox =
    after?.sandbox ??
    (options.sandbox === null
      ? noSandbox
      : await createSandbox({
          traffic: false,
          // The console paces its requests by the limit that the service shows.
          rateLimitPerMinute: 1_000_000,
          // At the usual rate, past messages of the seed take a quarter of a start's processor time.
          ratePerSecond: 2,
          ...options.sandbox,
        }))
  const log: LogEntry[] = []
  const notes: Note[] = []
  const openedUrls: string[] = []
  const ports: Ports = {
    secrets,
    dataDir,
    capabilities: options.capabilities ?? ['notify.native'],
    openSandbox() {
      const [tenant] = sandbox.tenants
      return Promise.resolve({
        baseUrl: sandbox.baseUrl,
        tenantName: tenant!.name,
        username: tenant!.username,
        password: tenant!.password,
        adminToken: sandbox.adminToken,
        channels: sandbox.tenant().channels(),
      })
    },
    openExternal: (url) => Promise.resolve(void openedUrls.push(url)),
    notify: (note) => Promise.resolve(void notes.push(note)),
    resolveProxies: () => Promise.resolve([null]),
    saveFile: () => Promise.resolve(null),
    log: (entry) => void log.push(entry),
  }
  const config: CoreConfig = {
    version: 'test',
    startWith: { kind: 'none' },
    listenerPort: 0,
    ...options.config,
  }
  const core = createCore(ports, config, {
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    // Short delays between tries.
    random: () => 0.02,
  })
  const started = await core.start()
  const { port1, port2 } = new MessageChannel()
  core.serve(port2)
  const { rpc, rpcOf } = callsOver(port1)
  port1.start()
  const stopCore = async () => {
    port1.close()
    await core.stop()
  }
  return {
    core,
    rpc,
    rpcOf,
    sandbox,
    secrets,
    dataDir,
    log,
    notes,
    openedUrls,
    started,
    stopCore,
    async stop() {
      await stopCore()
      await sandbox.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

import { createBirpc } from 'birpc'
import { parentPort, workerData } from 'node:worker_threads'
import type { Core, CoreConfig } from '../core/create-core.ts'
import type { Ports } from '../core/ports.ts'
import { createLog } from '../lib/log.ts'
import {
  bridgeCodec,
  type CoreCalls,
  type CoreThreadData,
  type HostCalls,
  hostEventNames,
  isConnectMessage,
} from './core-bridge.ts'
import { type CoreEnd, countTaken } from './core-port.ts'

/** One cause may reject many times, so log at most once per period. */
const rejectionLogPeriodMs = 1_000

/**
 * The thread's side of the bridge: creates the core at `start`, with ports that call the host, and serves
 * each renderer's port.
 */
export function runCore(create: (ports: Ports, config: CoreConfig) => Core): void {
  if (parentPort === null) throw new Error('The core only runs in a host’s thread.')
  const host = parentPort
  const { config, dataDir, capabilities } = workerData as CoreThreadData
  const waiting: CoreEnd[] = []
  let core: Core | undefined

  const calls: CoreCalls = {
    async start() {
      core = create(ports, config)
      for (const end of waiting.splice(0)) serve(core, end)
      return core.start()
    },
    async ask(request) {
      await core?.ask(request)
    },
    suspend: async () => core?.suspend(),
    wake: async () => core?.wake(),
    async stop() {
      await core?.stop()
    },
    ping() {},
  }
  const rpc = createBirpc<HostCalls, CoreCalls>(calls, {
    post: (message) => host.postMessage(message),
    on: (receive) => {
      host.on('message', (message: unknown) => {
        if (!isConnectMessage(message)) receive(message)
        else if (core) serve(core, message)
        else waiting.push(message)
      })
    },
    ...bridgeCodec,
    bind: 'functions',
    eventNames: [...hostEventNames],
    // Ports have their own deadlines, and a save dialog waits for a person.
    timeout: -1,
  })
  const ports: Ports = {
    dataDir,
    capabilities,
    secrets: {
      probe: () => rpc.secretsProbe(),
      state: () => rpc.secretsState(),
      get: (account) => rpc.secretsGet(account),
      set: (account, value) => rpc.secretsSet(account, value),
      delete: (account) => rpc.secretsDelete(account),
      unsaved: () => rpc.secretsUnsaved(),
    },
    openSandbox: () => rpc.openSandbox(),
    openExternal: (url) => rpc.openExternal(url),
    notify: (note) => rpc.notify(note),
    resolveProxies: (origin) => rpc.resolveProxies(origin),
    saveFile: (suggestedName, bytes) => rpc.saveFile(suggestedName, bytes),
    log: (entry) => void rpc.log(entry),
    listening: (url) => void rpc.listening(url),
  }
  logRejections(ports)
}

function serve(core: Core, end: CoreEnd): void {
  countTaken(end)
  core.serve(end.port)
}

/**
 * Unhandled rejections are logged instead of ending the thread and every page's calls. Thrown errors still
 * end it; the host restarts it.
 */
function logRejections(ports: Ports): void {
  const log = createLog(ports.log, 'core')
  let lastMs = -Infinity
  let suppressed = 0
  process.on('unhandledRejection', (reason) => {
    const nowMs = performance.now()
    if (nowMs - lastMs < rejectionLogPeriodMs) {
      suppressed++
      return
    }
    lastMs = nowMs
    log.error('Unhandled rejection', { error: reason, suppressedBefore: suppressed })
    suppressed = 0
  })
}

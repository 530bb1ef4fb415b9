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

/** Rejections that nobody awaited are written down this often at most, milliseconds: one cause may make many. */
const rejectionLogPeriodMs = 1_000

/**
 * The thread's half of the bridge: builds the core with ports that call the host, and gives it every renderer's port.
 * `create` is called once, when the host asks to start.
 */
export function runCore(create: (ports: Ports, config: CoreConfig) => Core): void {
  if (parentPort === null) throw new Error('The core runs in a thread of a host, not by itself.')
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
    // Every port has a deadline of its own, and a save dialog waits for a person.
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
 * A rejection that nobody awaited would end the thread, and with it every page's calls: it is written down and the thread
 * lives. A thrown error still ends it, and the host starts it again.
 */
function logRejections(ports: Ports): void {
  const log = createLog(ports.log, 'core')
  let lastMs = -Infinity
  let unsaid = 0
  process.on('unhandledRejection', (reason) => {
    const nowMs = performance.now()
    if (nowMs - lastMs < rejectionLogPeriodMs) {
      unsaid++
      return
    }
    lastMs = nowMs
    log.error('a rejection was not handled', { error: reason, unsaidBefore: unsaid })
    unsaid = 0
  })
}

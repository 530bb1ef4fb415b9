import { type MessagePort, workerData } from 'node:worker_threads'
import type { Core, CoreConfig } from '../core/create-core.ts'
import type { Ports } from '../core/ports.ts'
import { createLog } from '../lib/log.ts'
import { connectCalls, ownersPort } from '../threads/calls.ts'
import { type CoreCalls, type CoreThreadData, type HostCalls, hostEvents } from './core-bridge.ts'

/** One cause may reject many times, so log at most once per period. */
const rejectionLogPeriodMs = 1_000

/** The thread's side of the bridge: creates the core with ports that call the host, and serves renderers' ports. */
export function runCore(create: (ports: Ports, config: CoreConfig) => Core): void {
  const { config, dataDir, capabilities } = workerData as CoreThreadData
  const waiting: MessagePort[] = []
  let core: Core | undefined

  const calls: CoreCalls = {
    async start() {
      core = create(ports, config)
      for (const port of waiting.splice(0)) core.serve(port)
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
  const { calls: host } = connectCalls<HostCalls, CoreCalls>(ownersPort(), calls, {
    events: hostEvents,
    onPort({ port }) {
      if (core) core.serve(port)
      else waiting.push(port)
    },
  })
  const ports: Ports = {
    dataDir,
    capabilities,
    secrets: host,
    openSandbox: host.openSandbox,
    openExternal: host.openExternal,
    notify: host.notify,
    resolveProxies: host.resolveProxies,
    saveFile: host.saveFile,
    log: (entry) => void host.log(entry),
    listening: (url) => void host.listening(url),
  }
  logRejections(ports)
}

/** Unhandled rejections are logged and end no page's calls. Thrown errors end the thread; the host restarts it. */
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

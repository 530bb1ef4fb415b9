import { createBirpc } from 'birpc'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { releaseMemoryAfterStart } from '../lib/release-memory.ts'
import { createListener } from './listener.ts'
import { createPorts } from './ports.ts'
import type { ListenerEvents, ListenerFunctions } from './protocol.ts'

/** Entry of the listener thread. Each message port it gets is one connection's listener and speaks birpc. */
if (!parentPort) throw new Error('This file is started as a worker thread')
releaseMemoryAfterStart()

const ports = createPorts(systemClock)

parentPort.on('message', (port: MessagePort) => {
  const log = createLog((entry) => {
    if (entry.level !== 'debug') core.log(entry.level, entry.message, entry.data)
  }, 'listener')
  const listener = createListener({
    clock: systemClock,
    log,
    ports,
    events: {
      journalGrew: (lastSeq) => void core.journalGrew(lastSeq),
      stats: (stats) => void core.stats(stats),
      journalDamaged: (problems) => void core.journalDamaged(problems),
      storing: (state) => void core.storing(state),
      relay: (status) => void core.relay(status),
      proxies: (origin) => core.proxies(origin),
    },
  })
  const core = createBirpc<ListenerEvents, ListenerFunctions>(listener, {
    post: (data) => port.postMessage(data),
    on: (receive) => port.on('message', receive),
    eventNames: ['journalGrew', 'stats', 'journalDamaged', 'storing', 'relay', 'log'],
  })
  port.on('close', () => void listener.stop())
})

import { systemClock } from '../lib/clock.ts'
import { releaseMemoryAfterStart } from '../lib/release-memory.ts'
import { connectCalls, ownersLog, ownersPort } from '../threads/calls.ts'
import { createListener } from './listener.ts'
import { createPorts } from './ports.ts'
import type { ListenerEvents, ListenerFunctions } from './protocol.ts'

/** Entry of the listener thread. Each message port it gets is one connection's listener. */
releaseMemoryAfterStart()

const ports = createPorts(systemClock)

connectCalls(
  ownersPort(),
  {},
  {
    onPort({ port }) {
      const log = ownersLog('listener', () => core)
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
      const { calls: core } = connectCalls<ListenerEvents, ListenerFunctions>(port, listener, {
        events: ['journalGrew', 'stats', 'journalDamaged', 'storing', 'relay', 'log'],
        file: 'journal.db',
        log,
      })
      port.on('close', () => void listener.stop())
    },
  },
)

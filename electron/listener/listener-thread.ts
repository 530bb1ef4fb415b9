import { createBirpc } from 'birpc'
import { parentPort } from 'node:worker_threads'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createListener } from './listener.ts'
import type { ListenerEvents, ListenerFunctions } from './protocol.ts'

/** Entry of the listener thread; speaks birpc over its message port. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')

const log = createLog((entry) => {
  if (entry.level !== 'debug') core.log(entry.level, entry.message, entry.data)
}, 'listener')
const listener = createListener({
  clock: systemClock,
  log,
  events: {
    journalGrew: (lastSeq) => void core.journalGrew(lastSeq),
    stats: (stats) => void core.stats(stats),
    journalDamaged: (problems) => void core.journalDamaged(problems),
    storing: (state) => void core.storing(state),
  },
})
const core = createBirpc<ListenerEvents, ListenerFunctions>(listener, {
  post: (data) => port.postMessage(data),
  on: (receive) => port.on('message', receive),
  eventNames: ['journalGrew', 'stats', 'journalDamaged', 'storing', 'log'],
})

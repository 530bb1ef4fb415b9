import { createBirpc } from 'birpc'
import { parentPort } from 'node:worker_threads'
import { systemClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { createBook } from './book.ts'
import type { BookEvents, BookFunctions } from './protocol.ts'

/** Entry of the book thread: the only writer of the contact book and of its search index. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')

const log = createLog((entry) => {
  if (entry.level !== 'debug') core.log(entry.level, entry.message, entry.data)
}, 'book')
const book = createBook({
  clock: systemClock,
  log,
  events: { changed: (version) => void core.changed(version) },
})
const core = createBirpc<BookEvents, BookFunctions>(book, {
  post: (data) => port.postMessage(data),
  on: (receive) => port.on('message', receive),
  eventNames: ['changed', 'log'],
})

import { createBirpc } from 'birpc'
import { MessagePort, parentPort } from 'node:worker_threads'
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
  on(receive) {
    port.on('message', (message: unknown) => {
      if (message instanceof MessagePort) serveJob(message)
      else receive(message)
    })
  },
  eventNames: ['changed', 'log'],
})

/** A job that writes rows comes over a port of its own, so that they need not go through the core. */
function serveJob(jobPort: MessagePort): void {
  createBirpc<Record<string, never>, Pick<BookFunctions, 'importRows'>>(
    { importRows: book.importRows },
    {
      post: (data) => jobPort.postMessage(data),
      on: (receive) => jobPort.on('message', receive),
    },
  )
}

import { createBirpc } from 'birpc'
import { MessagePort, parentPort } from 'node:worker_threads'
import { systemClock } from '../../lib/clock.ts'
import { releaseMemoryAfterStart } from '../../lib/release-memory.ts'
import { createContactStore, type Feed } from './contact-store.ts'
import { openLog } from './opening.ts'
import type {
  StoreEvents,
  StoreFunctions,
  ImportFunctions,
  SearchFeed,
  SearchFeedEvents,
} from './protocol.ts'

/** Entry of the contacts thread: the only writer of contacts. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
releaseMemoryAfterStart()

let feed: Feed | null = null
const store = createContactStore({
  clock: systemClock,
  log: openLog('contact-store', (...entry) => void core.log(...entry)),
  events: {
    changed: (version) => void core.changed(version),
    damaged: (file, problems) => void core.damaged(file, problems),
  },
  feed: () => feed,
})
const core = createBirpc<StoreEvents, StoreFunctions>(store.functions as StoreFunctions, {
  post: (data) => port.postMessage(data),
  on(receive) {
    port.on('message', (message: unknown) => {
      if (!isPort(message)) receive(message)
      else if (message.to === 'search') feedSearch(message.port)
      else serveJob(message.port)
    })
  },
  eventNames: ['changed', 'log', 'damaged'],
})

function isPort(message: unknown): message is { to: 'search' | 'job'; port: MessagePort } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'port' in message &&
    message.port instanceof MessagePort
  )
}

function feedSearch(searchPort: MessagePort): void {
  const search = createBirpc<SearchFeed, SearchFeedEvents>(
    { indexed: store.indexed },
    {
      post: (data) => searchPort.postMessage(data),
      on: (receive) => searchPort.on('message', receive),
      timeout: -1,
    },
  )
  feed = search as unknown as Feed
  // Rejects calls that wait for the index when its thread ends; it catches up from the contact store.
  searchPort.on('close', () => {
    if (feed === (search as unknown as Feed)) feed = null
    search.$close(new Error('The search thread ended'))
  })
}

/** Import rows use their own port, to bypass the core. */
function serveJob(jobPort: MessagePort): void {
  const { functions, gone } = store.serveImport()
  createBirpc<Record<string, never>, ImportFunctions>(functions, {
    post: (data) => jobPort.postMessage(data),
    on: (receive) => jobPort.on('message', receive),
  })
  jobPort.on('close', gone)
}

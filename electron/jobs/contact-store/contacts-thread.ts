import { systemClock } from '../../lib/clock.ts'
import { releaseMemoryAfterStart } from '../../lib/release-memory.ts'
import { connectCalls, type HandedPort, ownersLog, ownersPort, type Remote } from '../../threads/calls.ts'
import { createContactStore } from './contact-store.ts'
import type {
  StoreEvents,
  StoreFunctions,
  ImportFunctions,
  SearchFeed,
  SearchFeedEvents,
} from './protocol.ts'

/** Entry of the contacts thread: the only writer of contacts. */
releaseMemoryAfterStart()

/** The search thread, or a job that writes rows of an import, so that they bypass the core. */
type Guest = HandedPort & { guest: 'search' | 'job' }

let feed: Remote<SearchFeed> | null = null
const log = ownersLog('contact-store', () => core)
const store = createContactStore({
  clock: systemClock,
  log,
  events: {
    changed: (version) => void core.changed(version),
    damaged: (file, problems) => void core.damaged(file, problems),
  },
  feed: () => feed,
})
const file = 'contacts.db'
const { calls: core } = connectCalls<StoreEvents, StoreFunctions, Guest>(ownersPort(), store.functions, {
  events: ['changed', 'log', 'damaged'],
  file,
  log,
  onPort({ guest, port }) {
    if (guest === 'job') {
      const { functions, gone } = store.serveImport()
      connectCalls<object, ImportFunctions>(port, functions, { file, log })
      port.on('close', gone)
      return
    }
    // When its thread ends, calls that wait for the index reject; it catches up from the contact store.
    const search = connectCalls<SearchFeed, SearchFeedEvents>(
      port,
      { indexed: store.indexed },
      { events: ['catchUp'], gone: () => new Error('The search thread ended') },
    ).calls
    feed = search
    port.on('close', () => {
      if (feed === search) feed = null
    })
  },
})

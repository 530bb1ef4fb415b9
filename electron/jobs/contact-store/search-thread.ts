import { createBirpc } from 'birpc'
import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessagePort, parentPort } from 'node:worker_threads'
import { AppError } from '../../contract/errors.ts'
import { type OpenedDatabase, openDatabase, openReader } from '../../database/open.ts'
import { createLogTruncation, truncateLog } from '../../database/truncate-log.ts'
import { systemClock } from '../../lib/clock.ts'
import { releaseMemoryAfterStart } from '../../lib/release-memory.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { type ContactReads, createContactReads } from './contact-reads.ts'
import { createContactSearch } from './contact-search.ts'
import { damageOf, openLog, refusal } from './opening.ts'
import type { StoreAnswer, StoreEvents, SearchFeed, SearchFeedEvents, SearchFunctions } from './protocol.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'

/** Entry of the search thread: the only writer of the index, and the reader for slow queries. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
yieldToOthers()
releaseMemoryAfterStart()

/** Deleted contacts leave the index this long after their deletion. */
const clearAfterMs = 2_000

interface Open {
  search: OpenedDatabase
  closeContacts: () => void
  index: SearchIndex
  reads: ContactReads
}

const log = openLog('search', (...entry) => void core.log(...entry))
let open: Open | null = null
let stepping = false
let feedEvents: SearchFeedEvents | null = null
let clearing: (() => void) | null = null
const truncation = createLogTruncation(systemClock, () => {
  if (!open) return true
  const truncated = functions.truncateIndexLog()
  return truncated.ok && truncated.value
})

/** Waits for more deletions, as it rewrites the whole index. */
function clearSoon(): void {
  clearing ??= systemClock.after(clearAfterMs, () => {
    clearing = null
    try {
      open?.index.clear()
    } catch (error) {
      log.error('Could not remove deleted contacts from the search index', { error })
    }
    catchUp()
  })
}

/** Works in steps, so calls are answered in between. */
function catchUp(): void {
  if (stepping) return
  stepping = true
  let reported: number | null = null
  const step = () => {
    let more = false
    try {
      more = open?.index.step() ?? false
      const touched = open?.index.touched() ?? null
      if (touched !== null && !more && touched !== reported) feedEvents?.indexed((reported = touched))
      more ||= open?.index.tidy() ?? false
    } catch (error) {
      log.error('Could not add contacts to the search index', { error })
    }
    if (more) setImmediate(step)
    else {
      stepping = false
      truncation.soon()
      if (open?.index.hasDeleted()) clearSoon()
    }
  }
  setImmediate(step)
}

const feed: SearchFeed = {
  catchUp,
  async complete() {
    while (open?.index.step()) await nextTurn()
    if (open) feedEvents?.indexed(open.index.touched())
    catchUp()
  },
}

function answer<T>(work: (opened: Open) => T): StoreAnswer<T> {
  try {
    if (!open) throw new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.searchNotOpen' } })
    return { ok: true, value: work(open) }
  } catch (error) {
    return refusal(error, 'search.db', log)
  }
}

const functions: SearchFunctions = {
  open({ contactsFile, searchFile }) {
    try {
      const search = openDatabase({
        file: searchFile,
        schema: 'search',
        log,
        now: systemClock.now,
        clock: systemClock,
        onDamage: (problems) => void core.damaged(basename(searchFile), problems),
        // FTS5 reads all of the index for it: 2 s per million contacts.
        wholeCheckLimitBytes: 1_000_000,
      })
      const contactsReader = openReader(contactsFile)
      const index = createSearchIndex(contactsReader.db, search.db)
      const reads = createContactReads(contactsReader.db, createContactSearch(contactsReader.db, search.db))
      open = { search, closeContacts: contactsReader.close, index, reads }
      catchUp()
      return { ok: true, value: damageOf(search) }
    } catch (error) {
      return refusal(error, searchFile, log)
    }
  },
  figures: () => answer(({ reads }) => reads.figures()),
  count: (filter) => answer(({ reads }) => reads.count(filter)),
  ids: (...selected) => answer(({ reads }) => reads.ids(...selected)),
  tagKeys: () => answer(({ reads }) => reads.tagKeys()),
  async clearIndex() {
    try {
      while (open?.index.step()) await nextTurn()
      open?.index.clear()
      while (open?.index.tidy()) await nextTurn()
      return { ok: true, value: null }
    } catch (error) {
      return refusal(error, 'search.db', log)
    }
  },
  truncateIndexLog: () => answer(({ search }) => truncateLog(search.db)),
  order: (by) => answer(({ reads }) => reads.order(by)),
  close() {
    const closing = open
    open = null
    clearing?.()
    clearing = null
    truncation.stop()
    closing?.search.close()
    closing?.closeContacts()
  },
}

const core = createBirpc<Pick<StoreEvents, 'log' | 'damaged'>, SearchFunctions>(functions, {
  post: (data) => port.postMessage(data),
  on(receive) {
    port.on('message', (message: unknown) => {
      if (message instanceof MessagePort) serveContacts(message)
      else receive(message)
    })
  },
  eventNames: ['log', 'damaged'],
})

function serveContacts(contactsPort: MessagePort): void {
  feedEvents = createBirpc<SearchFeedEvents, SearchFeed>(feed, {
    post: (data) => contactsPort.postMessage(data),
    on: (receive) => contactsPort.on('message', receive),
    eventNames: ['indexed'],
  })
}

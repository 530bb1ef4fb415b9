import { basename } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../contract/errors.ts'
import { type OpenedDatabase, openDatabase, openReader, type Database } from '../../database/open.ts'
import { createLogTruncation, truncateLog } from '../../database/truncate-log.ts'
import { systemClock } from '../../lib/clock.ts'
import { releaseMemoryAfterStart } from '../../lib/release-memory.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { createContactSearch, type ContactSearch } from './contact-search.ts'
import {
  damageOf,
  type StoreEvents,
  type SearchFeed,
  type SearchFeedEvents,
  type SearchFunctions,
} from './protocol.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import { connectCalls, ownersLog, ownersPort, type Remote, type Served } from '../../threads/calls.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { readOrder } from './contact-order.ts'
import { marks } from './store-types.ts'

/** Values per tag key, most common first. */
const tagValuesMax = 20

/** Reads of the search thread; each takes time that grows with the contacts. */
type ContactReads = Omit<SearchFunctions, 'open' | 'close' | 'clearIndex' | 'truncateIndexLog'>

function createContactReads(contactsDb: Database, search: ContactSearch): ContactReads {
  return {
    figures() {
      const byState = contactsDb
        .prepare<[], { state: number; n: number }>(
          'SELECT state, count(*) AS n FROM contacts WHERE state <> 0 GROUP BY state',
        )
        .all()
      const count = (where: string) =>
        contactsDb.prepare<[], number>(`SELECT count(*) FROM contacts WHERE ${where}`).pluck().get()!
      return {
        total: count('1'),
        byState: Object.fromEntries(byState.map(({ state, n }) => [state, n])),
        dnc: count(`marks <> 0 AND marks & ${marks.dnc} <> 0`),
        held: count(`marks <> 0 AND marks & ${marks.held} <> 0`),
      }
    },

    count: (filter) => search.count(filter),
    ids: search.ids,

    tagKeys() {
      const keys = new Map<string, { count: number; values: Map<string, number> }>()
      const sets = contactsDb
        .prepare<[], { json: string; n: number }>(
          `SELECT t.json, u.n FROM (SELECT tag_set, count(*) AS n FROM contacts GROUP BY tag_set) u
           JOIN tag_sets t ON t.id = u.tag_set`,
        )
        .iterate()
      for (const { json, n } of sets) {
        for (const [key, value] of Object.entries(readTagsJson(json) ?? {})) {
          const known = keys.get(key) ?? { count: 0, values: new Map<string, number>() }
          known.count += n
          if (known.values.size < 1_000 || known.values.has(value))
            known.values.set(value, (known.values.get(value) ?? 0) + n)
          keys.set(key, known)
        }
      }
      return [...keys]
        .map(([key, { count, values }]) => ({
          key,
          count,
          values: [...values]
            .sort((a, b) => b[1] - a[1])
            .slice(0, tagValuesMax)
            .map(([value]) => value),
        }))
        .sort((a, b) => b.count - a.count)
        .slice(0, 500)
    },

    order: (by) => readOrder(contactsDb, by),
  }
}

/** Entry of the search thread: the only writer of the index, and the reader for slow queries. */
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

const log = ownersLog('search', () => core)
let open: Open | null = null
let stepping = false
let feedEvents: Remote<SearchFeedEvents> | null = null
let feedPort: MessagePort | null = null
let clearing: (() => void) | null = null
const truncation = createLogTruncation(systemClock, () => {
  if (!open) return true
  try {
    return truncateLog(open.search.db)
  } catch (error) {
    log.error('Could not empty the log of the search index', { error })
    return false
  }
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
      if (touched !== null && !more && touched !== reported) void feedEvents?.indexed((reported = touched))
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

const feed: Served<SearchFeed> = {
  catchUp,
  async complete() {
    while (open?.index.step()) await nextTurn()
    if (open) void feedEvents?.indexed(open.index.touched())
    catchUp()
  },
}

function whileOpen(): Open {
  if (!open) throw new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.searchNotOpen' } })
  return open
}

const functions: Served<SearchFunctions> = {
  open({ contactsFile, searchFile }) {
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
    return damageOf(search)
  },
  figures: () => whileOpen().reads.figures(),
  count: (filter) => whileOpen().reads.count(filter),
  ids: (...selected) => whileOpen().reads.ids(...selected),
  tagKeys: () => whileOpen().reads.tagKeys(),
  async clearIndex() {
    while (open?.index.step()) await nextTurn()
    open?.index.clear()
    while (open?.index.tidy()) await nextTurn()
  },
  truncateIndexLog: () => truncateLog(whileOpen().search.db),
  order: (by) => whileOpen().reads.order(by),
  close() {
    const closing = open
    open = null
    clearing?.()
    clearing = null
    truncation.stop()
    closing?.search.close()
    closing?.closeContacts()
    feedPort?.close()
  },
}

const { calls: core } = connectCalls<Pick<StoreEvents, 'log' | 'damaged'>, SearchFunctions>(
  ownersPort(),
  functions,
  {
    events: ['log', 'damaged'],
    file: 'search.db',
    log,
    onPort({ port }) {
      feedPort = port
      feedEvents = connectCalls<SearchFeedEvents, SearchFeed>(port, feed, { events: ['indexed'] }).calls
    },
  },
)

import type { ContactCount, ContactRow } from '#contract/people/contacts.ts'
import type { ErrorView } from '#contract/define.ts'
import { promiseTimeout } from '@vueuse/core'
import { shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { type RowsQuery, createContactPages, pageRows } from './contact-pages.ts'

/**
 * Delay before rows beyond the visible ones are read and counted, milliseconds: longer than the pause between two keys, since both would
 * slow down drawing the answer to the next key.
 */
const restMs = 200

interface RowsState {
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  /** Number of rows in the list, loaded or not; with a filter the loaded ones, plus one if there are more. */
  length: number
  /** How many match, exactly or at least. */
  count: ContactCount | null
  /** How many pasted numbers were searched for; 0 for a text search. */
  anyOfNumbers: number
  /** Rises with new rows. */
  round: number
  /** Rises when rows of another query are shown. */
  query: number
  error: ErrorView | null
  asOf: string | null
}

interface Reading {
  query: RowsQuery
  pages: ReturnType<typeof createContactPages>
  stopping: AbortController
}

/** The rows of a query, read when visible: by index for all contacts, from the start with a filter. */
export function createContactRows(client: Pick<Client, 'contacts'>) {
  const state = shallowRef<RowsState>({
    phase: 'idle',
    length: 0,
    count: null,
    anyOfNumbers: 0,
    round: 0,
    query: 0,
    error: null,
    asOf: null,
  })
  /** The latest query, and the query of the shown rows: equal once its first rows arrive. */
  let asked: Reading | null = null
  let shown: Reading | null = null
  let sight = { first: 0, last: 0 }
  /** Maximum number of rows visible at once. */
  let sightMax = 0
  let filling = false
  /** The first rows of a query are being drawn: more are read after that. */
  let resting = false
  let counting = false
  /** The version of the exact count. */
  let countedVersion = -1
  /** The newest known version. */
  let changedTo = -1

  const change = (part: Partial<RowsState>) => (state.value = { ...state.value, ...part })

  /** Starts a query. Rows of the previous one stay until the first new ones arrive or the query fails. */
  function ask(query: RowsQuery): void {
    asked?.stopping.abort()
    const reading: Reading = {
      query,
      pages: createContactPages(client, query),
      stopping: new AbortController(),
    }
    asked = reading
    change({ phase: 'loading', error: null })
    void begin(reading)
  }

  async function begin(reading: Reading): Promise<void> {
    const { pages, stopping } = reading
    try {
      // Visible rows first: others would delay the answer to a key.
      await pages.read(0, stopping.signal, sightMax || pageRows)
      if (stopping.signal.aborted) return
      shown = reading
      // Read before the latest change.
      if (changedTo > pages.version()) pages.outdate()
      change({ query: state.value.query + 1, count: null })
      resting = true
      show()
      if (isInSight(reading)) await promiseTimeout(restMs)
      if (reading !== asked) return
      resting = false
      if (!pages.known().count.exact) void recount(reading)
      void fill()
    } catch (cause) {
      if (stopping.signal.aborted) return
      // Rows of another query would look like an answer to this one.
      shown = null
      change({ phase: 'failed', length: 0, count: null, asOf: null, error: toErrorView(cause) })
    }
  }

  /** Whether the visible rows are loaded. */
  function isInSight({ pages }: Reading): boolean {
    const end = pages.known().length
    for (let index = sight.first; index <= sight.last && index < end; index++)
      if (!pages.row(index)) return false
    return true
  }

  function show(): void {
    const { length, count, anyOfNumbers, asOf } = shown!.pages.known()
    const known = state.value.count
    // The previous exact count stays until `recount` returns.
    change({
      phase: 'ready',
      length,
      count: count.exact || !known?.exact ? count : known,
      anyOfNumbers,
      round: state.value.round + 1,
      error: null,
      asOf,
    })
    const isCounted = known?.exact && countedVersion === shown!.pages.version()
    if (!count.exact && !resting && !isCounted) void recount(shown!)
  }

  /** Reads missing visible rows, page by page. */
  async function fill(): Promise<void> {
    if (filling) return
    filling = true
    try {
      for (;;) {
        const reading = shown
        // A cancelled read never gets its page: continuing would loop forever.
        if (!reading || reading !== asked || reading.stopping.signal.aborted) return
        const { pages, stopping } = reading
        const page = pages.missing(sight.first, sight.last)
        if (page === null) {
          pages.settle()
          return
        }
        try {
          await pages.read(page, stopping.signal)
        } catch (cause) {
          if (!stopping.signal.aborted) {
            change({ error: toErrorView(cause) })
            return
          }
        }
        if (shown === reading && !stopping.signal.aborted) show()
      }
    } finally {
      filling = false
    }
  }

  /** The exact count when pages give a lower bound, after each change, one call at a time. */
  async function recount(reading: Reading): Promise<void> {
    if (counting) return
    counting = true
    try {
      const { signal } = reading.stopping
      const version = reading.pages.version()
      const count = await client.contacts.count({ filter: reading.query.filter }, { signal })
      if (shown === reading && !signal.aborted) {
        change({ count })
        countedVersion = version
      }
      if (shown === reading && reading.pages.version() === version) return
    } catch {
      // The lower bound stays.
      return
    } finally {
      counting = false
    }
    if (shown && !shown.pages.known().count.exact) void recount(shown)
  }

  return {
    state,
    ask,
    /** Reads the visible rows again; with a `version`, only older ones. Asks a failed query again. */
    refresh(version?: number): void {
      changedTo = Math.max(changedTo, version ?? -1)
      if (asked && state.value.phase === 'failed') return ask(asked.query)
      if (!shown || shown !== asked) return
      if (version !== undefined && version <= shown.pages.version()) return
      shown.pages.outdate()
      void fill()
    },
    row: (index: number) => shown?.pages.row(index),
    findIndex: (fits: (row: ContactRow) => boolean) => shown?.pages.findIndex(fits) ?? -1,
    /** Reports the visible rows: missing ones are read. */
    look(first: number, last: number): void {
      sight = { first, last }
      sightMax = Math.min(pageRows, Math.max(sightMax, last - first + 1))
      if (!shown || shown !== asked || (resting && isInSight(shown))) return
      if (shown.pages.missing(first, last) !== null) void fill()
    },
    stop() {
      asked?.stopping.abort()
      asked = null
    },
  }
}

import type { ContactCount, ContactFilter, ContactRow, ContactSort } from '#contract/contacts.ts'
import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { isWholeBook } from './contact-filter.ts'

/** Rows of one reading. */
export const pageRows = 100
/** Pages kept: what was scrolled past longer ago is read again. */
const pagesKept = 40

export interface RowsQuery {
  filter: ContactFilter
  sort: ContactSort
}

export interface RowsState {
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  /** Rows that the list has, loaded or not; of a filter as many as were read, and one page more while there are more. */
  length: number
  /** How many match, as far as it is known. */
  count: ContactCount | null
  /** Rises when rows came. */
  round: number
  error: ErrorView | null
  asOf: string | null
}

/** The rows of a query, read where they are looked at. The whole book is jumped into by place; a filter is read from its start on. */
export interface ContactRows {
  state: Readonly<ShallowRef<RowsState>>
  /** Begins a query. The rows before stay until the first of the new ones are here. */
  ask(query: RowsQuery): void
  /** Reads the rows in sight again, and those around them when they are asked for: the book changed. */
  refresh(): void
  row(index: number): ContactRow | undefined
  /** Says which rows are in sight. */
  look(first: number, last: number): void
  stop(): void
}

export function createContactRows(client: Pick<Client, 'contacts'>): ContactRows {
  const state = shallowRef<RowsState>({
    phase: 'idle',
    length: 0,
    count: null,
    round: 0,
    error: null,
    asOf: null,
  })
  let query: RowsQuery | null = null
  let asked = new AbortController()
  /** Pages by their number, in the order they were used. */
  const pages = new Map<
    number,
    { items: readonly ContactRow[]; nextCursor: string | null; version: number }
  >()
  const reading = new Set<number>()
  let version = -1
  let sight = { first: 0, last: 0 }

  const change = (part: Partial<RowsState>) => (state.value = { ...state.value, ...part })

  /** How a page is asked for; null while it cannot be: the one before it is not there. */
  function addressOf(page: number): { position: number } | { cursor: string } | Record<string, never> | null {
    if (page === 0) return {}
    if (query && isWholeBook(query.filter)) return { position: page * pageRows }
    const cursor = pages.get(page - 1)?.nextCursor
    return cursor ? { cursor } : null
  }

  async function read(page: number): Promise<void> {
    const address = addressOf(page)
    if (!query || !address || reading.has(page)) return
    const { signal } = asked
    const { filter, sort } = query
    reading.add(page)
    try {
      const answer = await client.contacts.list({ filter, sort, limit: pageRows, ...address }, { signal })
      if (signal.aborted) return
      if (answer.version > version) version = answer.version
      if (page === 0 && state.value.phase !== 'ready') pages.clear()
      pages.delete(page)
      pages.set(page, answer)
      if (pages.size > pagesKept && isWholeBook(filter)) pages.delete(pages.keys().next().value!)
      const loaded = page * pageRows + answer.items.length
      const known = state.value.count
      const count = answer.count.exact || !known?.exact ? answer.count : known
      const length = isWholeBook(filter)
        ? answer.count.value
        : answer.nextCursor === null
          ? loaded
          : Math.max(page === 0 ? 0 : state.value.length, loaded + 1)
      change({ phase: 'ready', length, count, round: state.value.round + 1, error: null, asOf: answer.asOf })
      if (page === 0 && !answer.count.exact) void countExactly(filter, signal)
    } catch (cause) {
      if (!signal.aborted) change({ phase: pages.size === 0 ? 'failed' : 'ready', error: toErrorView(cause) })
    } finally {
      if (!signal.aborted) reading.delete(page)
    }
  }

  async function countExactly(filter: ContactFilter, signal: AbortSignal): Promise<void> {
    try {
      const count = await client.contacts.count({ filter }, { signal })
      if (!signal.aborted) change({ count })
    } catch {
      // The lower bound stays, and says that it is one.
    }
  }

  function begin(): void {
    asked.abort()
    asked = new AbortController()
    reading.clear()
  }

  return {
    state,
    ask(next) {
      begin()
      query = next
      sight = { first: 0, last: pageRows - 1 }
      change({ phase: 'loading', count: null, error: null })
      void read(0)
    },
    refresh() {
      if (!query) return
      begin()
      const first = Math.floor(sight.first / pageRows)
      const last = Math.floor(sight.last / pageRows)
      if (isWholeBook(query.filter)) {
        for (const page of pages.keys()) if (page < first || page > last) pages.delete(page)
        for (let page = first; page <= last; page++) void read(page)
        if (first > 0) void read(0)
      } else {
        // Cursors of before are places of before: what is in sight is read anew from the start.
        void (async () => {
          for (let page = 0; page <= last; page++) await read(page)
        })()
      }
    },
    row(index) {
      return pages.get(Math.floor(index / pageRows))?.items[index % pageRows]
    },
    look(first, last) {
      sight = { first, last }
      for (let page = Math.floor(first / pageRows); page <= Math.floor(last / pageRows); page++)
        if (!pages.has(page)) void read(page)
    },
    stop: begin,
  }
}

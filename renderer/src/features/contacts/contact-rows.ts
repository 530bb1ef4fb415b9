import type { ContactCount, ContactRow } from '#contract/contacts.ts'
import type { ErrorView } from '#contract/define.ts'
import { promiseTimeout } from '@vueuse/core'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { type ContactPages, type RowsQuery, createContactPages, pageRows } from './contact-pages.ts'

/** Rows beyond those in sight are read when the first ones are drawn, milliseconds. */
const restMs = 60

/** The list as it is shown. */
export interface RowsState {
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  /** Rows that the list has, loaded or not; of a filter as many as were read, and one more while there are more. */
  length: number
  /** How many match, as far as it is known. */
  count: ContactCount | null
  /** Of so many numbers one is enough; 0 where every word of the text is held. */
  anyOfNumbers: number
  /** Rises when rows came. */
  round: number
  /** Rises when the rows of another query take the place of those before. */
  query: number
  error: ErrorView | null
  asOf: string | null
}

/** The rows of a query, read where they are looked at. The whole book is jumped into by place; a filter is read from its start on. */
export interface ContactRows {
  state: Readonly<ShallowRef<RowsState>>
  /** Begins a query. The rows before stay until the first of the new ones are here, and go when those cannot be had. */
  ask(query: RowsQuery): void
  /** Reads the rows in sight again. With a `version` of the book only where they are of an older one. */
  refresh(version?: number): void
  row(index: number): ContactRow | undefined
  /** Says which rows are in sight: those that are missing are read. */
  look(first: number, last: number): void
  /** Ends what is being read; nothing is read after it. */
  stop(): void
}

/** One query and what was read of it. */
interface Reading {
  query: RowsQuery
  pages: ContactPages
  stopping: AbortController
}

/** Makes the list; nothing is read until `ask`. */
export function createContactRows(client: Pick<Client, 'contacts'>): ContactRows {
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
  /** The query asked last, and the one whose rows are shown: the same once its first rows came. */
  let asked: Reading | null = null
  let shown: Reading | null = null
  let sight = { first: 0, last: 0 }
  /** Most rows that were in sight at once. */
  let sightMax = 0
  let filling = false
  /** The first rows of a query are being drawn: more are read after it, unless the operator is already there. */
  let resting = false
  let counting = false
  /** The newest version of the book that was told of. */
  let changedTo = -1

  const change = (part: Partial<RowsState>) => (state.value = { ...state.value, ...part })

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
      // What is in sight comes first: rows beyond it cost as much, and make the answer to a key late.
      await pages.read(0, stopping.signal, sightMax || pageRows)
      if (stopping.signal.aborted) return
      shown = reading
      // What was told of while it was on its way is not in it.
      if (changedTo > pages.version()) pages.outdate()
      change({ query: state.value.query + 1, count: null })
      resting = true
      show()
      if (isInSight(reading)) await promiseTimeout(restMs)
      resting = false
      void fill()
    } catch (cause) {
      if (stopping.signal.aborted) return
      // The rows of another query would be taken for an answer to this one.
      shown = null
      change({ phase: 'failed', length: 0, count: null, asOf: null, error: toErrorView(cause) })
    }
  }

  /** Whether the rows in sight are there, as far as the list is known to go. */
  function isInSight({ pages }: Reading): boolean {
    const end = pages.known().length
    for (let index = sight.first; index <= sight.last && index < end; index++)
      if (!pages.row(index)) return false
    return true
  }

  function show(): void {
    const { length, count, anyOfNumbers, asOf } = shown!.pages.known()
    const known = state.value.count
    // The exact count of before stays until there is a new one; `recount` brings it.
    change({
      phase: 'ready',
      length,
      count: count.exact || !known?.exact ? count : known,
      anyOfNumbers,
      round: state.value.round + 1,
      error: null,
      asOf,
    })
    if (!count.exact) void recount(shown!)
  }

  /** Reads what is in sight and missing, one page after the other, where the sight is by then. */
  async function fill(): Promise<void> {
    if (filling) return
    filling = true
    try {
      for (;;) {
        const reading = shown
        // A reading that was ended never gets its page: asked for again and again it would hold the window for good.
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

  /** The exact count of a query whose pages give a lower bound, again after each change, one call at a time. */
  async function recount(reading: Reading): Promise<void> {
    if (counting) return
    counting = true
    try {
      const { signal } = reading.stopping
      const version = reading.pages.version()
      const count = await client.contacts.count({ filter: reading.query.filter }, { signal })
      if (shown === reading && !signal.aborted) change({ count })
      if (shown === reading && reading.pages.version() === version) return
    } catch {
      // The lower bound stays, and says that it is one.
      return
    } finally {
      counting = false
    }
    if (shown && !shown.pages.known().count.exact) void recount(shown)
  }

  return {
    state,
    ask,
    refresh(version) {
      changedTo = Math.max(changedTo, version ?? -1)
      if (!shown || shown !== asked) return
      if (version !== undefined && version <= shown.pages.version()) return
      shown.pages.outdate()
      void fill()
    },
    row: (index) => shown?.pages.row(index),
    look(first, last) {
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

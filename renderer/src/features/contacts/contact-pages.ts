import type { ContactCount, ContactFilter, ContactRow, ContactSort } from '#contract/people/contacts.ts'
import type { Client } from '../../rpc/rpc.ts'
import { isUnfiltered } from './contact-filter.ts'

export const pageRows = 100
/** Maximum pages in memory; others are read again on scrolling. */
export const pagesKept = 40

const pageOf = (row: number) => Math.floor(row / pageRows)

export interface RowsQuery {
  filter: ContactFilter
  sort: ContactSort
}

interface KnownOfAll {
  length: number
  count: ContactCount
  anyOfNumbers: number
  asOf: string | null
}

/**
 * The loaded pages of a query; page `n` begins with row `n * pageRows`. The caller reads the first. Not an infinite query, which keeps every
 * page and reads them in order: reaching the end of a million contacts would take 10,000 requests, all in memory.
 */
export function createContactPages(client: Pick<Client, 'contacts'>, query: RowsQuery) {
  const byPlace = isUnfiltered(query.filter)
  let pages = new Map<number, readonly ContactRow[]>()
  /** Rows from before a change, shown until they are read again. */
  let outdated = new Map<number, readonly ContactRow[]>()
  /** Cursors of the pages after the first, with a filter. */
  const cursors = new Map<number, string>()
  /** Where to continue pages that came with fewer rows than requested. */
  const unfinished = new Map<number, string>()
  let known: KnownOfAll = { length: 0, count: { value: 0, exact: false }, anyOfNumbers: 0, asOf: null }
  let version = -1
  let epoch = 0

  /** The page itself if it can be addressed, else the last one before it that can. */
  function reachable(page: number): number {
    if (byPlace) return page
    let from = page
    while (from > 0 && !cursors.has(from)) from--
    return from
  }

  /** Reads a page that `missing` returned. A short answer leaves it missing. With a filter, at most `most` rows. Rejects like the call. */
  async function read(page: number, signal: AbortSignal, most = pageRows): Promise<void> {
    const mine = epoch
    const continuesAt = unfinished.get(page)
    const before = continuesAt === undefined ? [] : (pages.get(page) ?? [])
    const cursor = continuesAt ?? cursors.get(page)
    const place = cursor !== undefined ? { cursor } : byPlace && page > 0 ? { position: page * pageRows } : {}
    const limit = Math.min(pageRows - before.length, byPlace ? pageRows : most)
    const answer = await client.contacts.list({ ...query, limit, ...place }, { signal })
    if (signal.aborted) return
    version = Math.max(version, answer.version)
    const items = [...before, ...answer.items]
    if (mine !== epoch) {
      // The contacts changed: shown until they are read again.
      outdated.set(page, items)
      return
    }
    const { nextCursor } = answer
    pages.delete(page)
    pages.set(page, items)
    if (pages.size > pagesKept) forget(pages.keys().next().value!)
    if (!byPlace) {
      // An answer that ends where it began would repeat forever.
      const isShort = items.length < pageRows && nextCursor !== null && nextCursor !== continuesAt
      if (isShort) unfinished.set(page, nextCursor)
      else {
        unfinished.delete(page)
        linkNext(page, nextCursor)
      }
    }
    known = {
      length: lengthAfter(page, { ...answer, items }),
      count: answer.count,
      anyOfNumbers: answer.anyOfNumbers,
      asOf: answer.asOf,
    }
  }

  function forget(page: number): void {
    pages.delete(page)
    unfinished.delete(page)
  }

  /** The next page begins where this one ends; pages that begin elsewhere would skip or repeat rows. */
  function linkNext(page: number, nextCursor: string | null): void {
    if (nextCursor !== null && cursors.get(page + 1) === nextCursor) return
    for (const later of [...cursors.keys()]) if (later > page) cursors.delete(later)
    for (const later of [...pages.keys()]) if (later > page) forget(later)
    if (nextCursor !== null) cursors.set(page + 1, nextCursor)
  }

  function lengthAfter(
    page: number,
    {
      items,
      nextCursor,
      count,
    }: { items: readonly unknown[]; nextCursor: string | null; count: ContactCount },
  ): number {
    if (byPlace) return count.value
    const loaded = page * pageRows + items.length
    return nextCursor === null ? loaded : Math.max(known.length, loaded + 1)
  }

  return {
    row(index: number): ContactRow | undefined {
      const page = pageOf(index)
      return (pages.get(page) ?? outdated.get(page))?.[index % pageRows]
    },
    /** Index of the first loaded row that matches, or -1. */
    findIndex(fits: (row: ContactRow) => boolean): number {
      for (const page of new Set([...pages.keys(), ...outdated.keys()])) {
        const at = (pages.get(page) ?? outdated.get(page))!.findIndex(fits)
        if (at >= 0) return page * pageRows + at
      }
      return -1
    },
    /** The next page to read for the rows `first` to `last`; null when all are loaded. */
    missing(first: number, last: number): number | null {
      const end = pageOf(Math.max(0, known.length - 1))
      for (let page = Math.min(pageOf(first), end); page <= Math.min(pageOf(last), end); page++) {
        if (!pages.has(page) || unfinished.has(page)) return reachable(page)
      }
      return null
    },
    read,
    known: () => known,
    /** The newest version of the contacts in any answer. */
    version: () => version,
    /** Marks rows as outdated; the old ones show until they are read again. */
    outdate() {
      epoch++
      outdated = new Map([...outdated, ...pages])
      pages = new Map()
      unfinished.clear()
    },
    /** The visible rows are current: drops the other outdated ones. */
    settle() {
      outdated = new Map()
    },
  }
}

import type { ContactCount, ContactFilter, ContactRow, ContactSort } from '#contract/contacts.ts'
import type { Client } from '../../rpc/rpc.ts'
import { isWholeBook } from './contact-filter.ts'

/** Rows of one reading. */
export const pageRows = 100
/** Pages kept: what was scrolled past longer ago is read again. */
export const pagesKept = 40

const pageOf = (row: number) => Math.floor(row / pageRows)

/** What is asked for. */
export interface RowsQuery {
  filter: ContactFilter
  sort: ContactSort
}

/** What is known of a query as a whole. */
export interface KnownOfAll {
  length: number
  count: ContactCount
  /** As the answer has it. */
  anyOfNumbers: number
  asOf: string | null
}

/** The pages of one query, as far as they are read and kept. Page `n` holds rows `n * pageRows` and after. */
export interface ContactPages {
  row(index: number): ContactRow | undefined
  /** The page to read next so that the rows `first` to `last` are there; null when they are. */
  missing(first: number, last: number): number | null
  /**
   * Reads a page that `missing` named, or as much of it as is given at once: it is then missing still. Of a filter at most `most` rows.
   * Rejects with what the call rejects with.
   */
  read(page: number, signal: AbortSignal, most?: number): Promise<void>
  known(): KnownOfAll
  /** The newest version of the book that an answer was of. */
  version(): number
  /** Rows are to be read again; until then those of before are given. */
  outdate(): void
  /** What is in sight was read again: the rest of what is outdated is forgotten. */
  settle(): void
}

/** Makes the pages of `query`; the first is read by its caller. */
export function createContactPages(client: Pick<Client, 'contacts'>, query: RowsQuery): ContactPages {
  const byPlace = isWholeBook(query.filter)
  let pages = new Map<number, readonly ContactRow[]>()
  /** Rows of before a change of the book, shown until they are read again. */
  let outdated = new Map<number, readonly ContactRow[]>()
  /** Where pages after the first begin, for a query that is read from its start on. */
  const cursors = new Map<number, string>()
  /** Where pages go on that were given with fewer rows than asked for, though there are more. */
  const unfinished = new Map<number, string>()
  let known: KnownOfAll = { length: 0, count: { value: 0, exact: false }, anyOfNumbers: 0, asOf: null }
  let version = -1
  let epoch = 0

  /** The page itself where it can be addressed, else the last one before it that can. */
  function reachable(page: number): number {
    if (byPlace) return page
    let from = page
    while (from > 0 && !cursors.has(from)) from--
    return from
  }

  async function read(page: number, signal: AbortSignal, most = pageRows): Promise<void> {
    const mine = epoch
    const goesOnAt = unfinished.get(page)
    const before = goesOnAt === undefined ? [] : (pages.get(page) ?? [])
    const cursor = goesOnAt ?? cursors.get(page)
    const place = cursor !== undefined ? { cursor } : byPlace && page > 0 ? { position: page * pageRows } : {}
    const limit = Math.min(pageRows - before.length, byPlace ? pageRows : most)
    const answer = await client.contacts.list({ ...query, limit, ...place }, { signal })
    if (signal.aborted) return
    version = Math.max(version, answer.version)
    const items = [...before, ...answer.items]
    if (mine !== epoch) {
      // The book changed meanwhile: good enough to look at until it is read again.
      outdated.set(page, items)
      return
    }
    const { nextCursor } = answer
    pages.delete(page)
    pages.set(page, items)
    if (pages.size > pagesKept) forget(pages.keys().next().value!)
    if (!byPlace) {
      // An answer that ends where it began would be asked for without end.
      const isShort = items.length < pageRows && nextCursor !== null && nextCursor !== goesOnAt
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

  /** Where this page ends is where the next one begins; one that began elsewhere would leave rows out or give them twice. */
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
    row(index) {
      const page = pageOf(index)
      return (pages.get(page) ?? outdated.get(page))?.[index % pageRows]
    },
    missing(first, last) {
      const end = pageOf(Math.max(0, known.length - 1))
      for (let page = Math.min(pageOf(first), end); page <= Math.min(pageOf(last), end); page++) {
        if (!pages.has(page) || unfinished.has(page)) return reachable(page)
      }
      return null
    },
    read,
    known: () => known,
    version: () => version,
    outdate() {
      epoch++
      outdated = new Map([...outdated, ...pages])
      pages = new Map()
      unfinished.clear()
    },
    settle() {
      outdated = new Map()
    },
  }
}

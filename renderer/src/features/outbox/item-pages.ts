import type { OutboxFilter, OutboxItem } from '#contract/outbox.ts'
import type { Client } from '../../rpc/rpc.ts'

/** Rows of a page as it is first read. */
export const pageRows = 200
/** The most that one call gives: a page read again may have grown. */
const mostRows = 500

/** The items between two cursors: below `from` (or from the newest), down to and with `until` (or to the oldest). */
interface ItemPage {
  from: number | undefined
  until: number | null
  items: readonly OutboxItem[]
}

/** Loaded items of one filter, newest first, in pages whose bounds are item ids, so that each can be read again alone. */
export interface ItemPages {
  rows(): readonly OutboxItem[]
  /** Items of the filter, loaded or not. */
  total(): number
  /** When the newest answer was given. */
  asOf(): string | null
  hasMore(): boolean
  loadMore(signal: AbortSignal): Promise<void>
  /** Reads again the pages that hold rows `first` to `last`, and the newest page, where new items come. */
  refresh(first: number, last: number, signal: AbortSignal): Promise<void>
}

/** Makes the pages of `filter`. Nothing is read until `loadMore`. */
export function createItemPages(client: Pick<Client, 'outbox'>, filter: OutboxFilter): ItemPages {
  let pages: ItemPage[] = []
  let total = 0
  let asOf: string | null = null

  async function read(from: number | undefined, limit: number, signal: AbortSignal) {
    const answer = await client.outbox.list(
      { filter, limit, ...(from === undefined ? {} : { cursor: from }) },
      { signal },
    )
    signal.throwIfAborted()
    total = answer.total
    asOf = answer.asOf
    return answer
  }

  const hasMore = () => pages.length === 0 || pages.at(-1)!.until !== null

  async function loadMore(signal: AbortSignal): Promise<void> {
    if (!hasMore()) return
    const from = pages.at(-1)?.until ?? undefined
    const { items, nextCursor } = await read(from, pageRows, signal)
    pages = [...pages, { from, until: nextCursor, items }]
  }

  async function refresh(first: number, last: number, signal: AbortSignal): Promise<void> {
    let row = 0
    const seen = pages.filter((page, index) => {
      const begins = row
      row += page.items.length
      return index === 0 || (begins <= last && row >= first)
    })
    for (const page of seen) await refreshPage(page, signal)
  }

  async function refreshPage(page: ItemPage, signal: AbortSignal): Promise<void> {
    const { items, nextCursor } = await read(page.from, mostRows, signal)
    const at = pages.indexOf(page)
    if (at < 0) return
    const { until } = page
    const overflows = until !== null && nextCursor !== null && nextCursor > until
    if (overflows || until === null) {
      // More came above its end than one call gives, or it had no end: what follows is read anew from here.
      pages = [...pages.slice(0, at), { ...page, items, until: nextCursor }]
    } else {
      const within = items.filter(({ id }) => id >= until)
      pages = pages.with(at, { ...page, items: within })
    }
  }

  return {
    rows: () => pages.flatMap(({ items }) => items),
    total: () => total,
    asOf: () => asOf,
    hasMore,
    loadMore,
    refresh,
  }
}

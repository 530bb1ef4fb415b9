import type { OutboxFilter, OutboxItem } from '#contract/people/outbox.ts'
import type { Client } from '../../rpc/rpc.ts'
import { partsOf } from './outbox-filter.ts'

/** The maximum per call. */
export const pageRows = 500
/** Maximum loaded rows; to see more, narrow the filter. */
export const loadedRowLimit = 20_000

/** One page of the list: unconfirmed requests first, then the one being sent, then the others, each newest first. */
interface OutboxPage {
  items: OutboxItem[]
  /** Start of the next page: its part, and the ID above it. */
  nextCursor: string | null
  /** Requests that match, loaded or not. */
  total: number
}

/** Reads the page at a cursor, or the first. A page continues in the next part when one ends. */
export async function readPage(
  { outbox }: Pick<Client, 'outbox'>,
  filter: OutboxFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<OutboxPage> {
  const parts = partsOf(filter)
  const counted = parts.length > 1 ? outbox.list({ filter, limit: 1 }, { signal }) : null
  // Awaited after the others: without this, an earlier failure would leave it unhandled.
  counted?.catch(() => {})
  const items: OutboxItem[] = []
  let total = 0
  let [part, before] = (cursor ?? '0').split(':').map(Number) as [number, number | undefined]
  for (; part < parts.length && items.length < pageRows; part++, before = undefined) {
    const answer = await outbox.list(
      {
        filter: parts[part]!,
        limit: pageRows - items.length,
        ...(before === undefined ? {} : { cursor: before }),
      },
      { signal },
    )
    items.push(...answer.items)
    total = answer.total
    if (answer.nextCursor !== null) {
      before = answer.nextCursor
      break
    }
  }
  const next = before === undefined ? String(part) : `${part}:${before}`
  return {
    items,
    nextCursor: part < parts.length ? next : null,
    total: counted === null ? total : (await counted).total,
  }
}

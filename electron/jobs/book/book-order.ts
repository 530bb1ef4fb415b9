import type { Database } from '../../database/open.ts'
import type { BookSort } from './book-types.ts'

/**
 * The whole book in an order, rising, as it was at one moment: 8 bytes for each contact, shared between threads. With it the first of many
 * hits are found without a look at the others, and a place in a million rows without a walk.
 */
export interface BookOrder {
  /** Ids of contacts from the first to the last. */
  ids: Int32Array
  /** By id: the contact's place in `ids` from 1 on, 0 for none. */
  places: Int32Array
  /** The change and the id of the newest contact that it knows of. */
  touched: number
  lastId: number
}

/** So many changes the book remembers longer than its index needs them: an order that is no older can still be used. */
export const changesKept = 5_000

/** As SQL: how the book is ordered, rising. */
const orders: Record<BookSort['by'], string> = {
  name: 'name COLLATE NOCASE, id',
  phone: 'digits',
  updated: 'updated_ms, id',
  created: 'id',
}

/** Reads the order of the whole book: half a second for a million contacts. */
export function readOrder(book: Database, by: BookSort['by']): BookOrder {
  return book.transaction((): BookOrder => {
    const { touched } = book.prepare<[], { touched: number }>('SELECT touched FROM book').get()!
    const lastId = book.prepare<[], number | null>('SELECT max(id) FROM contacts').pluck().get() ?? 0
    const found = book.prepare<[], number>(`SELECT id FROM contacts ORDER BY ${orders[by]}`).pluck().all()
    const bytes = Int32Array.BYTES_PER_ELEMENT
    const ids = new Int32Array(new SharedArrayBuffer(found.length * bytes))
    const places = new Int32Array(new SharedArrayBuffer((lastId + 1) * bytes))
    ids.set(found)
    for (let at = 0; at < ids.length; at++) places[ids[at]!] = at + 1
    return { ids, places, touched, lastId }
  })()
}

const buckets = 512

/**
 * The places of some contacts that come next behind `behind` (a place, 0 or the number of contacts + 1 for all), at least `wanted` of them
 * where there are so many, nearest first. Those without a place are left out.
 */
export function nextPlaces(
  { ids, places }: BookOrder,
  among: Int32Array,
  query: { behind: number; down: boolean; wanted: number },
): Int32Array {
  const { behind, down, wanted } = query
  const width = Math.ceil((ids.length + 1) / buckets)
  const counts = new Int32Array(buckets + 1)
  const found = new Int32Array(among.length)
  let length = 0
  for (const id of among) {
    const place = places[id] ?? 0
    if (place === 0 || (down ? place >= behind : place <= behind)) continue
    found[length++] = place
    counts[Math.floor(place / width)]!++
  }
  let edge = down ? buckets : 0
  for (let sum = 0; edge >= 0 && edge <= buckets; edge += down ? -1 : 1) {
    sum += counts[edge]!
    if (sum >= wanted) break
  }
  const near = found
    .subarray(0, length)
    .filter((place) => (down ? place >= edge * width : place < (edge + 1) * width))
    .sort()
  return down ? near.reverse() : near
}

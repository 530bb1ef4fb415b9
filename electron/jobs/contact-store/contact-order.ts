import type { Database } from '../../database/open.ts'
import type { StoreSort } from './store-types.ts'

/** Ids per page of an order's places, as bits of an id. */
const pageBits = 8

/**
 * All contacts in ascending order at one moment: 8 bytes each, shared between threads. Finds the first of many hits,
 * or a place in a million rows, without a scan.
 */
export interface ContactOrder extends StoreMoment {
  /** Contact ids in order. */
  ids: Int32Array
  /** Pages of places by id. The first is empty, for all ids without contacts: imports that were undone leave many. */
  places: Int32Array
  /** By the upper bits of an id: its page. */
  pages: Int32Array
}

/** A contact's place in `ids` from 1; 0 for none. */
export const placeIn = ({ pages, places }: ContactOrder, id: number): number =>
  places[((pages[id >> pageBits] ?? 0) << pageBits) + (id & ((1 << pageBits) - 1))]!

const sharedNumbers = (length: number) =>
  new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT))

/** An order from its ids. */
export function orderOf(found: ArrayLike<number>, moment: StoreMoment): ContactOrder {
  const ids = sharedNumbers(found.length)
  ids.set(found)
  const pages = sharedNumbers((moment.lastId >> pageBits) + 1)
  let count = 0
  for (let at = 0; at < ids.length; at++) pages[ids[at]! >> pageBits] ||= ++count
  const places = sharedNumbers((count + 1) << pageBits)
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at]!
    places[(pages[id >> pageBits]! << pageBits) + (id & ((1 << pageBits) - 1))] = at + 1
  }
  return { ids, places, pages, ...moment }
}

/** The newest change and highest contact id at one moment. */
export interface StoreMoment {
  touched: number
  lastId: number
}

/** Changes kept beyond what the index needs, so recent reads of the store stay usable. */
export const changesKept = 5_000

/** The contact store's current moment, and which contacts changed, were added or deleted since one; null for too many. */
export function createStoreMoments(contactsDb: Database) {
  const now = contactsDb.prepare<[], StoreMoment>(
    'SELECT touched, coalesce((SELECT max(id) FROM contacts), 0) AS lastId FROM store',
  )
  const changed = contactsDb
    .prepare<[number], number>('SELECT contact_id FROM changes WHERE touched > ?')
    .pluck()
  const added = contactsDb.prepare<[number], number>('SELECT id FROM contacts WHERE id > ?').pluck()
  return {
    now: (): StoreMoment => now.get()!,
    changedSince({ touched, lastId }: StoreMoment): Set<number> | null {
      if (now.get()!.touched - touched > changesKept) return null
      return new Set([...changed.all(touched), ...added.all(lastId)])
    },
  }
}

/** SQL of each ascending order. */
const orders: Record<StoreSort['by'], string> = {
  name: 'name COLLATE NOCASE, id',
  phone: 'digits',
  updated: 'updated_ms, id',
  created: 'id',
}

/** Reads an order of all contacts: 0.5 s per million contacts. */
export function readOrder(contactsDb: Database, by: StoreSort['by']): ContactOrder {
  return contactsDb.transaction((): ContactOrder => {
    const moment = createStoreMoments(contactsDb).now()
    const found = contactsDb
      .prepare<[], number>(`SELECT id FROM contacts ORDER BY ${orders[by]}`)
      .pluck()
      .all()
    return orderOf(found, moment)
  })()
}

/** Above this share of all contacts, walking the order finds enough contacts. */
const walkShare = 1 / 32

interface PlacesQuery {
  behind: number
  down: boolean
  minCount: number
}

/**
 * Places of the contacts that follow `behind` (a place; 0 or contacts + 1 for all), nearest first, without
 * duplicates. Contacts without a place are skipped. At least `minCount` of them, unless `among` has duplicates, or all
 * (`isAll`).
 */
export const nextPlaces = (
  order: ContactOrder,
  among: Int32Array,
  query: PlacesQuery,
): { places: Int32Array; isAll: boolean } =>
  among.length > order.ids.length * walkShare && query.minCount < among.length
    ? walkedPlaces(order, among, query)
    : sortedPlaces(order, among, query)

/** Walks the order: with many contacts the next ones are near. */
function walkedPlaces(order: ContactOrder, among: Int32Array, { behind, down, minCount }: PlacesQuery) {
  const { ids } = order
  const isAmong = new Uint8Array(ids.length + 1)
  for (let at = 0; at < among.length; at++) isAmong[placeIn(order, among[at]!)] = 1
  const found = new Int32Array(minCount)
  let count = 0
  let place = behind
  const [step, end] = down ? [-1, 1] : [1, ids.length]
  while ((end - place) * step > 0 && count < minCount) {
    place += step
    if (isAmong[place] === 1) found[count++] = place
  }
  return { places: found.subarray(0, count), isAll: count < minCount }
}

const buckets = 512

function sortedPlaces(order: ContactOrder, among: Int32Array, query: PlacesQuery) {
  const { behind, down, minCount } = query
  const shift = Math.max(0, Math.ceil(Math.log2((order.ids.length + 1) / buckets)))
  const counts = new Int32Array(buckets + 1)
  const found = new Int32Array(among.length)
  let length = 0
  for (let at = 0; at < among.length; at++) {
    const place = placeIn(order, among[at]!)
    if (place === 0 || (down ? place >= behind : place <= behind)) continue
    found[length++] = place
    counts[place >> shift]!++
  }
  let edge = down ? buckets : 0
  for (let sum = 0; edge >= 0 && edge <= buckets; edge += down ? -1 : 1) {
    sum += counts[edge]!
    if (sum >= minCount) break
  }
  const near = found
    .subarray(0, length)
    .filter((place) => (down ? place >> shift >= edge : place >> shift <= edge))
  const isAll = near.length === length
  const sorted = near.sort().filter((place, at) => place !== near[at - 1])
  return { places: down ? sorted.reverse() : sorted, isAll }
}

import type { Database } from '../../database/open.ts'
import { joinPacked, type PostingsBuilder } from './postings.ts'
import { trigramCount } from './trigrams.ts'

/** Segments of so many contacts and more stay as they are. */
const smallMax = 4_096
/** So many small ones of like size are made one: each costs every search some microseconds. */
const mergeFrom = 8

/** Where the postings of a segment begin and end in `postings`. */
export const firstPosting = (segment: number): number => segment * trigramCount
const lastPosting = (segment: number): number => (segment + 1) * trigramCount - 1

/** The segments that the index is made of. The calls that write are parts of the caller's transaction, but for `merge` and `dropOldest`. */
export interface Segments {
  /** Writes what was collected as a new one; nothing where nothing was. */
  add(builder: PostingsBuilder): void
  /** Contacts in all of them, one that is in several as often. */
  contacts(): number
  /** The newest one's id, 0 without any. */
  newest(): number
  /** Deletes the oldest up to an id. False when there is none. */
  dropOldest(until: number): boolean
  /** Makes one of small ones of like size. False when they are too few. */
  merge(): boolean
}

/** Rough size: each is eight times the one before. */
const sizeOf = (contacts: number) => Math.floor(Math.log2(contacts) / 3)

export function createSegments(search: Database): Segments {
  const newest = search.prepare<[], number>('SELECT coalesce(max(id), 0) FROM segments').pluck()
  const contacts = search.prepare<[], number>('SELECT coalesce(sum(contacts), 0) FROM segments').pluck()
  const oldest = search
    .prepare<[number], number>('SELECT id FROM segments WHERE id <= ? ORDER BY id LIMIT 1')
    .pluck()
  const small = search.prepare<[number], { id: number; contacts: number }>(
    'SELECT id, contacts FROM segments WHERE contacts < ? ORDER BY id',
  )
  const addSegment = search.prepare<[number, number]>('INSERT INTO segments (id, contacts) VALUES (?, ?)')
  const addPosting = search.prepare<[number, Buffer]>('INSERT INTO postings (id, ids) VALUES (?, ?)')
  const dropSegment = search.prepare<[number]>('DELETE FROM segments WHERE id = ?')
  const dropPostings = search.prepare<[number, number]>('DELETE FROM postings WHERE id BETWEEN ? AND ?')
  const postingsOf = search.prepare<[number, number], { id: number; ids: Buffer }>(
    'SELECT id, ids FROM postings WHERE id BETWEEN ? AND ?',
  )

  function drop(segment: number): void {
    dropPostings.run(firstPosting(segment), lastPosting(segment))
    dropSegment.run(segment)
  }

  function mergeAll(group: readonly { id: number; contacts: number }[]): void {
    const lists = new Map<number, Buffer[]>()
    for (const { id: segment } of group)
      for (const { id, ids } of postingsOf.iterate(firstPosting(segment), lastPosting(segment))) {
        const trigram = id - firstPosting(segment)
        const known = lists.get(trigram)
        if (known) known.push(ids)
        else lists.set(trigram, [ids])
      }
    const segment = newest.get()! + 1
    addSegment.run(
      segment,
      group.reduce((sum, { contacts }) => sum + contacts, 0),
    )
    for (const [trigram, some] of [...lists].sort(([a], [b]) => a - b))
      addPosting.run(firstPosting(segment) + trigram, some.length === 1 ? some[0]! : joinPacked(some))
    for (const { id } of group) drop(id)
  }

  return {
    contacts: () => contacts.get()!,
    newest: () => newest.get()!,
    add(builder) {
      if (builder.contacts === 0) return
      const segment = newest.get()! + 1
      addSegment.run(segment, builder.contacts)
      for (const { trigram, ids } of builder.take()) addPosting.run(firstPosting(segment) + trigram, ids)
    },
    dropOldest(until) {
      const segment = oldest.get(until)
      if (segment === undefined) return false
      search.transaction(drop).immediate(segment)
      return true
    },
    merge() {
      const bySize = Map.groupBy(small.all(smallMax), ({ contacts: many }) => sizeOf(many))
      const group = [...bySize.values()].find(({ length }) => length >= mergeFrom)
      if (!group) return false
      search.transaction(mergeAll).immediate(group)
      return true
    },
  }
}

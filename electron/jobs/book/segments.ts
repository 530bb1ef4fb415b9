import type { Database } from '../../database/open.ts'
import { joinPacked, type PostingsBuilder } from './postings.ts'
import { trigramCount } from './trigrams.ts'

/** Contacts of one segment, at most: some hundred milliseconds to write. Every search reads a few lists of each segment. */
export const segmentMax = 50_000
/** So many of like size are made one, or fewer where no more fit into one. */
const mergeFrom = 8
/** Trigrams whose lists are in memory at once where segments are made one: those that begin with the same sign. */
const trigramsAtOnce = trigramCount / 128
/** Lists that are read for that, or deleted, in one commit: some tens of milliseconds, and once these of a sign. */
const listsAtOnce = 5_000

/** Where the postings of a segment begin and end in `postings`. */
export const firstPosting = (segment: number): number => segment * trigramCount
const lastPosting = (segment: number): number => (segment + 1) * trigramCount - 1

/**
 * The segments that the index is made of. The calls that write are parts of the caller's transaction, but for `merge` and `dropOldest`. Lists
 * whose segment is not (or no more) in `segments` are not read by anybody.
 */
export interface Segments {
  /** Writes what was collected as a new one; nothing where nothing was. */
  add(builder: PostingsBuilder): void
  /** Contacts in all of them, one that is in several as often. */
  contacts(): number
  /** The newest one's id, 0 without any; later ones have higher ids. */
  newest(): number
  /** Deletes the oldest up to an id. False when there is none. */
  dropOldest(until: number): boolean
  /** Does the next piece of making one of several of like size. False when they are too few. */
  merge(): boolean
  /** True between two such pieces: none may be dropped then. */
  readonly isMerging: boolean
}

interface Segment {
  id: number
  contacts: number
}

const contactsOf = (some: readonly Segment[]) => some.reduce((sum, { contacts }) => sum + contacts, 0)

/** Rough size: each is eight times the one before. */
const sizeOf = ({ contacts }: Segment) => Math.floor(Math.log2(contacts) / 3)

/** Those of like size of which one is made now: the smallest, as many as fit. Empty where it is better to wait for more. */
function dueOf(alike: readonly Segment[]): Segment[] {
  const rising = alike.toSorted((a, b) => a.contacts - b.contacts)
  let total = 0
  const fitting = rising.filter(({ contacts }) => (total += contacts) <= segmentMax)
  // Less than half of a whole one is not worth it yet: what is left is then so large that no two of it fit either.
  const isFull = fitting.length < rising.length && contactsOf(fitting) >= segmentMax / 2
  return fitting.length >= mergeFrom || (fitting.length > 1 && isFull) ? fitting : []
}

export function createSegments(search: Database): Segments {
  // One that was being made when the process ended has lists already.
  const newest = search
    .prepare<[], number>(
      `SELECT max(coalesce((SELECT max(id) FROM segments), 0), coalesce((SELECT max(id) FROM postings), 0) / ${trigramCount})`,
    )
    .pluck()
  const contacts = search.prepare<[], number>('SELECT coalesce(sum(contacts), 0) FROM segments').pluck()
  const oldest = search
    .prepare<[number], number>('SELECT id FROM segments WHERE id <= ? ORDER BY id LIMIT 1')
    .pluck()
  const all = search.prepare<[], Segment>('SELECT id, contacts FROM segments ORDER BY id')
  const addSegment = search.prepare<[number, number]>('INSERT INTO segments (id, contacts) VALUES (?, ?)')
  const addPosting = search.prepare<[number, Buffer]>('INSERT INTO postings (id, ids) VALUES (?, ?)')
  const dropSegment = search.prepare<[number]>('DELETE FROM segments WHERE id = ?')
  const dropPostings = search.prepare<[number, number]>('DELETE FROM postings WHERE id BETWEEN ? AND ?')
  const nextPosting = search
    .prepare<[number], number>('SELECT id FROM postings WHERE id >= ? ORDER BY id LIMIT 1')
    .pluck()
  const postingsOf = search.prepare<[number, number], { id: number; ids: Buffer }>(
    'SELECT id, ids FROM postings WHERE id BETWEEN ? AND ?',
  )

  /** What one is being made of, its id, and the trigram from which on its lists are to be made. */
  let merging: { group: readonly Segment[]; into: number; from: number } | null = null

  function drop(segment: number): void {
    dropPostings.run(firstPosting(segment), lastPosting(segment))
    dropSegment.run(segment)
  }

  /** Makes the lists of some trigrams those of one segment. Answers how many were read. */
  function mergeLists(group: readonly Segment[], into: number, from: number): number {
    const lists = new Map<number, Buffer[]>()
    let count = 0
    for (const { id: segment } of group) {
      const first = firstPosting(segment)
      for (const { id, ids } of postingsOf.iterate(first + from, first + from + trigramsAtOnce - 1)) {
        count++
        const known = lists.get(id - first)
        if (known) known.push(ids)
        else lists.set(id - first, [ids])
      }
    }
    for (const [trigram, some] of [...lists].sort(([a], [b]) => a - b))
      addPosting.run(firstPosting(into) + trigram, some.length === 1 ? some[0]! : joinPacked(some))
    return count
  }

  /** The next piece. Until the last one the new segment is not read, and from then on those that it was made of are not. */
  function mergePiece({ group, into, from }: NonNullable<typeof merging>): typeof merging {
    for (let lists = 0; lists < listsAtOnce && from < trigramCount; from += trigramsAtOnce)
      lists += mergeLists(group, into, from)
    if (from < trigramCount) return { group, into, from }
    addSegment.run(into, contactsOf(group))
    for (const { id } of group) dropSegment.run(id)
    return null
  }

  /** Deletes lists of what is not in `segments`. False when there are none. */
  function dropUnlisted(): boolean {
    const listed = new Set(all.all().map(({ id }) => id))
    let dropped = 0
    let at = nextPosting.get(0)
    while (at !== undefined && dropped < listsAtOnce) {
      const segment = Math.floor(at / trigramCount)
      if (!listed.has(segment)) dropped += dropPostings.run(at, lastPosting(segment)).changes
      at = nextPosting.get(firstPosting(segment + 1))
    }
    return dropped > 0
  }

  /** Where enough are there, what is made one of them. */
  function due(): typeof merging {
    const bySize = Map.groupBy(all.all(), sizeOf)
    const group = [...bySize.values()].map(dueOf).find(({ length }) => length > 0)
    return group ? { group, into: newest.get()! + 1, from: 0 } : null
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
      if (!merging && search.transaction(dropUnlisted).immediate()) return true
      const next = merging ?? due()
      if (!next) return false
      merging = search.transaction(mergePiece).immediate(next)
      return true
    },
    get isMerging() {
      return merging !== null
    },
  }
}

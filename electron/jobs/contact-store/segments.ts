import type { Database } from '../../database/open.ts'
import { joinPacked, type PostingsBuilder } from './postings.ts'
import { trigramCount } from './trigrams.ts'

/** Most contacts per segment: writing takes some hundred milliseconds. Each search reads a few lists per segment. */
export const segmentMax = 50_000
/** Segments of similar size to merge, or fewer if no more fit. */
const mergeFrom = 8
/** Trigrams whose lists are merged in memory at once: those with the same first character. */
const trigramsAtOnce = trigramCount / 128
/** Lists read or deleted per commit: some tens of milliseconds, plus the rest of a character. */
const listsAtOnce = 5_000

/** First and last id of a segment's postings. */
export const firstPosting = (segment: number): number => segment * trigramCount
const lastPosting = (segment: number): number => (segment + 1) * trigramCount - 1

interface Segment {
  id: number
  contacts: number
}

const contactsOf = (some: readonly Segment[]) => some.reduce((sum, { contacts }) => sum + contacts, 0)

/** Size class; each is eight times the one before. */
const sizeOf = ({ contacts }: Segment) => Math.floor(Math.log2(contacts) / 3)

/** Segments to merge now: the smallest that fit. Empty when it is better to wait. */
function dueOf(alike: readonly Segment[]): Segment[] {
  const rising = alike.toSorted((a, b) => a.contacts - b.contacts)
  let total = 0
  const fitting = rising.filter(({ contacts }) => (total += contacts) <= segmentMax)
  // Less than half a segment isn't worth a merge yet; beyond that, no two of the rest fit.
  const isFull = fitting.length < rising.length && contactsOf(fitting) >= segmentMax / 2
  return fitting.length >= mergeFrom || (fitting.length > 1 && isFull) ? fitting : []
}

/**
 * The index's segments. Writing calls run in the caller's transaction, except `merge` and `dropOldest`. Lists of segments not in
 * `segments` are never read.
 */
export function createSegments(search: Database) {
  // An interrupted merge may have left lists.
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

  /** The merge in progress: sources, new id and next trigram. */
  let merging: { group: readonly Segment[]; into: number; from: number } | null = null

  function drop(segment: number): void {
    dropPostings.run(firstPosting(segment), lastPosting(segment))
    dropSegment.run(segment)
  }

  /** Merges the lists of some trigrams. Returns how many were read. */
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

  /** The new segment is read only after the last step, and its sources only before. */
  function mergePiece({ group, into, from }: NonNullable<typeof merging>): typeof merging {
    for (let lists = 0; lists < listsAtOnce && from < trigramCount; from += trigramsAtOnce)
      lists += mergeLists(group, into, from)
    if (from < trigramCount) return { group, into, from }
    addSegment.run(into, contactsOf(group))
    for (const { id } of group) dropSegment.run(id)
    return null
  }

  /** Deletes lists without a segment. False when there are none. */
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

  /** The next merge, if any. */
  function due(): typeof merging {
    const bySize = Map.groupBy(all.all(), sizeOf)
    const group = [...bySize.values()].map(dueOf).find(({ length }) => length > 0)
    return group ? { group, into: newest.get()! + 1, from: 0 } : null
  }

  return {
    /** Contacts in all segments, counted once per segment. */
    contacts: () => contacts.get()!,
    /** Newest id, 0 without any; ids rise. */
    newest: () => newest.get()!,
    /** Writes what was collected as a new segment, if anything. */
    add(builder: PostingsBuilder) {
      if (builder.contacts === 0) return
      const segment = newest.get()! + 1
      addSegment.run(segment, builder.contacts)
      for (const { trigram, ids } of builder.take()) addPosting.run(firstPosting(segment) + trigram, ids)
    },
    /** Deletes the oldest segment up to an id. False when there is none. */
    dropOldest(until: number): boolean {
      const segment = oldest.get(until)
      if (segment === undefined) return false
      search.transaction(drop).immediate(segment)
      return true
    },
    /** One step of merging similar segments. False when there are too few. */
    merge(): boolean {
      if (!merging && search.transaction(dropUnlisted).immediate()) return true
      const next = merging ?? due()
      if (!next) return false
      merging = search.transaction(mergePiece).immediate(next)
      return true
    },
    /** True during a merge: don't drop segments then. */
    get isMerging() {
      return merging !== null
    },
  }
}

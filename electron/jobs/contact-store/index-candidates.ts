import type { Database } from '../../database/open.ts'
import { createIdSet } from './id-set.ts'
import { keepPacked, unpackIds } from './postings.ts'
import { firstPosting } from './segments.ts'
import { type SearchTerms, termAlternatives } from './search-terms.ts'
import { trigramsFrom, trigramsWithin } from './trigrams.ts'

/** Most lists read for a one- or two-character text. */
const listsMax = 4_000

/** Most contacts the index hasn't read yet that are checked one by one. */
const unseenMax = 2_000

/** A list is worth reading when it rules out this many contacts, and this many per byte; each is a row to check. */
const ruledOutMin = 5
const ruledOutShare = 0.01

/** This few candidates are checked one by one. */
export const fewMax = 600
/** Checking a candidate takes as long as reading this many ids, which may rule it out. */
export const readsPerLook = 16

/** Finds contacts in `search.db` that may match. */
export interface IndexCandidates {
  /**
   * Ids that may match, possibly repeated, at one moment of the index. Null for more than `max`, or when not
   * `complete`: the index is too far behind to check the rest one by one.
   */
  (terms: SearchTerms, max: number): { ids: Int32Array | null; complete: boolean }
}

export function createIndexCandidates(contactsDb: Database, search: Database): IndexCandidates {
  const segments = search.prepare<[], number>('SELECT id FROM segments ORDER BY contacts DESC').pluck()
  const idsOf = search.prepare<[number], Buffer>('SELECT ids FROM postings WHERE id = ?').pluck()
  const listsOf = search
    .prepare<[number, number], Buffer>('SELECT ids FROM postings WHERE id BETWEEN ? AND ?')
    .pluck()
  const progress = search.prepare<[], { touched: number; lastId: number }>(
    'SELECT touched, last_id AS lastId FROM progress',
  )
  const changedSince = contactsDb
    .prepare<[number, number], number>('SELECT contact_id FROM changes WHERE touched > ? LIMIT ?')
    .pluck()
  const addedSince = contactsDb
    .prepare<[number, number], number>('SELECT id FROM contacts WHERE id > ? LIMIT ?')
    .pluck()

  /** Reused between queries. */
  let found = new Int32Array(1 << 12)

  /** Room for `more` after the first `count`. */
  function room(count: number, more: number): Int32Array {
    if (found.length < count + more) {
      const larger = new Int32Array(2 * (count + more))
      larger.set(found.subarray(0, count))
      found = larger
    }
    return found.subarray(count)
  }

  /**
   * Contacts of a segment with these trigrams, written after the first `count`; returns how many. Adds to `plan` the
   * trigrams that rule out enough to be worth reading.
   */
  function withAllIn(segment: number, trigrams: readonly number[], count: number, plan?: number[]): number {
    const lists: { trigram: number; ids: Buffer }[] = []
    for (const trigram of trigrams) {
      const ids = idsOf.get(firstPosting(segment) + trigram)
      if (!ids) {
        plan?.push(trigram)
        return 0
      }
      lists.push({ trigram, ids })
    }
    if (plan) lists.sort((a, b) => a.ids.length - b.ids.length)
    const [first, ...others] = lists
    const into = room(count, first!.ids.length)
    let here = unpackIds(first!.ids, into)
    plan?.push(first!.trigram)
    for (const { trigram, ids } of others) {
      const before = here
      here = keepPacked(into, here, ids)
      if (before - here > ruledOutMin + ids.length * ruledOutShare) plan?.push(trigram)
    }
    return here
  }

  /** Contacts with all trigrams of some texts: how many, null for more than `max`. */
  function withAll(texts: readonly string[], max: number): number | null {
    const trigrams = [...new Set(texts.flatMap(trigramsWithin))]
    // The largest segment shows which lists to read in the others; extra candidates fail the later check.
    const [largest, ...others] = segments.all()
    if (largest === undefined) return 0
    const plan: number[] = []
    let count = withAllIn(largest, trigrams, 0, plan)
    const asked = count === 0 && plan.length === 1 ? trigrams : plan
    for (const segment of others) {
      if (count > max) return null
      count += withAllIn(segment, asked, count)
    }
    return count > max ? null : count
  }

  /** Contacts with a trigram that starts with a text: how many, null for more than `max` or too many lists. */
  function withPrefix(text: string, max: number): number | null {
    const [first, last] = trigramsFrom(text)
    let lists = 0
    let count = 0
    const those = createIdSet()
    for (const segment of segments.all())
      for (const ids of listsOf.iterate(firstPosting(segment) + first, firstPosting(segment) + last)) {
        const into = room(count, ids.length)
        const here = unpackIds(ids, into)
        const before = count
        for (let at = 0; at < here; at++) {
          const id = into[at]!
          if (those.has(id)) continue
          those.add(id)
          into[count++ - before] = id
        }
        if (count > max || ++lists > listsMax) return null
      }
    return count
  }

  /** One more than can be checked means "many". */
  function unseen(): number[] {
    const { touched, lastId } = progress.get()!
    return [...changedSince.all(touched, unseenMax + 1), ...addedSince.all(lastId, unseenMax + 1)]
  }

  const copied = (count: number | null) => (count === null ? null : found.slice(0, count))

  /** Contacts that may contain all of some texts; null for more than `max`. */
  function withTexts(texts: readonly string[], max: number): Int32Array | null {
    // No list starts with a line end; a text's remainder is enough.
    const asked = texts.map((text) => text.replace(/^\n+/, ''))
    const long = asked.filter(({ length }) => length >= 3)
    let best: Int32Array | null = null
    if (long.length > 0) {
      best = copied(withAll(long, max))
      if (!best) return null
    }
    for (const text of asked.filter(({ length }) => length === 2)) {
      if (best && best.length <= fewMax) break
      const others = copied(withPrefix(text, best ? Math.min(max, best.length * readsPerLook) : max))
      if (others) best = best ? inBoth(best, others) : others
    }
    for (const text of asked.filter(({ length }) => length === 1)) best ??= copied(withPrefix(text, max))
    return best
  }

  function ask(terms: SearchTerms, max: number): ReturnType<IndexCandidates> {
    // Reads the store's current state, which is at least as new as the index.
    const behind = unseen()
    if (behind.length > unseenMax) return { ids: null, complete: false }
    const parts: Int32Array[] = [Int32Array.from(behind)]
    let left = max
    for (const texts of termAlternatives(terms)) {
      const part = withTexts(texts, left)
      if (!part) return { ids: null, complete: true }
      left -= part.length
      parts.push(part)
    }
    return { ids: joinedIds(parts), complete: true }
  }

  // In one transaction: merging or rebuilding a segment between two statements would remove its lists.
  return search.transaction(ask)
}

/** Ids in both lists. */
export function inBoth(some: Int32Array, others: ArrayLike<number>): Int32Array {
  const those = createIdSet(others)
  return some.filter(those.has)
}

/** Concatenates lists of ids. */
function joinedIds(lists: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}

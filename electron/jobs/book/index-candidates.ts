import type { Database } from '../../database/open.ts'
import { keepPacked, unpackIds } from './postings.ts'
import { firstPosting } from './segments.ts'
import { trigramsFrom, trigramsWithin } from './trigrams.ts'

/** Lists of contacts that begin with a search text of one or two signs: more than this are not read one by one. */
const listsMax = 4_000

/** Contacts that the index has not seen as they are now: so many are looked at one by one. */
export const unseenMax = 2_000

/** Asks `search.db` for contacts that may hold a text. */
export interface IndexCandidates {
  /**
   * Ids that may hold the text, some of them twice, or null when there are more than `max`. Not `complete` while the index is so far
   * behind the book that what it misses cannot be looked at one by one.
   */
  (text: string, max: number): { ids: Int32Array | null; complete: boolean }
}

export function createIndexCandidates(book: Database, search: Database): IndexCandidates {
  const segments = search.prepare<[], number>('SELECT id FROM segments').pluck()
  const idsOf = search.prepare<[number], Buffer>('SELECT ids FROM postings WHERE id = ?').pluck()
  const listsOf = search
    .prepare<[number, number], Buffer>('SELECT ids FROM postings WHERE id BETWEEN ? AND ?')
    .pluck()
  const progress = search.prepare<[], { touched: number; lastId: number }>(
    'SELECT touched, last_id AS lastId FROM progress',
  )
  const changedSince = book
    .prepare<[number, number], number>('SELECT contact_id FROM changes WHERE touched > ? LIMIT ?')
    .pluck()
  const addedSince = book
    .prepare<[number, number], number>('SELECT id FROM contacts WHERE id > ? LIMIT ?')
    .pluck()

  /** Room for what is found, kept from question to question. */
  let found = new Int32Array(1 << 12)

  /** Room for `more` behind the first `count`. */
  function room(count: number, more: number): Int32Array {
    if (found.length < count + more) {
      const larger = new Int32Array(2 * (count + more))
      larger.set(found.subarray(0, count))
      found = larger
    }
    return found.subarray(count)
  }

  /** Contacts that hold all of some trigrams; how many, null for more than `max`. */
  function holdingAll(trigrams: readonly number[], max: number): number | null {
    let count = 0
    for (const segment of segments.all()) {
      const lists: Buffer[] = []
      for (const trigram of trigrams) {
        const ids = idsOf.get(firstPosting(segment) + trigram)
        if (!ids) break
        lists.push(ids)
      }
      if (lists.length < trigrams.length) continue
      const [shortest, ...others] = lists.sort((a, b) => a.length - b.length)
      const into = room(count, shortest!.length)
      let here = unpackIds(shortest!, into)
      for (const ids of others) if (here > 0) here = keepPacked(into, here, ids)
      count += here
      if (count > max) return null
    }
    return count
  }

  /** Contacts that hold one of the trigrams between two; how many, null for more than `max` or where too many would be read. */
  function holdingOne([first, last]: readonly [number, number], max: number): number | null {
    let lists = 0
    const all = new Set<number>()
    for (const segment of segments.all())
      for (const ids of listsOf.iterate(firstPosting(segment) + first, firstPosting(segment) + last)) {
        const into = room(0, ids.length)
        const here = unpackIds(ids, into)
        for (let at = 0; at < here; at++) all.add(into[at]!)
        if (all.size > max || ++lists > listsMax) return null
      }
    room(0, all.size).set([...all])
    return all.size
  }

  /** One more than can be looked at stands for many. */
  function unseen(): number[] {
    const { touched, lastId } = progress.get()!
    return [...changedSince.all(touched, unseenMax + 1), ...addedSince.all(lastId, unseenMax + 1)]
  }

  return (text, max) => {
    // Before the index is asked: what it takes in meanwhile is then looked at twice, and nothing is missed.
    const behind = unseen()
    const complete = behind.length <= unseenMax
    const count =
      text.length < 3 ? holdingOne(trigramsFrom(text), max) : holdingAll(trigramsWithin(text), max)
    if (count === null) return { ids: null, complete }
    const looked = complete ? behind : []
    room(count, looked.length).set(looked)
    return { ids: found.slice(0, count + looked.length), complete }
  }
}

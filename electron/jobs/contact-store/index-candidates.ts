import type { Database } from '../../database/open.ts'
import { createIdSet } from './id-set.ts'
import { type SearchTerms, termAlternatives } from './search-terms.ts'

/** Most trigrams asked for: the rest of a long text hardly rules out a contact. */
const trigramsMax = 24
/** Most trigrams that start with a text of one or two characters; one with more is common. */
const startsMax = 200
/** Most contacts the index hasn't read yet that are checked one by one. */
const unseenMax = 2_000

/** Finds contacts in `search.db` that may match. */
export interface IndexCandidates {
  /**
   * Ids that may match, at one moment of the index. Null for more than `max`, for texts in most contacts, or when not
   * `complete`: the index is too far behind to check the rest one by one.
   */
  (terms: SearchTerms, max: number): { ids: Int32Array | null; complete: boolean }
}

const quoted = (trigram: string) => `"${trigram.replaceAll('"', '""')}"`

/** Trigrams of a text, by whole characters, as FTS5 makes them. */
function trigramsOf(text: string): string[] {
  const signs = [...text]
  return signs.slice(2).map((last, at) => signs[at]! + signs[at + 1]! + last)
}

export function createIndexCandidates(contactsDb: Database, search: Database): IndexCandidates {
  const find = search
    .prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?')
    .pluck()
  const starting = search
    .prepare<[string, string, number], string>(
      'SELECT term FROM trigrams WHERE term >= ? AND term < ? LIMIT ?',
    )
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

  /** One more than can be checked means "many". */
  function unseen(): number[] {
    const { touched, lastId } = progress.get()!
    return [...changedSince.all(touched, unseenMax + 1), ...addedSince.all(lastId, unseenMax + 1)]
  }

  /** FTS5's query for one of the trigrams that start with a text; '' when there are none, null for too many. */
  function startQuery(text: string): string | null {
    const found = starting.all(text, `${text}\u{10ffff}`, startsMax + 1)
    return found.length > startsMax ? null : found.map(quoted).join(' OR ')
  }

  /** FTS5's query for contacts with all of some texts; '' when there are none, null when the index doesn't help. */
  function queryOf(texts: readonly string[]): string | null {
    // SQLite stores half a character as another one.
    const asked = texts.flatMap((text) => text.split(/\p{Cs}/u)).filter((text) => text !== '')
    const trigrams = [...new Set(asked.flatMap(trigramsOf))].slice(0, trigramsMax)
    if (trigrams.length > 0) return trigrams.map(quoted).join(' AND ')
    // Each more is common and takes as long as the first.
    const [longest] = asked.toSorted((a, b) => b.length - a.length)
    return longest === undefined ? null : startQuery(longest)
  }

  function ask(terms: SearchTerms, max: number): ReturnType<IndexCandidates> {
    // Reads the store's current state, which is at least as new as the index.
    const behind = unseen()
    if (behind.length > unseenMax) return { ids: null, complete: false }
    const ways = termAlternatives(terms).map(queryOf)
    if (ways.includes(null)) return { ids: null, complete: true }
    const query = ways.flatMap((way) => (way ? `(${way})` : [])).join(' OR ')
    const found = query === '' ? [] : find.all(query, max + 1)
    if (found.length > max) return { ids: null, complete: true }
    return {
      ids: Int32Array.from(behind.length === 0 ? found : new Set([...found, ...behind])),
      complete: true,
    }
  }

  return search.transaction(ask)
}

/** Ids in both lists. */
export function inBoth(some: Int32Array, others: ArrayLike<number>): Int32Array {
  const those = createIdSet(others)
  return some.filter(those.has)
}

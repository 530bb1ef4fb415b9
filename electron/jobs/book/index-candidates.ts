import type { Database } from '../../database/open.ts'

/** Trigrams that begin with a search text of one or two characters: more than this are not asked for one by one. */
const termsMax = 400

/** Contacts that the index has not seen as they are now: so many are looked at one by one. */
export const unseenMax = 2_000

/** Asks `search.db` for contacts that may hold a text. */
export interface IndexCandidates {
  /**
   * Ids that may hold the text, or null when there are more than `max`. Not `complete` while the index is so far behind the book that what
   * it misses cannot be looked at one by one.
   */
  (text: string, max: number): { ids: number[] | null; complete: boolean }
}

const quoted = (term: string) => `"${term.replaceAll('"', '""')}"`

export function createIndexCandidates(book: Database, search: Database): IndexCandidates {
  const matching = search
    .prepare<[string, number], number>('SELECT rowid FROM contacts WHERE contacts MATCH ? LIMIT ?')
    .pluck()
  const progress = search.prepare<[], { touched: number; lastId: number }>(
    'SELECT touched, last_id AS lastId FROM progress',
  )
  const termsFrom = search.prepare<[string, string], { term: string; doc: number }>(
    'SELECT term, doc FROM terms WHERE term >= ? AND term < ?',
  )
  const changedSince = book
    .prepare<[number, number], number>('SELECT contact_id FROM changes WHERE touched > ? LIMIT ?')
    .pluck()
  const addedSince = book
    .prepare<[number, number], number>('SELECT id FROM contacts WHERE id > ? LIMIT ?')
    .pluck()

  /** The question to the index for a text shorter than a trigram: all that begin with it. Null when they are in too many contacts. */
  function shortQuery(text: string, max: number): string | null {
    const terms: string[] = []
    let contacts = 0
    // Counting takes time for each contact: it ends with the first term that is one too many.
    for (const { term, doc } of termsFrom.iterate(text, `${text}\u{10ffff}`)) {
      terms.push(quoted(term))
      contacts += doc
      if (terms.length > termsMax || contacts > max) return null
    }
    return terms.join(' OR ')
  }

  function queryOf(text: string, max: number): string | null {
    const points = [...text]
    if (points.length < 3) return shortQuery(text, max)
    // Those beside each other, and the last: what lies across them is seen when the contact is looked at, and each costs time.
    const begins = points.flatMap((_, at) => (at % 3 === 0 && at + 3 <= points.length ? [at] : []))
    const trigrams = [...begins, points.length - 3].map((at) => points.slice(at, at + 3).join(''))
    return [...new Set(trigrams)].map(quoted).join(' AND ')
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
    const query = queryOf(text, max)
    if (query === null) return { ids: null, complete }
    const found = query === '' ? [] : matching.all(query, max + 1)
    if (found.length > max) return { ids: null, complete }
    return { ids: complete && behind.length > 0 ? [...found, ...behind] : found, complete }
  }
}

import type { Database } from '../../database/open.ts'
import { fold } from '../../lib/fold.ts'
import { type BookOrder, changesKept, nextPlaces } from './book-order.ts'
import {
  type BookFilter,
  type BookRow,
  type BookSelection,
  type BookSort,
  contactStates,
  marks,
} from './book-types.ts'

/** Up to so many candidates of the index are looked at one by one. */
const fewMax = 500
/** Without an order of the book it must be more. */
const fewUnorderedMax = 2_000
/** So many are picked from by their place in the order of the book; beyond, hits are dense enough to walk it. */
const manyMax = 40_000
/** Rows looked at per piece of a walk. */
const pieceRows = 500
/** A walk that found too little gives up the page after so many rows; the next page goes on from there. */
const walkMax = 20_000

/** An import whose ids span no more is read whole and sorted. */
const rangeMax = 20_000

/** Trigrams that begin with a search text of one or two characters: more than this are not asked for one by one. */
const termsMax = 400

export interface ContactPage {
  items: BookRow[]
  /** True when the order goes on after the last item. */
  more: boolean
  count: { value: number; exact: boolean }
  /** The last row looked at, when the page was given up early. */
  resumeAfter: BookRow | null
}

export interface ContactSearch {
  /** A page in order, after (or, backwards, before) a row. */
  page(query: {
    filter: BookFilter
    sort: BookSort
    limit: number
    from?: { key: string | number; id: number } | undefined
    backwards?: boolean | undefined
    /** The book in the order asked for, as it was a while ago. Without it, pages of many hits take longer. */
    order?: BookOrder | null | undefined
  }): ContactPage
  /** Exact. Takes time that grows with the book. */
  count(filter: BookFilter): number
  /** Ids of a selection above `afterId`, rising, at most `limit`. An empty answer is the end. */
  ids(selection: BookSelection, afterId: number, limit: number): number[]
  rows(ids: readonly number[]): BookRow[]
  byDigits(digits: readonly number[]): BookRow[]
}

const columns = `c.id, c.digits, c.name, c.email, t.json AS tagsJson, c.state, c.marks, c.service_id AS serviceId,
  c.note <> '' AS hasNote, c.created_ms AS createdMs, c.updated_ms AS updatedMs`
const source = 'FROM contacts c JOIN tag_sets t ON t.id = c.tag_set'

const sortKeys: Record<BookSort['by'], string> = {
  name: 'c.name COLLATE NOCASE',
  phone: 'c.digits',
  updated: 'c.updated_ms',
  created: 'c.id',
}

/** The value by which a row stands where it stands. */
export function sortKeyOf(row: BookRow, by: BookSort['by']): string | number {
  if (by === 'name') return row.name
  if (by === 'phone') return row.digits
  return by === 'updated' ? row.updatedMs : row.id
}

/** The text of a contact that is searched: name, number with its plus, e-mail and tags, folded, a line each. */
export function searchTextOf({
  name,
  digits,
  email,
  tagsJson,
}: Pick<BookRow, 'name' | 'digits' | 'email' | 'tagsJson'>): string {
  const tags =
    tagsJson === '{}'
      ? ''
      : Object.entries(JSON.parse(tagsJson) as Record<string, string>)
          .map(([key, value]) => `${key}=${value}`)
          .join('\n')
  return fold(`${name}\n+${digits}\n${email}\n${tags}`)
}

/** What the index holds of it: padded, so that the last characters begin a trigram too. */
export const indexTextOf = (row: Parameters<typeof searchTextOf>[0]): string =>
  `${searchTextOf(row)}\u0001\u0001`

const quoted = (term: string) => `"${term.replaceAll('"', '""')}"`

/** Searches `book.db` with the help of `search.db`. Both may be readers. */
export function createContactSearch(book: Database, search: Database): ContactSearch {
  const statements = new Map<string, ReturnType<Database['prepare']>>()
  function all<T>(sql: string, ...params: unknown[]): T[] {
    let statement = statements.get(sql)
    if (!statement) {
      if (statements.size > 200) statements.clear()
      statements.set(sql, (statement = book.prepare(sql)))
    }
    return statement.all(params) as T[]
  }
  const matching = search
    .prepare<[string, number], number>('SELECT rowid FROM contacts WHERE contacts MATCH ? LIMIT ?')
    .pluck()
  const progress = search.prepare<[], { touched: number; lastId: number }>(
    'SELECT touched, last_id AS lastId FROM progress',
  )
  const termsFrom = search.prepare<[string, string, number], { term: string; doc: number }>(
    'SELECT term, doc FROM terms WHERE term >= ? AND term < ? LIMIT ?',
  )

  /** The question to the index, or null when it is no help: nothing to ask, or hits everywhere. */
  function indexQuery(text: string, max: number): string | null {
    const points = [...text]
    if (points.length >= 3)
      return [...new Set(points.slice(0, -2).map((_, at) => points.slice(at, at + 3).join('')))]
        .map(quoted)
        .join(' AND ')
    const terms = termsFrom.all(text, `${text}\u{10ffff}`, termsMax + 1)
    if (terms.length > termsMax) return null
    if (terms.reduce((sum, { doc }) => sum + doc, 0) > max) return null
    return terms.map(({ term }) => quoted(term)).join(' OR ')
  }

  /** Contacts that the index has not seen as they are now; one more than can be looked at stands for many. */
  function unseen(): number[] {
    const { touched, lastId } = progress.get()!
    const limit = fewUnorderedMax + 1
    const changed = all<{ id: number }>(
      'SELECT contact_id AS id FROM changes WHERE touched > ? LIMIT ?',
      touched,
      limit,
    )
    const added = all<{ id: number }>('SELECT id FROM contacts WHERE id > ? LIMIT ?', lastId, limit)
    return [...changed, ...added].map(({ id }) => id)
  }

  /**
   * Ids that may hold the text, or null when there are too many to go through. Not `complete` while the index is so far behind the book
   * that what it misses cannot be looked at one by one.
   */
  function candidates(text: string, max: number): { ids: number[] | null; complete: boolean } {
    // Before the index is asked: what it takes in meanwhile is then looked at twice, and nothing is missed.
    const behind = unseen()
    const complete = behind.length <= fewUnorderedMax
    const query = indexQuery(text, max)
    if (query === null) return { ids: null, complete }
    const found = query === '' ? [] : matching.all(query, max + 1)
    if (found.length > max) return { ids: null, complete }
    return { ids: complete ? [...found, ...behind] : found, complete }
  }

  /** Tag sets that a filter on tags lets through, as JSON; null when it does not filter. */
  function tagSetsOf(tags: BookFilter['tags']): string | null {
    if (!tags || tags.length === 0) return null
    const sets = all<{ id: number; json: string }>('SELECT id, json FROM tag_sets')
    const fits = sets.filter(({ json }) => {
      const set = JSON.parse(json) as Record<string, string>
      return tags.every(({ key, value }) => Object.hasOwn(set, key) && (value === null || set[key] === value))
    })
    return JSON.stringify(fits.map(({ id }) => id))
  }

  /** Everything of a filter but its text, as SQL. */
  function conditions(filter: BookFilter): { sql: string[]; params: unknown[] } {
    const sql: string[] = []
    const params: unknown[] = []
    if (filter.states && filter.states.length > 0)
      sql.push(`c.state IN (${filter.states.map((state) => contactStates.indexOf(state)).join(', ')})`)
    const bit = (mark: number, wanted: boolean | undefined) => {
      if (wanted !== undefined)
        sql.push(wanted ? `c.marks <> 0 AND c.marks & ${mark} <> 0` : `c.marks & ${mark} = 0`)
    }
    bit(marks.dnc, filter.dnc)
    bit(marks.held, filter.held)
    if (filter.importId !== undefined) {
      // Its contacts' ids lie together: the range is looked through, or gone along in the wanted order where it is wide.
      const [found] = all<{ no: number; firstId: number; lastId: number }>(
        'SELECT no, first_id AS firstId, last_id AS lastId FROM imports WHERE id = ?',
        filter.importId,
      )
      const { no, firstId, lastId } = found ?? { no: -1, firstId: 0, lastId: -1 }
      const id = lastId - firstId > rangeMax ? '+c.id' : 'c.id'
      sql.push(`${id} BETWEEN ? AND ?`, 'c.import_no = ?')
      params.push(firstId, lastId, no)
    }
    const sets = tagSetsOf(filter.tags)
    if (sets !== null) {
      sql.push('c.tag_set IN (SELECT value FROM json_each(?))')
      params.push(sets)
    }
    return { sql, params }
  }

  const where = (sql: string[]) => (sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`)
  const foldedText = (filter: BookFilter) => fold(filter.text?.trim() ?? '')

  const version = book.prepare<[], number>('SELECT version FROM book').pluck()
  /** How many there are in all, as long as the book does not change: counting goes over all of them. */
  let total: { version: number; count: number } | null = null

  function countPlain(filter: BookFilter): number {
    const { sql, params } = conditions(filter)
    if (sql.length === 0) {
      const now = version.get()!
      if (total?.version !== now)
        total = { version: now, count: all<{ n: number }>('SELECT count(*) AS n FROM contacts')[0]!.n }
      return total.count
    }
    return all<{ n: number }>(`SELECT count(*) AS n FROM contacts c ${where(sql)}`, ...params)[0]!.n
  }

  /** All rows of a filter whose text has few candidates. */
  function fewRows(filter: BookFilter, text: string, ids: number[]): BookRow[] {
    const { sql, params } = conditions(filter)
    const rows = all<BookRow>(
      `SELECT ${columns} ${source} ${where(['c.id IN (SELECT value FROM json_each(?))', ...sql])}`,
      JSON.stringify(ids),
      ...params,
    )
    return rows.filter((row) => searchTextOf(row).includes(text))
  }

  /** Contacts that are not where an order has them, as far as they are few; null when the order is too old. */
  function notIn({ touched, lastId }: BookOrder): Set<number> | null {
    const newest = all<{ touched: number }>('SELECT touched FROM book')[0]!.touched
    if (newest - touched > changesKept) return null
    const changed = all<{ id: number }>('SELECT contact_id AS id FROM changes WHERE touched > ?', touched)
    const added = all<{ id: number }>('SELECT id FROM contacts WHERE id > ? LIMIT ?', lastId, changesKept)
    return new Set([...changed, ...added].map(({ id }) => id))
  }

  type PageQuery = Parameters<ContactSearch['page']>[0]

  /** A page of many hits by their places in an order of the book. Null where the order does not help. */
  function orderedPage(
    { filter, sort, limit, from, backwards = false }: PageQuery,
    among: { text: string; ids: readonly number[]; order: BookOrder },
  ): ContactPage | null {
    const { order, text } = among
    const moved = notIn(order)
    if (!moved) return null
    const down = sort.descending !== backwards
    let behind = down ? order.ids.length + 1 : 0
    if (from) {
      const place = moved.has(from.id) ? 0 : (order.places[from.id] ?? 0)
      if (place === 0) return null
      behind = place
    }
    const { sql, params } = conditions(filter)
    const key = sortKeys[sort.by]
    const direction = down ? 'DESC' : 'ASC'
    const bound = down ? '<' : '>'
    const after = from ? [sort.by === 'created' ? `c.id ${bound} ?` : `(${key}, c.id) ${bound} (?, ?)`] : []
    const afterParams = from ? (sort.by === 'created' ? [from.id] : [from.key, from.id]) : []
    const hits = (ids: readonly number[]) =>
      all<BookRow>(
        `SELECT ${columns} ${source} ${where(['c.id IN (SELECT value FROM json_each(?))', ...sql, ...after])}
         ORDER BY ${key} ${direction}, c.id ${direction}`,
        JSON.stringify(ids),
        ...params,
        ...afterParams,
      ).filter((row) => searchTextOf(row).includes(text))

    const settled: number[] = []
    let exhausted = false
    for (let looked = 0; settled.length <= limit && !exhausted;) {
      const wanted = limit + 1
      const places = nextPlaces(order, among.ids, { behind, down, wanted }).subarray(0, wanted)
      exhausted = places.length < wanted
      const ids = Array.from(places, (place) => order.ids[place - 1]!).filter((id) => !moved.has(id))
      for (const { id } of hits(ids)) settled.push(id)
      behind = places.at(-1) ?? behind
      looked += places.length
      // Other conditions leave so little that the walk is no worse.
      if (looked > walkMax) return null
    }
    const elsewhere = among.ids.filter((id) => moved.has(id))
    const rows = hits([...settled, ...elsewhere])
    const items = rows.slice(0, limit)
    const more = rows.length > limit || !exhausted
    if (backwards) items.reverse()
    const count = { value: items.length + (more ? 1 : 0), exact: !more && !from }
    return { items, more, count, resumeAfter: null }
  }

  const page: ContactSearch['page'] = (query) => {
    const { filter, sort, limit, from, backwards = false, order } = query
    const text = foldedText(filter)
    const found =
      text === '' ? { ids: null, complete: true } : candidates(text, order ? manyMax : fewUnorderedMax)
    const { complete } = found
    if (found.ids && order && found.ids.length > fewMax) {
      const ordered = orderedPage(query, { text, ids: found.ids, order })
      if (ordered) return ordered
    }
    const few = found.ids && found.ids.length <= fewUnorderedMax ? found.ids : null
    // The reader's order is that of SQLite, so the few are ordered by it too.
    const hits = few && new Set(fewRows(filter, text, few).map(({ id }) => id))
    const { sql, params } = conditions(filter)
    const key = sortKeys[sort.by]
    const down = sort.descending !== backwards
    const direction = down ? 'DESC' : 'ASC'
    const bound = down ? '<' : '>'
    const items: BookRow[] = []
    let at = from
    let looked = 0
    let more = true
    let last: BookRow | null = null
    while (items.length < limit && more && looked < walkMax) {
      const size = text === '' || hits ? limit : pieceRows
      const rows = all<BookRow>(
        `SELECT ${columns} ${source} ${where([
          ...(hits ? ['c.id IN (SELECT value FROM json_each(?))'] : sql),
          ...(at ? [sort.by === 'created' ? `c.id ${bound} ?` : `(${key}, c.id) ${bound} (?, ?)`] : []),
        ])} ORDER BY ${sort.by === 'created' ? '' : `${key} ${direction}, `}c.id ${direction} LIMIT ?`,
        ...(hits ? [JSON.stringify([...hits])] : params),
        ...(at ? (sort.by === 'created' ? [at.id] : [at.key, at.id]) : []),
        size + 1,
      )
      more = rows.length > size
      for (const row of rows.slice(0, size)) {
        if (text === '' || hits || searchTextOf(row).includes(text)) items.push(row)
        last = row
        looked++
        if (items.length === limit) break
      }
      if (items.length === limit) more = more || last !== rows.at(-1)
      if (last) at = { key: sortKeyOf(last, sort.by), id: last.id }
    }
    const isPlain = text === '' && sql.length === 0
    const count = hits
      ? { value: hits.size, exact: complete }
      : isPlain
        ? { value: countPlain(filter), exact: true }
        : { value: items.length + (more ? 1 : 0), exact: !more && !from }
    if (backwards) items.reverse()
    return { items, more, count, resumeAfter: more && items.length < limit ? last : null }
  }

  function* textRows(filter: BookFilter, text: string, afterId: number): Generator<BookRow> {
    const { sql, params } = conditions(filter)
    let after = afterId
    for (;;) {
      const rows = all<BookRow>(
        `SELECT ${columns} ${source} ${where(['c.id > ?', ...sql])} ORDER BY c.id LIMIT ${pieceRows}`,
        after,
        ...params,
      )
      if (rows.length === 0) return
      for (const row of rows) if (searchTextOf(row).includes(text)) yield row
      after = rows.at(-1)!.id
    }
  }

  return {
    page,
    count(filter) {
      const text = foldedText(filter)
      if (text === '') return countPlain(filter)
      const { ids: few, complete } = candidates(text, fewUnorderedMax)
      if (few && complete) return fewRows(filter, text, few).length
      let found = 0
      for (const _row of textRows(filter, text, 0)) found++
      return found
    },
    ids(selection, afterId, limit) {
      if ('ids' in selection) {
        return all<{ id: number }>(
          'SELECT c.id FROM contacts c WHERE c.id > ? AND c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id LIMIT ?',
          afterId,
          JSON.stringify(selection.ids),
          limit,
        ).map(({ id }) => id)
      }
      const { filter } = selection
      const except = new Set(selection.exceptIds)
      const text = foldedText(filter)
      const found: number[] = []
      if (text !== '') {
        const { ids: few, complete } = candidates(text, fewUnorderedMax)
        // What is done to a selection is done to all of it: the book is walked where the index does not know it all.
        const rows =
          few && complete
            ? fewRows(filter, text, few)
                .filter(({ id }) => id > afterId)
                .sort((a, b) => a.id - b.id)
            : textRows(filter, text, afterId)
        for (const { id } of rows) {
          if (!except.has(id)) found.push(id)
          if (found.length === limit) break
        }
        return found
      }
      const { sql, params } = conditions(filter)
      let after = afterId
      while (found.length < limit) {
        const rows = all<{ id: number }>(
          `SELECT c.id FROM contacts c ${where(['c.id > ?', ...sql])} ORDER BY c.id LIMIT ?`,
          after,
          ...params,
          limit - found.length,
        )
        if (rows.length === 0) break
        for (const { id } of rows) if (!except.has(id)) found.push(id)
        after = rows.at(-1)!.id
      }
      return found
    },
    rows: (ids) =>
      all<BookRow>(
        `SELECT ${columns} ${source} WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id`,
        JSON.stringify(ids),
      ),
    byDigits: (digits) =>
      all<BookRow>(
        `SELECT ${columns} ${source} WHERE c.digits IN (SELECT value FROM json_each(?)) ORDER BY c.id`,
        JSON.stringify(digits),
      ),
  }
}

import type { Database } from '../../database/open.ts'
import { conditionsOf, whereOf } from './book-conditions.ts'
import { type BookOrder, changesKept, nextPlaces } from './book-order.ts'
import type { BookFilter, BookRow, BookSelection, BookSort } from './book-types.ts'
import { createTextTest, searchedText } from './contact-text.ts'
import {
  type AskLean,
  createContactWalk,
  type LeanRow,
  leanRows,
  type OrderPlace,
  sortKeys,
} from './contact-walk.ts'
import { createIndexCandidates } from './index-candidates.ts'

/** Up to so many candidates of the index are looked at one by one. */
const fewMax = 1_000
/** Without an order of the book it must be more. */
const fewUnorderedMax = 2_000
/** So many are picked from by their place in the order of the book. */
const manyMax = 200_000
/** Rows looked at before the index is asked for many. */
const probeRows = 200
/** Where hits among these are so dense that the page is full after so many rows, the index is not asked. */
const denseMax = 1_500
/** Rows looked at per piece of a walk. */
const pieceRows = 500
/** A walk that found too little gives up the page after so many rows or milliseconds; the next page goes on from there. */
const walkMax = 20_000
const walkMs = 40
/** Candidates whose texts are read at once. */
const chunkIds = 5_000

export interface ContactPage {
  items: BookRow[]
  /** True when the order goes on after the last item. */
  more: boolean
  count: { value: number; exact: boolean }
  /** Where the looking ended, when the page was given up early. */
  resumeAfter: OrderPlace | null
}

export interface ContactSearch {
  /** A page in order, after (or, backwards, before) a row. */
  page(query: {
    filter: BookFilter
    sort: BookSort
    limit: number
    from?: OrderPlace | undefined
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
const amongIds = 'c.id IN (SELECT value FROM json_each(?))'

/** Searches `book.db` with the help of `search.db`. Both may be readers. */
export function createContactSearch(book: Database, search: Database): ContactSearch {
  const statements = new Map<string, ReturnType<Database['prepare']>>()
  function prepared(sql: string) {
    let statement = statements.get(sql)
    if (!statement) {
      if (statements.size > 200) statements.clear()
      statements.set(sql, (statement = book.prepare(sql)))
    }
    return statement
  }
  const all = <T>(sql: string, ...params: unknown[]): T[] => prepared(sql).raw(false).all(params) as T[]
  const lean: AskLean = (sql, ...params) => prepared(sql).raw(true).all(params) as LeanRow[]
  const candidates = createIndexCandidates(book, search)

  function holds(text: string): (row: LeanRow) => boolean {
    const test = createTextTest(text)
    return ([, digits, name, email, tagsJson]) => test(digits, name, email, tagsJson)
  }

  const version = book.prepare<[], number>('SELECT version FROM book').pluck()
  /** How many there are in all, as long as the book does not change: counting goes over all of them. */
  let total: { version: number; count: number } | null = null

  function countPlain(filter: BookFilter): number {
    const { sql, params } = conditionsOf(all, filter)
    if (sql.length === 0) {
      const now = version.get()!
      if (total?.version !== now)
        total = { version: now, count: all<{ n: number }>('SELECT count(*) AS n FROM contacts')[0]!.n }
      return total.count
    }
    return all<{ n: number }>(`SELECT count(*) AS n FROM contacts c ${whereOf(sql)}`, ...params)[0]!.n
  }

  type PageQuery = Parameters<ContactSearch['page']>[0]

  /** Ids of those contacts that fit a query, in its order; `isBehind` tells which come after its `from`. */
  function orderedIds({ filter, sort, from, backwards = false }: PageQuery, ids: readonly number[]) {
    const { sql, params } = conditionsOf(all, filter)
    const down = sort.descending !== backwards
    const [direction, bound] = down ? ['DESC', '<'] : ['ASC', '>']
    const key = sortKeys[sort.by]
    const behind = from ? `(${key}, c.id) ${bound} (?, ?)` : '1'
    const rows = lean(
      `${leanRows({ last: behind })} ${whereOf([amongIds, ...sql])} ORDER BY ${key} ${direction}, c.id ${direction}`,
      ...(from ? [from.key, from.id] : []),
      JSON.stringify(ids),
      ...params,
    )
    return rows
      .filter(holds(searchedText(filter.text)))
      .map(([id, , , , , behind]) => ({ id, isBehind: behind === 1 }))
  }

  const idsBehind = (query: PageQuery, ids: readonly number[]): number[] =>
    orderedIds(query, ids).flatMap(({ id, isBehind }) => (isBehind ? [id] : []))

  const byIds = (ids: readonly number[]) =>
    all<BookRow>(`SELECT ${columns} ${source} WHERE ${amongIds} ORDER BY c.id`, JSON.stringify(ids))

  /** Whole rows, in the order of their ids as given. */
  function rowsOf(ids: readonly number[]): BookRow[] {
    const rows = new Map(byIds(ids).map((row) => [row.id, row]))
    return ids.flatMap((id) => rows.get(id) ?? [])
  }

  /** A page of which all candidates are looked at. */
  function fewPage(query: PageQuery, among: { ids: readonly number[]; complete: boolean }): ContactPage {
    const hits = orderedIds(query, among.ids)
    const behind = hits.flatMap(({ id, isBehind }) => (isBehind ? [id] : []))
    const items = rowsOf(behind.slice(0, query.limit))
    if (query.backwards) items.reverse()
    const count = { value: hits.length, exact: among.complete }
    return { items, more: behind.length > query.limit, count, resumeAfter: null }
  }

  /** Contacts that are not where an order has them, as far as they are few; null when the order is too old. */
  function notIn({ touched, lastId }: BookOrder): Set<number> | null {
    const newest = all<{ touched: number }>('SELECT touched FROM book')[0]!.touched
    if (newest - touched > changesKept) return null
    const changed = all<{ id: number }>('SELECT contact_id AS id FROM changes WHERE touched > ?', touched)
    const added = all<{ id: number }>('SELECT id FROM contacts WHERE id > ? LIMIT ?', lastId, changesKept)
    return new Set([...changed, ...added].map(({ id }) => id))
  }

  /** A page of many hits by their places in an order of the book. Null where the order does not help. */
  function manyPage(
    query: PageQuery,
    among: { ids: readonly number[]; order: BookOrder },
  ): ContactPage | null {
    const { sort, limit, from, backwards = false } = query
    const { order } = among
    const moved = notIn(order)
    if (!moved) return null
    const down = sort.descending !== backwards
    let behind = down ? order.ids.length + 1 : 0
    if (from) {
      const place = moved.has(from.id) ? 0 : (order.places[from.id] ?? 0)
      if (place === 0) return null
      behind = place
    }
    const settled: number[] = []
    let exhausted = false
    for (let looked = 0; settled.length <= limit && !exhausted;) {
      const wanted = limit + 1
      const places = nextPlaces(order, among.ids, { behind, down, wanted }).subarray(0, wanted)
      exhausted = places.length < wanted
      const ids = Array.from(places, (place) => order.ids[place - 1]!).filter((id) => !moved.has(id))
      settled.push(...idsBehind(query, ids))
      behind = places.at(-1) ?? behind
      looked += places.length
      // Other conditions leave so little that the walk is no worse.
      if (looked > walkMax) return null
    }
    const hits = idsBehind(query, [...settled, ...among.ids.filter((id) => moved.has(id))])
    const items = rowsOf(hits.slice(0, limit))
    const more = hits.length > limit || !exhausted
    if (backwards) items.reverse()
    const count = { value: items.length + (more ? 1 : 0), exact: !more && !from }
    return { items, more, count, resumeAfter: null }
  }

  /** Goes along the order until the page is full, the end is reached or too much was looked at. */
  function createPageWalk({ filter, sort, limit, from, backwards = false }: PageQuery) {
    const conditions = conditionsOf(all, filter)
    const text = searchedText(filter.text)
    const walk = createContactWalk(lean, { sort, conditions, from: from ?? null, backwards })
    const test = text === '' ? null : holds(text)
    /** One more than the page holds tells that there is more. */
    const wanted = limit + 1
    const hits: number[] = []
    let looked = 0
    let ended = false
    return {
      /** True when nothing more needs to be looked at. */
      goOn(rowsMax: number): boolean {
        const untilMs = performance.now() + walkMs
        while (hits.length < wanted && !ended && looked < rowsMax) {
          if (looked > 0 && performance.now() > untilMs) break
          const size = test ? Math.min(pieceRows, rowsMax - looked) : wanted
          const rows = walk.next(size)
          ended = rows.length < size
          looked += rows.length
          for (const row of rows) if (!test || test(row)) hits.push(row[0])
        }
        return hits.length >= wanted || ended
      },
      /** How many rows must be looked at for a full page, by those looked at so far. */
      expectedRows: () => (looked * wanted) / hits.length,
      page(): ContactPage {
        const items = rowsOf(hits.slice(0, limit))
        if (backwards) items.reverse()
        const more = hits.length > limit || !ended
        const count =
          test || conditions.sql.length > 0
            ? { value: items.length + (more ? 1 : 0), exact: !more && !from }
            : { value: countPlain(filter), exact: true }
        return { items, more, count, resumeAfter: more && hits.length <= limit ? walk.at : null }
      },
    }
  }

  function page(query: PageQuery): ContactPage {
    const { filter, order } = query
    const text = searchedText(filter.text)
    const walk = createPageWalk(query)
    if (text === '') {
      walk.goOn(walkMax)
      return walk.page()
    }
    // What is asked of the index first costs little; what is asked last costs most and is needed least.
    if ([...text].length > 2) {
      const { ids, complete } = candidates(text, fewMax)
      if (ids) return fewPage(query, { ids, complete })
    }
    if (walk.goOn(probeRows)) return walk.page()
    if (walk.expectedRows() <= denseMax && walk.goOn(denseMax)) return walk.page()
    const { ids, complete } = candidates(text, order ? manyMax : fewUnorderedMax)
    if (ids && ids.length <= fewUnorderedMax) return fewPage(query, { ids, complete })
    const found = ids && order ? manyPage(query, { ids, order }) : null
    if (found) return found
    walk.goOn(walkMax)
    return walk.page()
  }

  /** Contacts above an id that fit a filter with a text, by id. */
  function* textIds(filter: BookFilter, text: string, afterId: number): Generator<number> {
    const conditions = conditionsOf(all, filter)
    const test = holds(text)
    const { ids, complete } = candidates(text, manyMax)
    // What is done to a selection is done to all of it: the book is walked where the index does not know it all.
    if (ids && complete) {
      const rising = [...new Set(ids)].filter((id) => id > afterId).sort((a, b) => a - b)
      for (let at = 0; at < rising.length; at += chunkIds) {
        const some = JSON.stringify(rising.slice(at, at + chunkIds))
        const sql = `${leanRows()} ${whereOf([amongIds, ...conditions.sql])} ORDER BY c.id`
        for (const row of lean(sql, some, ...conditions.params)) if (test(row)) yield row[0]
      }
      return
    }
    const from = { key: afterId, id: afterId }
    const sort: BookSort = { by: 'created', descending: false }
    const walk = createContactWalk(lean, { sort, conditions, from, backwards: false })
    for (let rows = walk.next(pieceRows); rows.length > 0; rows = walk.next(pieceRows))
      for (const row of rows) if (test(row)) yield row[0]
  }

  /** All of a page is read of one state of the book, and locks are taken once for all its statements. */
  const atOneMoment = book.transaction(search.transaction(page))

  return {
    page: atOneMoment,
    count(filter) {
      const text = searchedText(filter.text)
      if (text === '') return countPlain(filter)
      let found = 0
      for (const _id of textIds(filter, text, 0)) found++
      return found
    },
    ids(selection, afterId, limit) {
      if ('ids' in selection) {
        return all<{ id: number }>(
          `SELECT c.id FROM contacts c WHERE c.id > ? AND ${amongIds} ORDER BY c.id LIMIT ?`,
          afterId,
          JSON.stringify(selection.ids),
          limit,
        ).map(({ id }) => id)
      }
      const { filter } = selection
      const except = new Set(selection.exceptIds)
      const text = searchedText(filter.text)
      const found: number[] = []
      if (text !== '') {
        for (const id of textIds(filter, text, afterId)) {
          if (!except.has(id)) found.push(id)
          if (found.length === limit) break
        }
        return found
      }
      const { sql, params } = conditionsOf(all, filter)
      let after = afterId
      while (found.length < limit) {
        const rows = all<{ id: number }>(
          `SELECT c.id FROM contacts c ${whereOf(['c.id > ?', ...sql])} ORDER BY c.id LIMIT ?`,
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
    rows: byIds,
    byDigits: (digits) =>
      all<BookRow>(
        `SELECT ${columns} ${source} WHERE c.digits IN (SELECT value FROM json_each(?)) ORDER BY c.id`,
        JSON.stringify(digits),
      ),
  }
}

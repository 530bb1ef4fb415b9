import { type Conditions, whereOf } from './contact-conditions.ts'
import { type StoreMoment, type ContactOrder, nextPlaces, placeIn } from './contact-order.ts'
import type { StoreFilter, StoreRow, StoreSort } from './store-types.ts'
import { createTextTest } from './contact-text.ts'
import {
  type AskLean,
  createContactWalk,
  type LeanRow,
  leanRows,
  type OrderPlace,
  sortKeyOf,
  sortKeys,
} from './contact-walk.ts'
import { fewMax, inBoth, type IndexCandidates, readsPerLook } from './index-candidates.ts'
import { parseTerms, type SearchTerms } from './search-terms.ts'

/** Without a helpful order, more candidates than this are not checked one by one. */
const fewUnorderedMax = 2_000
/** This many candidates are selected by their place in the order. */
const manyMax = 200_000
/** Rows checked along the order before many candidates are requested. */
const probeRows = 100
/** If this many rows should fill the page, no candidates are requested. */
const denseMax = 800
/** Rows per step of a walk. */
const pieceRows = 500
/** A walk ends the page after this many rows or milliseconds; the next page continues there. */
const walkMax = 20_000
const walkMs = 40
/** Many candidates are checked for this long, in batches of this size; then the page ends as well. */
const manyMs = 40
const placesAtOnce = 1_000

export interface ContactPage {
  items: StoreRow[]
  /** True when more items follow. */
  more: boolean
  /** A lower bound unless exact. */
  count: { value: number; exact: boolean }
  /** Where the next page continues if this one ended early. */
  resumeAfter: OrderPlace | null
}

export interface PageQuery {
  filter: StoreFilter
  sort: StoreSort
  limit: number
  from?: OrderPlace | undefined
  /** A recent order of all contacts. Without it, pages of many hits take longer. */
  order?: ContactOrder | null | undefined
}

/** Tests lean rows against the text and the SQL conditions. */
export function createFit(terms: SearchTerms): (row: LeanRow) => boolean {
  if (terms.length === 0) return (row) => row[6] === 1
  const test = createTextTest(terms)
  return ([, digits, name, email, tagsJson, , fits]) => fits === 1 && test(digits, name, email, tagsJson)
}

/** Places of some contacts in an order, nearest first, in batches. */
function* onward(order: ContactOrder, among: Int32Array, query: Parameters<typeof nextPlaces>[2]) {
  let { behind, minCount } = query
  for (let isAll = false; !isAll; minCount *= 4) {
    const next = nextPlaces(order, among, { ...query, behind, minCount })
    const places = next.places.subarray(0, minCount)
    for (let at = 0; at < places.length; at += placesAtOnce) yield places.subarray(at, at + placesAtOnce)
    isAll = next.isAll && places.length === next.places.length
    behind = places.at(-1) ?? behind
  }
}

export const amongIds = 'c.id IN (SELECT value FROM json_each(?))'

/**
 * Pages, by the cheapest way that works: check all of a few candidates; walk a short way along the order where hits
 * are dense; select many candidates by their place; walk further, within limits.
 */
export function createContactPages(parts: {
  /** Returns the single column of a query. */
  ids: (sql: string, ...params: unknown[]) => number[]
  lean: AskLean
  rowsOf: (ids: readonly number[]) => StoreRow[]
  countOf: (filter: StoreFilter) => number
  conditionsOf: (filter: StoreFilter) => Conditions
  candidates: IndexCandidates
  changedSince: (moment: StoreMoment) => Set<number> | null
}): (query: PageQuery) => ContactPage {
  const { ids, lean, rowsOf, countOf, conditionsOf, candidates, changedSince } = parts

  /** A query with its parsed parts. */
  interface Question extends PageQuery {
    terms: SearchTerms
    conditions: Conditions
  }

  /** Matching ids in order; `isHere`: after `from` and not after `until`. */
  function orderedIds(question: Question, ids: ArrayLike<number>, until: OrderPlace | null = null) {
    const { terms, conditions, sort, from } = question
    const [direction, behind, before] = sort.descending ? ['DESC', '<', '>='] : ['ASC', '>', '<=']
    const key = sortKeys[sort.by]
    const bounds = [...(from ? [{ ...from, is: behind }] : []), ...(until ? [{ ...until, is: before }] : [])]
    const isHere = bounds.map(({ is }) => `(${key}, c.id) ${is} (?, ?)`).join(' AND ')
    const rows = lean(
      `${leanRows({ last: isHere || '1' })}
       ${whereOf([amongIds, ...conditions.sql])} ORDER BY ${key} ${direction}, c.id ${direction}`,
      ...bounds.flatMap(({ key, id }) => [key, id]),
      JSON.stringify(Array.from(ids)),
      ...conditions.params,
    )
    const test = createTextTest(terms)
    return rows.flatMap(([id, digits, name, email, tagsJson, , isHere]) =>
      terms.length === 0 || test(digits, name, email, tagsJson) ? [{ id, isHere: isHere === 1 }] : [],
    )
  }

  /** A page with the first of some contacts. */
  function filled(
    { limit }: Question,
    ids: readonly number[],
    more: boolean,
    count: ContactPage['count'],
  ): ContactPage {
    return { items: rowsOf(ids.slice(0, limit)), more, count, resumeAfter: null }
  }

  /** Sort key of a contact. */
  const keyOf = (id: number, by: StoreSort['by']) => sortKeyOf(rowsOf([id])[0]!, by)

  /** Checks all candidates. */
  function fewPage(question: Question, among: Int32Array): ContactPage {
    const hits = orderedIds(question, among)
    const behind = hits.flatMap(({ id, isHere }) => (isHere ? [id] : []))
    return filled(question, behind, behind.length > question.limit, { value: hits.length, exact: true })
  }

  /** Those that match, in the given order. */
  function fitting({ terms, conditions }: Question, ids: readonly number[]): number[] {
    const rising = JSON.stringify(ids.toSorted((a, b) => a - b))
    const rows = lean(`${leanRows({ among: true })} ${whereOf(conditions.sql)}`, rising, ...conditions.params)
    const fits = createFit(terms)
    const those = new Set(rows.flatMap((row) => (fits(row) ? [row[0]] : [])))
    return ids.filter((id) => those.has(id))
  }

  /**
   * Selects candidates by their place in an order: the first that match, or for a `few` all of them with an exact
   * count. Ends early when slow; null if the order doesn't help.
   */
  function placedPage(question: Question, among: Int32Array, order: ContactOrder): ContactPage | null {
    const { sort, limit, from } = question
    const few = among.length <= fewMax
    const untilMs = performance.now() + manyMs
    // Contacts that moved since the order was read.
    const moved = changedSince(order)
    if (!moved) return null
    const strays = moved.size === 0 ? [] : [...among.filter((id) => moved.has(id))]
    if (few && strays.length > 0) return null
    const down = sort.descending
    const edge = down ? order.ids.length + 1 : 0
    const placeOf = (id: number) => (moved.has(id) ? 0 : placeIn(order, id))
    const start = from ? placeOf(from.id) : edge
    // It moved since the previous page, so it doesn't mark that page's end.
    if (from && (start === 0 || keyOf(from.id, sort.by) !== from.key)) return null
    const idsAt = (places: Int32Array) =>
      Array.from(places, (place) => order.ids[place - 1]!).filter((id) => !moved.has(id))

    if (few) {
      const hits = fitting(
        question,
        idsAt(nextPlaces(order, among, { behind: edge, down, minCount: Infinity }).places),
      )
      const behind = from ? hits.filter((id) => (down ? placeOf(id) < start : placeOf(id) > start)) : hits
      return filled(question, behind, behind.length > limit, { value: hits.length, exact: true })
    }
    const settled: number[] = []
    let exhausted = true
    /** The last contact checked. */
    let last: number | undefined
    for (const places of onward(order, among, { behind: start, down, minCount: limit + 1 })) {
      const looked = idsAt(places)
      settled.push(...fitting(question, looked))
      last = looked.at(-1) ?? last
      exhausted = settled.length <= limit && performance.now() <= untilMs
      if (!exhausted) break
    }
    const isCutShort = !exhausted && settled.length <= limit
    if (isCutShort && last === undefined) return null
    const resumeAfter = isCutShort ? { id: last!, key: keyOf(last!, sort.by) } : null
    const hits =
      strays.length === 0
        ? settled
        : orderedIds(question, [...settled, ...strays], resumeAfter).flatMap(({ id, isHere }) =>
            isHere ? [id] : [],
          )
    const more = hits.length > limit || !exhausted
    return {
      ...filled(question, hits, more, { value: Math.min(hits.length, limit + 1), exact: !more && !from }),
      resumeAfter: hits.length > limit ? null : resumeAfter,
    }
  }

  /** Walks the order until the page is full, the order ends or the limit is reached. */
  function createPageWalk(question: Question) {
    const { terms, conditions, filter, sort, limit, from } = question
    const walk = createContactWalk(lean, { sort, conditions, from: from ?? null })
    const isPlain = terms.length === 0 && conditions.sql.length === 0
    const fits = createFit(terms)
    /** One more than a page shows that more follow. */
    const fullPage = limit + 1
    const hits: number[] = []
    let looked = 0
    let ended = false
    return {
      /** True when the page is complete. */
      advance(rowsMax: number): boolean {
        const untilMs = performance.now() + walkMs
        for (let pieces = 0; hits.length < fullPage && !ended && looked < rowsMax; pieces++) {
          if (pieces > 0 && performance.now() > untilMs) break
          const size = isPlain ? fullPage : Math.min(pieceRows, rowsMax - looked)
          const rows = walk.next(size)
          ended = rows.length < size
          looked += rows.length
          for (const row of rows) if (fits(row)) hits.push(row[0])
        }
        return hits.length >= fullPage || ended
      },
      /** Estimated rows to fill a page, from those checked. */
      expectedRows: () => (looked * fullPage) / hits.length,
      page(): ContactPage {
        const more = hits.length > limit || !ended
        const count = isPlain
          ? { value: countOf(filter), exact: true }
          : { value: Math.min(hits.length, limit + 1), exact: !more && !from }
        return {
          ...filled(question, hits, more, count),
          resumeAfter: more && hits.length <= limit ? walk.at : null,
        }
      },
    }
  }

  /** All contacts that may match, by text and conditions. Null when each gives more than `max`. */
  function narrowed({ terms, conditions }: Question, max: number): Int32Array | null {
    const along = (at: number, most: number): number[] | null => {
      const { sql, params } = conditions.narrowing[at]!
      const found = ids(`${sql} LIMIT ?`, ...params, most + 1)
      return found.length <= most ? found : null
    }
    for (const at of conditions.narrowing.keys()) {
      const few = along(at, fewMax)
      if (few) return Int32Array.from(few)
    }
    let best = terms.length === 0 ? null : candidates(terms, max).ids
    for (const at of conditions.narrowing.keys()) {
      if (best && best.length <= fewMax) break
      const found = along(at, Math.min(max, best ? best.length * readsPerLook : max))
      if (found) best = best ? inBoth(best, found) : Int32Array.from(found)
    }
    return best
  }

  return (query) => {
    const { filter, order } = query
    const terms = parseTerms(filter.text)
    const max = order ? manyMax : fewUnorderedMax
    const question: Question = { ...query, terms, conditions: conditionsOf(filter) }
    const walk = createPageWalk(question)
    if (terms.length === 0 && question.conditions.narrowing.length === 0) {
      walk.advance(walkMax)
      return walk.page()
    }
    if (walk.advance(probeRows)) return walk.page()
    if (walk.expectedRows() <= denseMax && walk.advance(denseMax)) return walk.page()
    const among = narrowed(question, max)
    const placed = among && order ? placedPage(question, among, order) : null
    if (placed) return placed
    if (among && among.length <= fewUnorderedMax) return fewPage(question, among)
    walk.advance(walkMax)
    return walk.page()
  }
}

import { type Conditions, whereOf } from './book-conditions.ts'
import { type BookMoment, type BookOrder, nextPlaces } from './book-order.ts'
import type { BookFilter, BookRow, BookSort } from './book-types.ts'
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
import { inBoth } from './id-sets.ts'
import { fewMax, type IndexCandidates, readsPerLook } from './index-candidates.ts'
import { readSought, type Sought } from './sought-text.ts'

/** Where no order of the book helps, more candidates than a few are looked at one by one. */
const fewUnorderedMax = 2_000
/** So many are picked from by their place in the order of the book. */
const manyMax = 200_000
/** Rows looked at along the order before many candidates are asked for. */
const probeRows = 100
/** Where hits among these are so dense that the page is full after so many rows, nothing else is asked. */
const denseMax = 800
/** Rows looked at per piece of a walk. */
const pieceRows = 500
/** A walk that found too little gives up the page after so many rows or milliseconds; the next page goes on from there. */
const walkMax = 20_000
const walkMs = 40
/** Many candidates are looked at for as long, milliseconds, so many of them at once; then the page is given up as well. */
const manyMs = 40
const placesAtOnce = 1_000

export interface ContactPage {
  items: BookRow[]
  /** True when the order goes on after the last item. */
  more: boolean
  /** Not exact: at least so many. */
  count: { value: number; exact: boolean }
  /** Where the looking ended, when the page was given up early. */
  resumeAfter: OrderPlace | null
}

export interface PageQuery {
  filter: BookFilter
  sort: BookSort
  limit: number
  from?: OrderPlace | undefined
  backwards?: boolean | undefined
  /** The book in the order asked for, as it was a while ago. Without it, pages of many hits take longer. */
  order?: BookOrder | null | undefined
}

/** Tells whether lean rows hold what is sought, and fit what SQL said of them. */
export function createFit(sought: Sought): (row: LeanRow) => boolean {
  if (sought.length === 0) return (row) => row[6] === 1
  const test = createTextTest(sought)
  return ([, digits, name, email, tagsJson, , fits]) => fits === 1 && test(digits, name, email, tagsJson)
}

/** The places of some contacts in an order, nearest first, a few at a time. */
function* onward(order: BookOrder, among: Int32Array, query: Parameters<typeof nextPlaces>[2]) {
  let { behind, wanted } = query
  for (let isAll = false; !isAll; wanted *= 4) {
    const next = nextPlaces(order, among, { ...query, behind, wanted })
    const places = next.places.subarray(0, wanted)
    for (let at = 0; at < places.length; at += placesAtOnce) yield places.subarray(at, at + placesAtOnce)
    isAll = next.isAll && places.length === next.places.length
    behind = places.at(-1) ?? behind
  }
}

export const amongIds = 'c.id IN (SELECT value FROM json_each(?))'

/**
 * Pages of the book, from what costs least to what costs most: a few candidates by a text or a condition, whole; a short way along the
 * order, where hits are dense; many candidates, by their places in the order; a longer way along the order, in bounds.
 */
export function createContactPages(parts: {
  /** The only column of what is asked for. */
  ids: (sql: string, ...params: unknown[]) => number[]
  lean: AskLean
  rowsOf: (ids: readonly number[]) => BookRow[]
  countOf: (filter: BookFilter) => number
  conditionsOf: (filter: BookFilter) => Conditions
  candidates: IndexCandidates
  changedSince: (moment: BookMoment) => Set<number> | null
}): (query: PageQuery) => ContactPage {
  const { ids, lean, rowsOf, countOf, conditionsOf, candidates, changedSince } = parts

  /** A question with what its parts share. */
  interface Question extends PageQuery {
    sought: Sought
    conditions: Conditions
  }

  /** Ids of those contacts that fit, in order; `isHere` tells which come after its `from`, and not after `until`. */
  function orderedIds(question: Question, ids: ArrayLike<number>, until: OrderPlace | null = null) {
    const { sought, conditions, sort, from, backwards = false } = question
    const down = sort.descending !== backwards
    const [direction, behind, before] = down ? ['DESC', '<', '>='] : ['ASC', '>', '<=']
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
    const test = createTextTest(sought)
    return rows.flatMap(([id, digits, name, email, tagsJson, , isHere]) =>
      sought.length === 0 || test(digits, name, email, tagsJson) ? [{ id, isHere: isHere === 1 }] : [],
    )
  }

  /** A page of the first of some contacts. */
  function filled(
    { limit, backwards = false }: Question,
    ids: readonly number[],
    more: boolean,
    count: ContactPage['count'],
  ): ContactPage {
    const items = rowsOf(ids.slice(0, limit))
    if (backwards) items.reverse()
    return { items, more, count, resumeAfter: null }
  }

  /** By what a contact of the book is ordered. */
  const keyOf = (id: number, by: BookSort['by']) => sortKeyOf(rowsOf([id])[0]!, by)

  /** A page of which all candidates are looked at. */
  function fewPage(question: Question, among: Int32Array): ContactPage {
    const hits = orderedIds(question, among)
    const behind = hits.flatMap(({ id, isHere }) => (isHere ? [id] : []))
    return filled(question, behind, behind.length > question.limit, { value: hits.length, exact: true })
  }

  /** Those of some contacts that fit, in the order given. */
  function fitting({ sought, conditions }: Question, ids: readonly number[]): number[] {
    const rising = JSON.stringify(ids.toSorted((a, b) => a - b))
    const rows = lean(`${leanRows({ among: true })} ${whereOf(conditions.sql)}`, rising, ...conditions.params)
    const fits = createFit(sought)
    const those = new Set(rows.flatMap((row) => (fits(row) ? [row[0]] : [])))
    return ids.filter((id) => those.has(id))
  }

  /**
   * A page of candidates by their places in an order of the book: the first that fit, or where they are `few`, all of them and how many
   * there are. Given up when it takes too long; null where the order does not help.
   */
  function placedPage(question: Question, among: Int32Array, order: BookOrder): ContactPage | null {
    const { sort, limit, from, backwards = false } = question
    const few = among.length <= fewMax
    const untilMs = performance.now() + manyMs
    // Contacts that are not where the order has them.
    const moved = changedSince(order)
    if (!moved) return null
    const strays = moved.size === 0 ? [] : [...among.filter((id) => moved.has(id))]
    if (few && strays.length > 0) return null
    const down = sort.descending !== backwards
    const edge = down ? order.ids.length + 1 : 0
    const placeOf = (id: number) => (moved.has(id) ? 0 : (order.places[id] ?? 0))
    const start = from ? placeOf(from.id) : edge
    // Changed since the page before, and put where it belongs now: it does not tell where that page ended.
    if (from && (start === 0 || keyOf(from.id, sort.by) !== from.key)) return null
    const idsAt = (places: Int32Array) =>
      Array.from(places, (place) => order.ids[place - 1]!).filter((id) => !moved.has(id))

    if (few) {
      const hits = fitting(
        question,
        idsAt(nextPlaces(order, among, { behind: edge, down, wanted: Infinity }).places),
      )
      const behind = from ? hits.filter((id) => (down ? placeOf(id) < start : placeOf(id) > start)) : hits
      return filled(question, behind, behind.length > limit, { value: hits.length, exact: true })
    }
    const settled: number[] = []
    let exhausted = true
    /** The last that was looked at. */
    let last: number | undefined
    for (const places of onward(order, among, { behind: start, down, wanted: limit + 1 })) {
      const looked = idsAt(places)
      settled.push(...fitting(question, looked))
      last = looked.at(-1) ?? last
      exhausted = settled.length <= limit && performance.now() <= untilMs
      if (!exhausted) break
    }
    const isGivenUp = !exhausted && settled.length <= limit
    if (isGivenUp && last === undefined) return null
    const resumeAfter = isGivenUp ? { id: last!, key: keyOf(last!, sort.by) } : null
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

  /** Goes along the order until the page is full, the end is reached or too much was looked at. */
  function createPageWalk(question: Question) {
    const { sought, conditions, filter, sort, limit, from, backwards = false } = question
    const walk = createContactWalk(lean, { sort, conditions, from: from ?? null, backwards })
    const isPlain = sought.length === 0 && conditions.sql.length === 0
    const fits = createFit(sought)
    /** One more than the page holds tells that there is more. */
    const wanted = limit + 1
    const hits: number[] = []
    let looked = 0
    let ended = false
    return {
      /** True when nothing more needs to be looked at. */
      goOn(rowsMax: number): boolean {
        const untilMs = performance.now() + walkMs
        for (let pieces = 0; hits.length < wanted && !ended && looked < rowsMax; pieces++) {
          if (pieces > 0 && performance.now() > untilMs) break
          const size = isPlain ? wanted : Math.min(pieceRows, rowsMax - looked)
          const rows = walk.next(size)
          ended = rows.length < size
          looked += rows.length
          for (const row of rows) if (fits(row)) hits.push(row[0])
        }
        return hits.length >= wanted || ended
      },
      /** How many rows must be looked at for a full page, by those looked at so far. */
      expectedRows: () => (looked * wanted) / hits.length,
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

  /** All contacts that may fit, by the text and by conditions. Null when there are more than `max` by each of them. */
  function narrowed({ sought, conditions }: Question, max: number): Int32Array | null {
    const along = (at: number, most: number): number[] | null => {
      const { sql, params } = conditions.narrowing[at]!
      const found = ids(`${sql} LIMIT ?`, ...params, most + 1)
      return found.length <= most ? found : null
    }
    for (const at of conditions.narrowing.keys()) {
      const few = along(at, fewMax)
      if (few) return Int32Array.from(few)
    }
    let best = sought.length === 0 ? null : candidates(sought, max).ids
    for (const at of conditions.narrowing.keys()) {
      if (best && best.length <= fewMax) break
      const found = along(at, Math.min(max, best ? best.length * readsPerLook : max))
      if (found) best = best ? inBoth(best, found) : Int32Array.from(found)
    }
    return best
  }

  return (query) => {
    const { filter, order } = query
    const sought = readSought(filter.text)
    const max = order ? manyMax : fewUnorderedMax
    const question: Question = { ...query, sought, conditions: conditionsOf(filter) }
    const walk = createPageWalk(question)
    if (sought.length === 0 && question.conditions.narrowing.length === 0) {
      walk.goOn(walkMax)
      return walk.page()
    }
    if (walk.goOn(probeRows)) return walk.page()
    if (walk.expectedRows() <= denseMax && walk.goOn(denseMax)) return walk.page()
    const among = narrowed(question, max)
    const placed = among && order ? placedPage(question, among, order) : null
    if (placed) return placed
    if (among && among.length <= fewUnorderedMax) return fewPage(question, among)
    walk.goOn(walkMax)
    return walk.page()
  }
}

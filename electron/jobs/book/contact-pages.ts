import { type Conditions, whereOf } from './book-conditions.ts'
import { type BookOrder, changesKept, nextPlaces } from './book-order.ts'
import type { BookFilter, BookRow, BookSort } from './book-types.ts'
import { createTextTest, searchedText } from './contact-text.ts'
import {
  type AskLean,
  createContactWalk,
  type LeanRow,
  leanRows,
  type OrderPlace,
  sortKeys,
} from './contact-walk.ts'
import type { IndexCandidates } from './index-candidates.ts'

/** Up to so many candidates are looked at one by one. */
const fewMax = 600
/** Where no order of the book helps it must be more. */
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
/** Many candidates are looked at for as long, milliseconds; then the walk is no worse. */
const manyMs = 40

export interface ContactPage {
  items: BookRow[]
  /** True when the order goes on after the last item. */
  more: boolean
  /** Not exact: at least so many. Also where the index is too far behind the book, and contacts it does not know are left out. */
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

/** Tells whether lean rows hold a text, and fit what SQL said of them. */
export function createFit(text: string): (row: LeanRow) => boolean {
  if (text === '') return (row) => row[6] === 1
  const test = createTextTest(text)
  return ([, digits, name, email, tagsJson, , fits]) => fits === 1 && test(digits, name, email, tagsJson)
}

export const amongIds = 'c.id IN (SELECT value FROM json_each(?))'

/**
 * Pages of the book, from what costs least to what costs most: a few candidates by a text or a condition, whole; a short way along the
 * order, where hits are dense; many candidates, by their places in the order; a longer way along the order, in bounds.
 */
export function createContactPages(parts: {
  all: <T>(sql: string, ...params: unknown[]) => T[]
  lean: AskLean
  rowsOf: (ids: readonly number[]) => BookRow[]
  countOf: (filter: BookFilter) => number
  conditionsOf: (filter: BookFilter) => Conditions
  candidates: IndexCandidates
}): (query: PageQuery) => ContactPage {
  const { all, lean, rowsOf, countOf, conditionsOf, candidates } = parts

  /** A question with what its parts share. */
  interface Question extends PageQuery {
    text: string
    conditions: Conditions
    /** Contacts that may hold the text, as far as they are not too many: asked for once. */
    byText: () => ReturnType<IndexCandidates>
  }

  /** Ids of those contacts that fit, in order; `isBehind` tells which come after its `from`. */
  function orderedIds({ text, conditions, sort, from, backwards = false }: Question, ids: ArrayLike<number>) {
    const down = sort.descending !== backwards
    const [direction, bound] = down ? ['DESC', '<'] : ['ASC', '>']
    const key = sortKeys[sort.by]
    const rows = lean(
      `${leanRows({ last: from ? `(${key}, c.id) ${bound} (?, ?)` : '1' })}
       ${whereOf([amongIds, ...conditions.sql])} ORDER BY ${key} ${direction}, c.id ${direction}`,
      ...(from ? [from.key, from.id] : []),
      JSON.stringify(Array.from(ids)),
      ...conditions.params,
    )
    const test = createTextTest(text)
    return rows.flatMap(([id, digits, name, email, tagsJson, , isBehind]) =>
      text === '' || test(digits, name, email, tagsJson) ? [{ id, isBehind: isBehind === 1 }] : [],
    )
  }

  const idsBehind = (question: Question, ids: readonly number[]): number[] =>
    orderedIds(question, ids).flatMap(({ id, isBehind }) => (isBehind ? [id] : []))

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

  /** A page of which all candidates are looked at. */
  function fewPage(question: Question, among: Candidates): ContactPage {
    const hits = orderedIds(question, among.ids)
    const behind = hits.flatMap(({ id, isBehind }) => (isBehind ? [id] : []))
    return filled(question, behind, behind.length > question.limit, {
      value: hits.length,
      exact: among.complete,
    })
  }

  /** Contacts that are not where an order has them, as far as they are few; null when the order is too old. */
  function notIn({ touched, lastId }: BookOrder): Set<number> | null {
    const newest = all<{ touched: number }>('SELECT touched FROM book')[0]!.touched
    if (newest - touched > changesKept) return null
    const changed = all<{ id: number }>('SELECT contact_id AS id FROM changes WHERE touched > ?', touched)
    const added = all<{ id: number }>('SELECT id FROM contacts WHERE id > ? LIMIT ?', lastId, changesKept)
    return new Set([...changed, ...added].map(({ id }) => id))
  }

  /** Those of some contacts that fit, in the order given. */
  function fitting({ text, conditions }: Question, ids: readonly number[]): number[] {
    const rising = JSON.stringify(ids.toSorted((a, b) => a - b))
    const rows = lean(`${leanRows({ among: true })} ${whereOf(conditions.sql)}`, rising, ...conditions.params)
    const fits = createFit(text)
    const those = new Set(rows.flatMap((row) => (fits(row) ? [row[0]] : [])))
    return ids.filter((id) => those.has(id))
  }

  /**
   * A page of candidates by their places in an order of the book: the first that fit, or where they are `few`, all of them and how many
   * there are. Null where the order does not help.
   */
  function placedPage(question: Question, among: Candidates, order: BookOrder): ContactPage | null {
    const { sort, limit, from, backwards = false } = question
    const few = among.ids.length <= fewMax
    const untilMs = performance.now() + manyMs
    const moved = notIn(order)
    if (!moved) return null
    const strays = moved.size === 0 ? [] : [...among.ids.filter((id) => moved.has(id))]
    if (few && strays.length > 0) return null
    const down = sort.descending !== backwards
    const edge = down ? order.ids.length + 1 : 0
    const placeOf = (id: number) => (moved.has(id) ? 0 : (order.places[id] ?? 0))
    const start = from ? placeOf(from.id) : edge
    if (from && start === 0) return null
    const idsAt = (places: Int32Array) =>
      Array.from(places, (place) => order.ids[place - 1]!).filter((id) => !moved.has(id))

    if (few) {
      const hits = fitting(
        question,
        idsAt(nextPlaces(order, among.ids, { behind: edge, down, wanted: Infinity }).places),
      )
      const behind = from ? hits.filter((id) => (down ? placeOf(id) < start : placeOf(id) > start)) : hits
      return filled(question, behind, behind.length > limit, { value: hits.length, exact: among.complete })
    }
    const settled: number[] = []
    let exhausted = false
    let behind = start
    for (let wanted = limit + 1; settled.length <= limit && !exhausted; wanted *= 4) {
      if (performance.now() > untilMs) return null
      const next = nextPlaces(order, among.ids, { behind, down, wanted })
      const places = next.places.subarray(0, wanted)
      exhausted = next.isAll && places.length === next.places.length
      settled.push(...fitting(question, idsAt(places)))
      behind = places.at(-1) ?? behind
    }
    const hits = strays.length === 0 ? settled : idsBehind(question, [...settled, ...strays])
    const more = hits.length > limit || !exhausted
    return filled(question, hits, more, {
      value: Math.min(hits.length, limit) + (more ? 1 : 0),
      exact: !more && !from,
    })
  }

  /** Goes along the order until the page is full, the end is reached or too much was looked at. */
  function createPageWalk(question: Question) {
    const { text, conditions, filter, sort, limit, from, backwards = false } = question
    const walk = createContactWalk(lean, { sort, conditions, from: from ?? null, backwards })
    const isPlain = text === '' && conditions.sql.length === 0
    const fits = createFit(text)
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
          : { value: Math.min(hits.length, limit) + (more ? 1 : 0), exact: !more && !from }
        return {
          ...filled(question, hits, more, count),
          resumeAfter: more && hits.length <= limit ? walk.at : null,
        }
      },
    }
  }

  interface Candidates {
    ids: Int32Array
    /** False while some of the book may be missing among them. */
    complete: boolean
  }

  /** The shortest list of contacts that may fit, by the text or by one of the conditions. Null when each has more than `max`. */
  function narrowed({ text, conditions, byText }: Question, max: number): Candidates | null {
    let best: Candidates | null = null
    for (const { sql, params } of conditions.narrowing) {
      const most: number = best ? best.ids.length : max
      const found = all<{ id: number }>(`${sql} LIMIT ?`, ...params, most + 1)
      if (found.length <= most) best = { ids: Int32Array.from(found, ({ id }) => id), complete: true }
    }
    // A list along a condition is of the book itself; that of the index may lag behind.
    if (best || text === '') return best
    const { ids, complete } = byText()
    return ids && ids.length <= max ? { ids, complete } : null
  }

  return (query) => {
    const { filter, order } = query
    const text = searchedText(filter.text)
    const textMax = order ? manyMax : fewUnorderedMax
    let asked: ReturnType<IndexCandidates> | null = null
    const byText = () => (asked ??= candidates(text, textMax))
    const question: Question = { ...query, text, conditions: conditionsOf(filter), byText }
    const walk = createPageWalk(question)
    if (question.text === '' && question.conditions.narrowing.length === 0) {
      walk.goOn(walkMax)
      return walk.page()
    }
    if (walk.goOn(probeRows)) return walk.page()
    if (walk.expectedRows() <= denseMax && walk.goOn(denseMax)) return walk.page()
    const few = narrowed(question, fewMax)
    if (few) return (order ? placedPage(question, few, order) : null) ?? fewPage(question, few)
    const many = narrowed(question, textMax)
    const found = many && order ? placedPage(question, many, order) : null
    if (found) return found
    if (many && many.ids.length <= fewUnorderedMax) return fewPage(question, many)
    walk.goOn(walkMax)
    return walk.page()
  }
}

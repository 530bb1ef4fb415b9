import type { ContactFilter, ContactSort } from '../../contract/people/contacts.ts'
import { type Conditions, whereOf } from './contact-conditions.ts'
import type { ContactOrder, StoreMoment } from './contact-order.ts'
import { createIdSet } from './id-set.ts'
import type { StoreRow } from './store-types.ts'
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
import { inBoth, type IndexCandidates } from './index-candidates.ts'
import { parseTerms, type SearchTerms } from './search-terms.ts'

/** Candidates that are all checked. */
const fewMax = 2_000
/** Of this many the first in the order are checked. */
const manyMax = 200_000
/** Reading this many ids takes as long as checking a candidate, which they may rule out. */
const readsPerLook = 16
/** Rows checked along the order before the index is asked. */
const probeRows = 100
/** If this many rows should fill the page, the index is not asked. */
const denseMax = 4_000
/** Rows per step of a walk, and candidates. */
const pieceRows = 500
/** A walk ends the page after this many rows. */
const walkMax = 20_000
/** A page ends after this time; the next page continues there. */
const pageMs = 40

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
  filter: ContactFilter
  sort: ContactSort
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

export const amongIds = 'c.id IN (SELECT value FROM json_each(?))'

/** Pages in two ways: a walk along the order where hits are dense, else candidates of the index or conditions. */
export function createContactPages(parts: {
  ids: (sql: string, ...params: unknown[]) => number[]
  lean: AskLean
  rowsOf: (ids: readonly number[]) => StoreRow[]
  countOf: (filter: ContactFilter) => number
  conditionsOf: (filter: ContactFilter) => Conditions
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

  function filled(
    { limit }: Question,
    ids: readonly number[],
    more: boolean,
    count: ContactPage['count'],
  ): ContactPage {
    return { items: rowsOf(ids.slice(0, limit)), more, count, resumeAfter: null }
  }

  const keyOf = (id: number, by: ContactSort['by']) => sortKeyOf(rowsOf([id])[0]!, by)

  /** Those that match, in the given order. */
  function fitting({ terms, conditions }: Question, ids: readonly number[]): number[] {
    const rising = JSON.stringify(ids.toSorted((a, b) => a - b))
    const rows = lean(`${leanRows({ among: true })} ${whereOf(conditions.sql)}`, rising, ...conditions.params)
    const fits = createFit(terms)
    const those = new Set(rows.flatMap((row) => (fits(row) ? [row[0]] : [])))
    return ids.filter((id) => those.has(id))
  }

  /** All of a few candidates, with an exact count, or the first of many that match. Null without an order for many. */
  function candidatesPage(question: Question, among: Int32Array): ContactPage | null {
    const { order, sort, limit, from } = question
    if (among.length <= fewMax) {
      const hits = orderedIds(question, among)
      const behind = hits.flatMap(({ id, isHere }) => (isHere ? [id] : []))
      return filled(question, behind, behind.length > limit, { value: hits.length, exact: true })
    }
    // Contacts that moved since the order was read.
    const moved = order && changedSince(order)
    if (!order || !moved) return null
    const { ids } = order
    const [step, first, end] = sort.descending ? [-1, ids.length - 1, -1] : [1, 0, ids.length]
    const start = from && ids.indexOf(from.id)
    // It moved since the previous page, so it doesn't mark that page's end.
    if (from && (start === -1 || moved.has(from.id) || keyOf(from.id, sort.by) !== from.key)) return null

    const isAmong = createIdSet(among)
    const untilMs = performance.now() + pageMs
    const settled: number[] = []
    /** The last contact checked. */
    let last: number | undefined
    let at = start === undefined ? first : start + step
    let piece = limit + 1
    do {
      const looked: number[] = []
      for (; at !== end && looked.length < piece; at += step) {
        const id = ids[at]!
        if (isAmong.has(id) && !moved.has(id)) looked.push(id)
      }
      settled.push(...fitting(question, looked))
      last = looked.at(-1) ?? last
      piece = pieceRows
    } while (at !== end && settled.length <= limit && performance.now() <= untilMs)

    const isCutShort = at !== end && settled.length <= limit
    const resumeAfter = isCutShort ? { id: last!, key: keyOf(last!, sort.by) } : null
    const strays = moved.size === 0 ? [] : [...among.filter((id) => moved.has(id))]
    const hits =
      strays.length === 0
        ? settled
        : orderedIds(question, [...settled, ...strays], resumeAfter).flatMap(({ id, isHere }) =>
            isHere ? [id] : [],
          )
    const more = hits.length > limit || at !== end
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
        const untilMs = performance.now() + pageMs
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
    let best = terms.length === 0 ? null : candidates(terms, max).ids
    for (const { sql, params } of conditions.narrowing) {
      const most = best ? Math.min(max, best.length * readsPerLook) : max
      const found = ids(`${sql} LIMIT ?`, ...params, most + 1)
      if (found.length <= most) best = best ? inBoth(best, found) : Int32Array.from(found)
    }
    return best
  }

  return (query) => {
    const { filter, order } = query
    const terms = parseTerms(filter.text)
    const question: Question = { ...query, terms, conditions: conditionsOf(filter) }
    const walk = createPageWalk(question)
    const isNarrowed = terms.length > 0 || question.conditions.narrowing.length > 0
    if (isNarrowed) {
      if (walk.advance(probeRows)) return walk.page()
      if (walk.expectedRows() <= denseMax && walk.advance(denseMax)) return walk.page()
      const among = narrowed(question, order ? manyMax : fewMax)
      const page = among && candidatesPage(question, among)
      if (page) return page
    }
    walk.advance(walkMax)
    return walk.page()
  }
}

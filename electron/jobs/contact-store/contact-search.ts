import type { ContactFilter, ContactSelection, ContactSort } from '../../contract/people/contacts.ts'
import { type Database, openReader } from '../../database/open.ts'
import { createConditions, whereOf } from './contact-conditions.ts'
import { type StoreMoment, createStoreMoments } from './contact-order.ts'
import type { StoreRow } from './store-types.ts'
import { amongIds, createContactPages, createFit } from './contact-pages.ts'
import { rowColumns, rowSource } from './contact-tables.ts'
import { type AskLean, createContactWalk, type LeanRow, leanRows } from './contact-walk.ts'
import { createIndexCandidates } from './index-candidates.ts'
import { parseTerms, type SearchTerms } from './search-terms.ts'
import { createOtherReadings } from './other-readings.ts'

/** With more candidates, a selection walks all contacts. */
const candidatesMax = 200_000
/** Rows read at once. */
const chunkRows = 2_000
const none = new Int32Array()

/** Ids above one, ascending and unique. */
const rising = (ids: Iterable<number>, afterId: number): Int32Array =>
  Int32Array.from(ids)
    .sort()
    .filter((id, at, all) => id > afterId && id !== all[at - 1])

export type ContactSearch = ReturnType<typeof createContactSearch>

/** Opens both databases to read them, as a job does. */
export function openContactSearch(files: { contactsFile: string; searchFile: string }) {
  const contacts = openReader(files.contactsFile)
  const index = openReader(files.searchFile)
  return {
    contactsDb: contacts.db,
    search: createContactSearch(contacts.db, index.db),
    otherReadings: createOtherReadings(contacts.db).of,
    close() {
      index.close()
      contacts.close()
    },
  }
}

/** Searches `contacts.db` using `search.db`. Both may be readers. */
export function createContactSearch(contactsDb: Database, search: Database) {
  const statements = new Map<string, ReturnType<Database['prepare']>>()
  function prepared(sql: string) {
    let statement = statements.get(sql)
    if (!statement) {
      if (statements.size > 200) statements.clear()
      statements.set(sql, (statement = contactsDb.prepare(sql)))
    }
    return statement
  }
  const all = <T>(sql: string, ...params: unknown[]): T[] => prepared(sql).raw(false).all(params) as T[]
  const idsOf = (sql: string, ...params: unknown[]) => prepared(sql).pluck().all(params) as number[]
  const lean: AskLean = (sql, ...params) => prepared(sql).raw(true).all(params) as LeanRow[]
  const candidates = createIndexCandidates(contactsDb, search)
  const conditionsOf = createConditions(contactsDb)
  const moments = createStoreMoments(contactsDb)

  const version = contactsDb.prepare<[], number>('SELECT version FROM store').pluck()
  /** Total for one version of the store: counting scans all rows. */
  let total: { version: number; count: number } | null = null

  function countPlain(filter: ContactFilter): number {
    const { sql, params } = conditionsOf(filter)
    if (sql.length === 0) {
      const now = version.get()!
      if (total?.version !== now)
        total = { version: now, count: all<{ n: number }>('SELECT count(*) AS n FROM contacts')[0]!.n }
      return total.count
    }
    return all<{ n: number }>(`SELECT count(*) AS n FROM contacts c ${whereOf(sql)}`, ...params)[0]!.n
  }

  const byIds = (ids: readonly number[]) =>
    all<StoreRow>(`SELECT ${rowColumns} ${rowSource} WHERE ${amongIds} ORDER BY c.id`, JSON.stringify(ids))

  function rowsOf(ids: readonly number[]): StoreRow[] {
    const rows = new Map(byIds(ids).map((row) => [row.id, row]))
    return ids.flatMap((id) => rows.get(id) ?? [])
  }

  const page = createContactPages({
    ids: idsOf,
    lean,
    rowsOf,
    countOf: countPlain,
    conditionsOf,
    candidates,
    changedSince: moments.changedSince,
  })

  /**
   * A selection read in pieces: its remaining candidates, read once at a moment. Null when all contacts are walked,
   * because there are too many or the index is behind.
   */
  let ongoing: { of: string; afterId: number; left: Int32Array | null; moment: StoreMoment } | null = null

  /** The next candidates, ascending, with contacts changed or added since. */
  function remaining(
    filter: ContactFilter,
    terms: SearchTerms,
    afterId: number,
  ): NonNullable<typeof ongoing> {
    const of = JSON.stringify(filter)
    if (afterId > 0 && ongoing?.of === of && ongoing.afterId === afterId) {
      const { left } = ongoing
      if (!left) return ongoing
      const since = moments.changedSince(ongoing.moment)
      const ahead = since && [...since].filter((id) => id > afterId)
      if (ahead)
        return ahead.length === 0 ? ongoing : { ...ongoing, left: rising([...left, ...ahead], afterId) }
    }
    const moment = moments.now()
    const { ids } = candidates(terms, candidatesMax)
    return { of, afterId, left: ids && rising(ids, afterId), moment }
  }

  /** Matching contacts above an id, ascending. */
  function textIds(filter: ContactFilter, terms: SearchTerms, afterId: number, limit: number): number[] {
    const conditions = conditionsOf(filter)
    const fits = createFit(terms)
    const found: number[] = []
    const { left, ...selection } = remaining(filter, terms, afterId)
    let at = 0
    if (left)
      for (; at < left.length && found.length < limit; at += chunkRows) {
        const sql = `${leanRows()} ${whereOf([amongIds, ...conditions.sql])} ORDER BY c.id`
        const some = JSON.stringify([...left.subarray(at, at + chunkRows)])
        for (const row of lean(sql, some, ...conditions.params)) if (fits(row)) found.push(row[0])
      }
    else {
      const sort: ContactSort = { by: 'created', descending: false }
      const from = { key: afterId, id: afterId }
      const walk = createContactWalk(lean, { sort, conditions, from })
      for (let rows = walk.next(chunkRows); rows.length > 0; rows = walk.next(chunkRows)) {
        for (const row of rows) if (fits(row)) found.push(row[0])
        if (found.length >= limit) break
      }
    }
    const given = found.slice(0, limit)
    const last = given.at(-1) ?? afterId
    // The last chunk may have candidates left.
    const rest = left && left.subarray(left.indexOf(last, Math.max(0, at - chunkRows)) + 1)
    ongoing = { ...selection, afterId: last, left: given.length < limit ? none : rest }
    return given
  }

  /** A page reads one state of the store, and locks once for all its statements. */
  const atOneMoment = contactsDb.transaction(search.transaction(page))

  return {
    page: atOneMoment,
    /** Exact. Takes time that grows with the contacts. */
    count(filter: ContactFilter): number {
      const terms = parseTerms(filter.text)
      return terms.length === 0 ? countPlain(filter) : textIds(filter, terms, 0, Infinity).length
    },
    /** Ids of a selection above `afterId`, ascending, at most `limit`. Empty at the end. */
    ids(selection: ContactSelection, afterId: number, limit: number): number[] {
      if ('ids' in selection) {
        return idsOf(
          `SELECT c.id FROM contacts c WHERE c.id > ? AND ${amongIds} ORDER BY c.id LIMIT ?`,
          afterId,
          JSON.stringify(selection.ids),
          limit,
        )
      }
      const { filter, upToId = Infinity } = selection
      const except = new Set(selection.exceptIds)
      const terms = parseTerms(filter.text)
      const { sql, params } = conditionsOf(filter)
      const next = (after: number, count: number) =>
        terms.length > 0
          ? textIds(filter, terms, after, count)
          : idsOf(
              `SELECT c.id FROM contacts c ${whereOf(['c.id > ?', ...sql])} ORDER BY c.id LIMIT ?`,
              after,
              ...params,
              count,
            )
      const found: number[] = []
      for (let after = afterId; found.length < limit;) {
        const more = next(after, limit - found.length)
        if (more.length === 0) break
        for (const id of more) if (!except.has(id) && id <= upToId) found.push(id)
        after = more.at(-1)!
        if (after >= upToId) break
      }
      return found
    },
    rows: byIds,
    byDigits: (digits: readonly number[]) =>
      all<StoreRow>(
        `SELECT ${rowColumns} ${rowSource} WHERE c.digits IN (SELECT value FROM json_each(?)) ORDER BY c.id`,
        JSON.stringify(digits),
      ),
  }
}

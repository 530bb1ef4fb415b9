import type { Phrase } from '../../../contract/phrases.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/errors.ts'
import type { DncList, DncRow } from '../../../contract/people/dnc.ts'
import type { Database } from '../../../database/open.ts'
import { fold } from '../../../lib/fold.ts'
import { storedNumber } from '../../../jobs/contact-store/number-list.ts'
import { possibleNumbers } from '../../../lib/phone/possible-numbers.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** Why the offline copy proves nothing. Continues a sentence. */
export const whyNotFresh = (state: Exclude<DncList['state'], 'fresh'>): Phrase => ({ key: `dnc.${state}` })

/** Why the offline copy of the DNC list proves nothing; null while it does. A team that can't be read is no reason: messages wait for it. */
export const copyProblem = ({ state }: DncList): Phrase | null =>
  state === 'fresh' || state === 'team-stale' ? null : whyNotFresh(state)

/** Throws DNC_LIST_NOT_FRESH when the offline copy proves nothing, unless the operator accepted that. */
export function checkFresh(list: DncList, isAccepted: boolean): void {
  const problem = copyProblem(list)
  if (problem && !isAccepted) throw new AppError('DNC_LIST_NOT_FRESH', { state: problem })
}

export type Which = 'all' | 'added' | 'removed' | 'unreadable'

/** Entries searched in one go; takes a few milliseconds. */
const perPiece = 5_000

interface Row extends Omit<DncRow, 'entryId' | 'phone' | 'createdAt' | 'firstSeenAt' | 'goneAt'> {
  /** The service's id, `number:` and the number, `place:` and its place, or `former:` of an ID that has another number now. */
  key: string
  digits: number | null
  createdMs: number | null
  firstSeenMs: number
  goneMs: number | null
}

const toRow = ({ id, key, phoneNumber, digits, reason, createdMs, firstSeenMs, goneMs }: Row): DncRow => ({
  id,
  entryId: key === `number:${phoneNumber}` || /^(?:place:\d+\.\d+|former:\d+)$/.test(key) ? null : key,
  phoneNumber,
  phone: digits === null ? null : `+${digits}`,
  reason,
  createdAt: isoTime(createdMs),
  firstSeenAt: isoTime(firstSeenMs),
  goneAt: isoTime(goneMs),
})

interface Condition {
  sql: string
  params: (string | number)[]
}

const conditions: Record<Which, (syncId: number) => Condition> = {
  all: () => ({ sql: 'gone_ms IS NULL', params: [] }),
  added: (syncId) => ({ sql: 'gone_ms IS NULL AND added_sync = ?', params: [syncId] }),
  removed: (syncId) => ({ sql: 'gone_sync = ?', params: [syncId] }),
  unreadable: () => ({ sql: 'gone_ms IS NULL AND digits IS NULL', params: [] }),
}

/** With fewer digits, a text is only part of a number. */
const wholeDigits = 7

/** `country`: of numbers in national form, null if unknown. */
function conditionOf(text: string, country: string | null): Condition {
  const { digits } = storedNumber(text)
  const isNumber = digits !== '' && /^[+\d\s().\-/]+$/.test(text)
  const meant = digits.length < wholeDigits ? [] : possibleNumbers(text, country).all
  const [inNumber, inText] = isNumber
    ? ['CAST(digits AS TEXT)', 'phone_number']
    : ['fold(reason)', 'fold(phone_number)']
  return {
    sql: `(instr(${inNumber}, ?) > 0 OR instr(${inText}, ?) > 0 OR digits IN (SELECT value FROM json_each(?)))`,
    params: [...(isNumber ? [digits, text] : [fold(text), fold(text)]), JSON.stringify(meant)],
  }
}

interface DncListQuery {
  /** Part of the number or reason. */
  text?: string | undefined
  which: Which
  limit: number
  /** Id of the previous page's last row; 0 for the first page. */
  afterId: number
  /** The last complete sync, which `added` and `removed` refer to. */
  sync: { id: number; added: number } | null
  /** Once aborted, the search stops and returns what it has. */
  signal?: AbortSignal | undefined
}

/**
 * Pages of the offline copy, oldest entry first. No index finds parts of texts, so a search scans the list in
 * pieces and yields between them.
 */
export function createDncList(
  db: Database,
  parts: {
    counts: () => { entries: number; unreadable: number }
    /** Rises with each change of the entries. */
    version: () => number
    country: () => string | null
  },
): (query: DncListQuery) => Promise<{ items: DncRow[]; total: number }> {
  const columns = `id, key, phone_number AS phoneNumber, digits, reason, created_ms AS createdMs, first_seen_ms AS firstSeenMs,
    gone_ms AS goneMs`
  /** The last count, reused by later pages of the same search. */
  let counted: { key: string; version: number; total: number } | null = null

  function totalOf({ which, sync }: DncListQuery): number {
    if (which === 'all') return parts.counts().entries
    if (which === 'unreadable') return parts.counts().unreadable
    if (which === 'added' || !sync) return sync?.added ?? 0
    return db
      .prepare<[number], number>('SELECT count(*) FROM dnc_entries WHERE gone_sync = ?')
      .pluck()
      .get(sync.id)!
  }

  async function withText(query: DncListQuery, text: string): Promise<{ items: Row[]; total: number }> {
    const { which, limit, afterId, sync, signal } = query
    const scope = conditions[which](sync?.id ?? -1)
    const match = conditionOf(text, parts.country())
    const lastOfPiece = db
      .prepare<unknown[], number | null>(
        `SELECT max(id) FROM (SELECT id FROM dnc_entries WHERE ${scope.sql} AND id > ? ORDER BY id LIMIT ${perPiece})`,
      )
      .pluck()
    const inPiece = `FROM dnc_entries WHERE ${scope.sql} AND id > ? AND id <= ? AND ${match.sql}`
    const count = db.prepare<unknown[], number>(`SELECT count(*) ${inPiece}`).pluck()
    const rows = db.prepare<unknown[], Row>(`SELECT ${columns} ${inPiece} ORDER BY id LIMIT ?`)
    const key = JSON.stringify([which, sync?.id, text])
    const version = parts.version()
    const known = counted?.key === key && counted.version === version ? counted.total : null
    const items: Row[] = []
    let total = 0
    for (let from = known === null ? 0 : afterId; !signal?.aborted; await nextTurn()) {
      const to = lastOfPiece.get(...scope.params, from) ?? null
      if (to === null) {
        if (known === null) counted = { key, version, total }
        break
      }
      const hits = count.get(...scope.params, from, to, ...match.params)!
      total += hits
      const room = limit - items.length
      if (hits > 0 && room > 0 && to > afterId)
        items.push(...rows.all(...scope.params, Math.max(from, afterId), to, ...match.params, room))
      if (known !== null && items.length === limit) break
      from = to
    }
    return { items, total: known ?? total }
  }

  return async (query) => {
    const text = query.text?.trim()
    if (text) {
      const { items, total } = await withText(query, text)
      return { items: items.map(toRow), total }
    }
    const { sql, params } = conditions[query.which](query.sync?.id ?? -1)
    const items = db
      .prepare<unknown[], Row>(
        `SELECT ${columns} FROM dnc_entries WHERE ${sql} AND id > ? ORDER BY id LIMIT ?`,
      )
      .all(...params, query.afterId, query.limit)
    return { items: items.map(toRow), total: totalOf(query) }
  }
}

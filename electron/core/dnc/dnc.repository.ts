import type { DncRow } from '../../contract/dnc.ts'
import type { DncEntry } from '../../contract/domain.ts'
import type { Database } from '../../database/open.ts'
import { isoTime, msOfIso } from '../../lib/iso-time.ts'
import { rawDigits } from '../../lib/phone/raw-digits.ts'

/** A reading of the whole list, in one sweep or several. Times in milliseconds since 1970. */
export interface Sync {
  id: number
  taskId: string | null
  startedMs: number
  endedMs: number | null
  /** Number of the present sweep; rises over all syncs. */
  sweep: number
  nextPage: number
  /** What the service gave as total at the sweep's first page. */
  firstTotal: number | null
  /** 1 when the total changed within the sweep. */
  moved: 0 | 1
  added: number
  removed: number
}

/** An entry of the copy. */
export interface KnownEntry {
  phoneNumber: string
  reason: string | null
  createdMs: number | null
  firstSeenMs: number
}

export type Which = 'all' | 'added' | 'removed' | 'unreadable'

export interface DncRepository {
  /** The newest sync that came to its end. */
  lastWhole(): Sync | null
  /** The one after it that did not. */
  unfinished(): Sync | null
  begin(nowMs: number): Sync
  save(sync: Sync): void
  /** Stores a page of a sweep in one transaction with how far the sync is. */
  takePage(sync: Sync, entries: readonly DncEntry[], nowMs: number): void
  /** Distinct entries that this sweep has seen. */
  seenIn(sweep: number): number
  /** Ends a sync after a whole sweep: what it did not see is gone. */
  finish(sync: Sync, nowMs: number): Sync
  find(digits: number): KnownEntry | null
  counts(): { entries: number; unreadable: number }
  list(query: {
    text?: string | undefined
    which: Which
    limit: number
    afterId: number
    sync: Sync | null
  }): { items: DncRow[]; total: number }
}

const syncColumns = `id, task_id AS taskId, started_ms AS startedMs, ended_ms AS endedMs, sweep, next_page AS nextPage,
  first_total AS firstTotal, moved, added, removed`

/** Every number that is on the list now, as digits: for marks in the book and for sets in memory. */
export const dncDigitsSql =
  'SELECT DISTINCT digits FROM dnc_entries WHERE digits IS NOT NULL AND gone_ms IS NULL'

export function createDncRepository(db: Database): DncRepository {
  const one = <T>(sql: string, ...params: unknown[]) => db.prepare(sql).get(...params) as T | undefined
  const insert = db.prepare(`
    INSERT INTO dnc_entries (key, phone_number, digits, reason, created_ms, first_seen_ms, added_sync, seen_sync, seen_sweep)
    VALUES (@key, @phoneNumber, @digits, @reason, @createdMs, @nowMs, @sync, @sync, @sweep)
    ON CONFLICT (key) DO UPDATE SET phone_number = excluded.phone_number, digits = excluded.digits, reason = excluded.reason,
      created_ms = excluded.created_ms, seen_sync = excluded.seen_sync, seen_sweep = excluded.seen_sweep,
      added_sync = iif(gone_ms IS NULL, added_sync, excluded.added_sync), gone_ms = NULL, gone_sync = NULL`)
  const save = db.prepare(`
    UPDATE dnc_syncs SET task_id = @taskId, ended_ms = @endedMs, sweep = @sweep, next_page = @nextPage,
      first_total = @firstTotal, moved = @moved, added = @added, removed = @removed WHERE id = @id`)
  const find = db.prepare<[number], KnownEntry>(`
    SELECT phone_number AS phoneNumber, reason, created_ms AS createdMs, first_seen_ms AS firstSeenMs
    FROM dnc_entries WHERE digits = ? AND digits IS NOT NULL AND gone_ms IS NULL LIMIT 1`)
  const lastWhole = () =>
    one<Sync>(`SELECT ${syncColumns} FROM dnc_syncs WHERE ended_ms IS NOT NULL ORDER BY id DESC LIMIT 1`) ??
    null

  return {
    lastWhole,
    unfinished: () =>
      one<Sync>(`SELECT ${syncColumns} FROM dnc_syncs WHERE ended_ms IS NULL ORDER BY id DESC LIMIT 1`) ??
      null,
    begin(nowMs) {
      const sweep = one<{ n: number }>('SELECT coalesce(max(sweep), 0) + 1 AS n FROM dnc_syncs')!.n
      db.prepare('DELETE FROM dnc_syncs WHERE ended_ms IS NULL').run()
      const { lastInsertRowid } = db
        .prepare('INSERT INTO dnc_syncs (started_ms, sweep, next_page) VALUES (?, ?, 1)')
        .run(nowMs, sweep)
      return one<Sync>(`SELECT ${syncColumns} FROM dnc_syncs WHERE id = ?`, lastInsertRowid)!
    },
    save: (sync) => void save.run(sync),
    takePage: db.transaction((sync: Sync, entries: readonly DncEntry[], nowMs: number) => {
      for (const { id, phoneNumber, reason, createdAt } of entries)
        insert.run({
          key: id ?? `number:${phoneNumber}`,
          phoneNumber,
          digits: rawDigits(phoneNumber),
          reason,
          createdMs: msOfIso(createdAt),
          nowMs,
          sync: sync.id,
          sweep: sync.sweep,
        })
      save.run(sync)
    }),
    seenIn: (sweep) =>
      one<{ n: number }>('SELECT count(*) AS n FROM dnc_entries WHERE seen_sweep = ?', sweep)!.n,
    finish: db.transaction((sync: Sync, nowMs: number) => {
      const removed = db
        .prepare('UPDATE dnc_entries SET gone_ms = ?, gone_sync = ? WHERE gone_ms IS NULL AND seen_sync <> ?')
        .run(nowMs, sync.id, sync.id).changes
      const added = one<{ n: number }>(
        'SELECT count(*) AS n FROM dnc_entries WHERE added_sync = ?',
        sync.id,
      )!.n
      const ended: Sync = { ...sync, endedMs: nowMs, added, removed }
      save.run(ended)
      return ended
    }),
    find: (digits) => find.get(digits) ?? null,
    counts: () =>
      one<{ entries: number; unreadable: number }>(
        `SELECT count(*) AS entries, count(*) FILTER (WHERE digits IS NULL) AS unreadable FROM dnc_entries WHERE gone_ms IS NULL`,
      )!,
    list({ text, which, limit, afterId, sync }) {
      const sql: string[] = []
      const params: unknown[] = []
      if (which === 'removed') {
        sql.push('gone_sync = ?')
        params.push(sync?.id ?? -1)
      } else sql.push('gone_ms IS NULL')
      if (which === 'added') {
        sql.push('added_sync = ?')
        params.push(sync?.id ?? -1)
      }
      if (which === 'unreadable') sql.push('digits IS NULL')
      const wanted = text?.trim()
      if (wanted) {
        const digits = wanted.replace(/[^\d]/g, '')
        const isNumber = digits !== '' && /^[+\d\s().\-/]+$/.test(wanted)
        sql.push(
          isNumber
            ? `(instr(CAST(digits AS TEXT), ?) > 0 OR instr(phone_number, ?) > 0)`
            : `(instr(lower(coalesce(reason, '')), lower(?)) > 0 OR instr(lower(phone_number), lower(?)) > 0)`,
        )
        params.push(isNumber ? digits : wanted, wanted)
      }
      const where = sql.join(' AND ')
      const rows = db
        .prepare(
          `SELECT id, phone_number AS phoneNumber, digits, reason, created_ms AS createdMs, first_seen_ms AS firstSeenMs, gone_ms AS goneMs
           FROM dnc_entries WHERE ${where} AND id > ? ORDER BY id LIMIT ?`,
        )
        .all(...params, afterId, limit) as (Omit<DncRow, 'phone' | 'createdAt' | 'firstSeenAt' | 'goneAt'> & {
        digits: number | null
        createdMs: number | null
        firstSeenMs: number
        goneMs: number | null
      })[]
      const total = db
        .prepare(`SELECT count(*) FROM dnc_entries WHERE ${where}`)
        .pluck()
        .get(...params) as number
      return {
        total,
        items: rows.map(({ id, phoneNumber, digits, reason, createdMs, firstSeenMs, goneMs }) => ({
          id,
          phoneNumber,
          phone: digits === null ? null : `+${digits}`,
          reason,
          createdAt: isoTime(createdMs),
          firstSeenAt: isoTime(firstSeenMs),
          goneAt: isoTime(goneMs),
        })),
      }
    },
  }
}

import type { Hold } from '../../../contract/people/dnc.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createHashedHolds } from '../../../jobs/table/hashed-holds.ts'
import { rawDigits } from '../../../lib/phone/raw-digits.ts'

interface Row {
  id: number
  phone: string
  evidence: string
  source: Hold['source']
  eventSeq: number | null
  sinceMs: number
  endedMs: number | null
  endReason: Hold['endReason']
  handedOffMs: number | null
}

const columns = `id, phone, evidence, source, event_seq AS eventSeq, since_ms AS sinceMs, ended_ms AS endedMs,
  end_reason AS endReason, handed_off_ms AS handedOffMs`

const toHold = ({ sinceMs, endedMs, handedOffMs, ...row }: Row): Hold => ({
  ...row,
  since: isoTime(sinceMs)!,
  endedAt: isoTime(endedMs),
  handedOffAt: isoTime(handedOffMs),
})

/** An inbound message that is an opt-out keyword. */
export interface OptOut {
  seq: number
  number: string
  content: string
  receivedMs: number
}

export type HoldsRepository = ReturnType<typeof createHoldsRepository>

/** Selects every number on hold, as digits. */
export const heldDigitsSql = 'SELECT digits FROM holds WHERE ended_ms IS NULL AND digits IS NOT NULL'

/** Evidence shown for a number on hold as a hash. */
const erasedEvidence = 'Erased on request, kept on hold'

export function createHoldsRepository(db: Database) {
  const hashed = createHashedHolds(db)
  const insert = db.prepare<[string, number | null, string, Hold['source'], number | null, number]>(
    'INSERT OR IGNORE INTO holds (phone, digits, evidence, source, event_seq, since_ms) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const one = (sql: string, ...params: unknown[]) => {
    const row = db.prepare(`SELECT ${columns} FROM holds WHERE ${sql}`).get(...params) as Row | undefined
    return row ? toHold(row) : null
  }
  const selectActive = db.prepare<[number], Row>(
    `SELECT ${columns} FROM holds WHERE digits = ? AND ended_ms IS NULL`,
  )
  const end = db.prepare<[number, string, number]>(
    'UPDATE holds SET ended_ms = ?, end_reason = ? WHERE id = ? AND ended_ms IS NULL',
  )
  const conditions = {
    active: 'ended_ms IS NULL',
    ended: 'ended_ms IS NOT NULL',
    'not-handed-off': 'ended_ms IS NULL AND handed_off_ms IS NULL',
  }
  const processedSeq = db.prepare<[], number>('SELECT seq FROM holds_progress').pluck()

  return {
    /** The `seq` of the last event taken as an opt-out; 0 before the first. */
    optOutsTakenTo: () => processedSeq.get() ?? 0,
    /** Puts the senders on hold and saves the last `seq`, in one transaction. Returns the digits of new holds. */
    takeOptOuts: db.transaction((optOuts: readonly OptOut[]) => {
      const held: number[] = []
      for (const { seq, number, content, receivedMs } of optOuts) {
        const digits = rawDigits(number)
        // A number on hold keeps its first hold.
        if (digits !== null && selectActive.get(digits)) continue
        const { changes } = insert.run(number, digits, content, 'stop-word', seq, receivedMs)
        if (changes > 0 && digits !== null) held.push(digits)
      }
      const last = optOuts.at(-1)
      if (last) db.prepare('UPDATE holds_progress SET seq = ?').run(last.seq)
      return held
    }),
    add(phone: string, evidence: string, nowMs: number): Hold {
      const digits = rawDigits(phone)
      const known = digits === null ? undefined : selectActive.get(digits)
      if (known) return toHold(known)
      const { lastInsertRowid } = insert.run(phone, digits, evidence, 'by-hand', null, nowMs)
      return one('id = ?', lastInsertRowid)!
    },
    /** Ends a hold and removes the hash of its number. Returns null if no hold with this id is active. */
    release: db.transaction((id: number, nowMs: number): Hold | null => {
      const hold = one('id = ? AND ended_ms IS NULL', id)
      if (!hold) return null
      end.run(nowMs, 'by-hand', id)
      const digits = rawDigits(hold.phone)
      if (digits !== null) hashed.remove(digits)
      return { ...hold, endedAt: isoTime(nowMs), endReason: 'by-hand' }
    }),
    /** Why a number is on hold, including an erased number kept only as a hash. */
    active(digits: number): Pick<Hold, 'evidence' | 'since'> | null {
      const row = selectActive.get(digits)
      if (row) return toHold(row)
      const sinceMs = hashed.sinceMs(digits)
      return sinceMs === null ? null : { evidence: erasedEvidence, since: isoTime(sinceMs) }
    },
    /** Removes all holds of a number; with `keepHash`, a keyed hash stays on hold. Returns the number removed. */
    erase: db.transaction((digits: number, keepHash: boolean, nowMs: number) => {
      if (keepHash) hashed.add(digits, nowMs)
      return db.prepare<[number]>('DELETE FROM holds WHERE digits = ?').run(digits).changes
    }),
    /** Ends the holds of numbers that are now on the list. */
    endListed: db.transaction((isOnList: (digits: number) => boolean, nowMs: number) => {
      const ended = db
        .prepare<[], { id: number; digits: number }>(
          'SELECT id, digits FROM holds WHERE ended_ms IS NULL AND digits IS NOT NULL',
        )
        .all()
        .filter(({ digits }) => isOnList(digits))
      for (const { id } of ended) end.run(nowMs, 'on-dnc', id)
    }),
    list(which: keyof typeof conditions, limit: number, beforeId: number) {
      const rows = db
        .prepare<[number, number], Row>(
          `SELECT ${columns} FROM holds WHERE ${conditions[which]} AND id < ? ORDER BY id DESC LIMIT ?`,
        )
        .all(beforeId, limit)
      const total = db
        .prepare<[], number>(`SELECT count(*) FROM holds WHERE ${conditions[which]}`)
        .pluck()
        .get()!
      return { items: rows.map(toHold), total }
    },
    /** Holds to hand off, oldest first. */
    toHandOff: (all: boolean) =>
      db
        .prepare<[], Row>(
          `SELECT ${columns} FROM holds WHERE ${conditions[all ? 'active' : 'not-handed-off']} ORDER BY id`,
        )
        .all()
        .map(toHold),
    handedOff: db.transaction((ids: readonly number[], nowMs: number) => {
      const mark = db.prepare<[number, number]>('UPDATE holds SET handed_off_ms = ? WHERE id = ?')
      for (const id of ids) mark.run(nowMs, id)
    }),
  }
}

import type { Hold } from '../../../contract/people/dnc.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createHashedHolds } from '../../../jobs/table/hashed-holds.ts'
import { createEntryReadings } from '../../../jobs/table/entry-readings.ts'
import { readEntry } from '../../../lib/phone/entry-readings.ts'

interface Row {
  id: number
  phone: string
  digits: number | null
  evidence: string
  source: Hold['source']
  eventSeq: number | null
  sinceMs: number
  endedMs: number | null
  endReason: Hold['endReason']
  handedOffMs: number | null
}

const columns = `id, phone, digits, evidence, source, event_seq AS eventSeq, since_ms AS sinceMs, ended_ms AS endedMs,
  end_reason AS endReason, handed_off_ms AS handedOffMs`

const toHold = ({ digits, sinceMs, endedMs, handedOffMs, ...row }: Row): Hold => ({
  ...row,
  number: digits === null ? null : `+${digits}`,
  since: isoTime(sinceMs)!,
  endedAt: isoTime(endedMs),
  handedOffAt: isoTime(handedOffMs),
})

/** An inbound message that means an opt-out. `seq`: of the delivery that says so, in the journal. */
export interface OptOut {
  seq: number
  number: string
  content: string
  receivedMs: number
}

/** A number that a file says not to contact. `isShared`: several people have it beside their own number. */
export interface ImportedHold {
  digits: number
  evidence: string
  isShared: boolean
}

export type HoldsRepository = ReturnType<typeof createHoldsRepository>

/** Evidence shown for a number on hold as a hash. */
const erasedEvidence = 'Erased on request, kept on hold'

/** `country`: of numbers in national form, null if unknown. */
export function createHoldsRepository(db: Database, country: () => string | null) {
  const hashed = createHashedHolds(db)
  const readings = createEntryReadings(db, 'held')
  const insert = db.prepare<[string, number | null, string, Hold['source'], number | null, number, number]>(
    'INSERT OR IGNORE INTO holds (phone, digits, evidence, source, event_seq, since_ms, own_only) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const one = (sql: string, ...params: unknown[]) => {
    const row = db.prepare(`SELECT ${columns} FROM holds WHERE ${sql}`).get(...params) as Row | undefined
    return row ? toHold(row) : null
  }
  const activeText = db
    .prepare<[number | null, string, number], number>(
      'SELECT id FROM holds WHERE digits IS ? AND phone = ? AND ended_ms IS NULL AND own_only <= ? LIMIT 1',
    )
    .pluck()
  const end = db.prepare<[number, string, number]>(
    'UPDATE holds SET ended_ms = ?, end_reason = ? WHERE id = ? AND ended_ms IS NULL',
  )
  const conditions = {
    active: 'ended_ms IS NULL',
    ended: 'ended_ms IS NOT NULL',
    'not-handed-off': 'ended_ms IS NULL AND handed_off_ms IS NULL',
  }
  const active = db.prepare<[number, number], Row>(
    `SELECT ${columns} FROM holds WHERE ended_ms IS NULL AND id > ? ORDER BY id LIMIT ?`,
  )
  const otherNumbers = db
    .prepare<[number], number>("SELECT low FROM hold_readings WHERE entry_id = ? AND kind = 'number'")
    .pluck()
  const countUnreadable = db.prepare<[], { all: number; national: number }>(
    `SELECT count(*) AS "all", coalesce(sum(EXISTS (
         SELECT 1 FROM hold_readings WHERE entry_id = holds.id AND kind = 'ending')), 0) AS national
       FROM holds WHERE digits IS NULL AND ended_ms IS NULL`,
  )
  /** Also ended ones. */
  const ofNumber = db
    .prepare<{ digits: number }, number>(
      `SELECT id FROM holds WHERE digits = @digits
       UNION SELECT entry_id FROM hold_readings WHERE kind = 'number' AND low = @digits`,
    )
    .pluck()
  const remove = db.prepare<[number]>('DELETE FROM holds WHERE id = ?')
  const setDigits = db.prepare<[number | null, number]>('UPDATE holds SET digits = ? WHERE id = ?')

  /**
   * Starts a hold; null if active ones block all that the text may mean. Returns every number that it blocks. `isShared`: it doesn't block
   * those who have the number beside their own.
   */
  function hold(
    phone: string,
    evidence: string,
    source: Hold['source'],
    seq: number | null,
    sinceMs: number,
    isShared = false,
  ) {
    const { digits, readings: others } = readEntry(phone, country())
    const ownOnly = isShared ? 1 : 0
    if (activeText.get(digits, phone, ownOnly) !== undefined) return null
    const isBlocked = (number: number) => readings.blocking(number, isShared) !== undefined
    if (
      digits !== null &&
      isBlocked(digits) &&
      others.every(({ kind, low }) => kind === 'number' && isBlocked(low))
    )
      return null
    const { changes, lastInsertRowid } = insert.run(phone, digits, evidence, source, seq, sinceMs, ownOnly)
    if (changes === 0) return null
    const id = Number(lastInsertRowid)
    readings.put(id, others)
    const further = others.flatMap(({ kind, low }) => (kind === 'number' ? [low] : []))
    return { id, isApplied: digits !== null, numbers: digits === null ? further : [digits, ...further] }
  }

  const ofImport = db.prepare<[number, number], { id: number }>(
    "SELECT id FROM holds WHERE digits = ? AND since_ms = ? AND source = 'import'",
  )
  const processedSeq = db.prepare<[], number>('SELECT seq FROM holds_progress').pluck()

  return {
    /** The `seq` of the last opt-out taken; 0 before the first. */
    optOutsTakenTo: () => processedSeq.get() ?? 0,
    /** Puts the senders on hold and saves the last `seq`, in one transaction. Returns how many new ones can be applied, and every number that they block. */
    takeOptOuts: db.transaction((optOuts: readonly OptOut[]) => {
      const held: number[] = []
      let count = 0
      for (const { seq, number, content, receivedMs } of optOuts) {
        // A number on hold keeps its first hold.
        const started = hold(number, content, 'opt-out', seq, receivedMs)
        if (!started) continue
        held.push(...started.numbers)
        if (started.isApplied) count++
      }
      const last = optOuts.at(-1)
      if (last) db.prepare('UPDATE holds_progress SET seq = ?').run(last.seq)
      return { count, numbers: held }
    }),
    /** Holds the sender of a possible opt-out. Returns the numbers newly blocked. */
    holdSender: db.transaction(({ seq, number, content, receivedMs }: OptOut): number[] => {
      const started = hold(number, content, 'by-hand', seq, receivedMs)
      return started?.numbers ?? []
    }),
    /**
     * Holds numbers by what an imported file says. Returns the numbers newly blocked for each; null if something else holds it. What this
     * import held before it was interrupted stays as it is.
     */
    addImported: db.transaction((entries: readonly ImportedHold[], startMs: number) =>
      entries.map(({ digits, evidence, isShared }): number[] | null =>
        ofImport.get(digits, startMs)
          ? []
          : (hold(`+${digits}`, evidence, 'import', null, startMs, isShared)?.numbers ?? null),
      ),
    ),
    /** Holds a number by hand. */
    add(digits: number, evidence: string, nowMs: number): Hold {
      const known = readings.blocking(digits, false)
      const id = known ?? hold(`+${digits}`, evidence, 'by-hand', null, nowMs)!.id
      return one('id = ?', id)!
    },
    /** Ends a hold and removes the hash of its number. Returns null if no hold with this id is active. */
    release: db.transaction((id: number, nowMs: number): Hold | null => {
      const hold = one('id = ? AND ended_ms IS NULL', id)
      if (!hold) return null
      end.run(nowMs, 'by-hand', id)
      if (hold.number !== null) hashed.remove(Number(hold.number.slice(1)))
      return { ...hold, endedAt: isoTime(nowMs), endReason: 'by-hand' }
    }),
    /** Why a number is on hold, including an erased number kept only as a hash. `isOwn`: it isn't only beside a person's own number. */
    active(digits: number, isOwn: boolean): Pick<Hold, 'evidence' | 'since'> | null {
      const id = readings.blocking(digits, isOwn)
      if (id !== undefined) return one('id = ?', id)
      const sinceMs = hashed.sinceMs(digits)
      return sinceMs === null ? null : { evidence: erasedEvidence, since: isoTime(sinceMs) }
    },
    /** A hold whose sender can't be read but may be a number. */
    suspect(digits: number): Hold | null {
      const id = readings.suspecting(digits)
      return id === undefined ? null : one('id = ?', id)
    },
    /** Reads the senders of the next active holds again, because the country changed. Returns the last one's id; null at the end. */
    readAgain: db.transaction((afterId: number, limit: number): number | null => {
      const rows = active.all(afterId, limit)
      for (const { id, phone, digits } of rows) {
        const read = readEntry(phone, country())
        readings.put(id, read.readings)
        if (read.digits !== digits) setDigits.run(read.digits, id)
      }
      return rows.at(-1)?.id ?? null
    }),
    /** Active holds that can't be applied, and those of them that may be numbers in national form. */
    countUnreadable: () => countUnreadable.get()!,
    /** Removes all holds of a number; with `keepHash`, a keyed hash stays on hold. Returns the number removed. */
    erase: db.transaction((digits: number, keepHash: boolean, nowMs: number) => {
      if (keepHash) hashed.add(digits, nowMs)
      const ids = ofNumber.all({ digits })
      for (const id of ids) {
        readings.put(id, [])
        remove.run(id)
      }
      return ids.length
    }),
    /** Ends those of the next active holds whose numbers are all on the list now. Returns the last one's id; null at the end. */
    endListed: db.transaction(
      (
        afterId: number,
        limit: number,
        isOnList: (digits: number) => boolean,
        nowMs: number,
      ): number | null => {
        const rows = active.all(afterId, limit)
        for (const { id, digits } of rows)
          if (digits !== null && isOnList(digits) && otherNumbers.all(id).every(isOnList))
            end.run(nowMs, 'on-dnc', id)
        return rows.at(-1)?.id ?? null
      },
    ),
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
    /** The next holds to hand off, oldest first. */
    toHandOff: (all: boolean, afterId: number, limit: number): Hold[] =>
      db
        .prepare<[number, number], Row>(
          `SELECT ${columns} FROM holds WHERE ${conditions[all ? 'active' : 'not-handed-off']} AND id > ? ORDER BY id LIMIT ?`,
        )
        .all(afterId, limit)
        .map(toHold),
    handedOff: db.transaction((ids: readonly number[], nowMs: number) => {
      const mark = db.prepare<[number, number]>('UPDATE holds SET handed_off_ms = ? WHERE id = ?')
      for (const id of ids) mark.run(nowMs, id)
    }),
  }
}

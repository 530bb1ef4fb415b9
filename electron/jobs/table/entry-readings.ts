import type { Database } from '../../database/open.ts'
import { endingModulus, type Reading } from '../../lib/phone/entry-readings.ts'
import { bareForm } from '../../lib/phone/read-digits.ts'

/** Lists whose entries block numbers, with the condition of an entry in force. Each has a table of readings. */
const lists = {
  dnc: { entries: 'dnc_entries', readings: 'dnc_readings', inForce: 'gone_ms IS NULL', forAll: '' },
  held: {
    entries: 'holds',
    readings: 'hold_readings',
    inForce: 'ended_ms IS NULL',
    forAll: 'AND own_only = 0',
  },
} as const
export type BlockingList = keyof typeof lists

const joined = (list: BlockingList) =>
  `${lists[list].readings} r JOIN ${lists[list].entries} e ON e.id = r.entry_id AND e.${lists[list].inForce}`

/** Selects every number that a list blocks, as `digits`; most of them ascending. */
export const numbersSql = (list: BlockingList): string =>
  `SELECT DISTINCT digits FROM ${lists[list].entries} WHERE digits IS NOT NULL AND ${lists[list].inForce}
   UNION ALL SELECT r.low AS digits FROM ${joined(list)} WHERE r.kind = 'number'`

/** Numbers that block only contacts whose own number they are, not those who share them. */
export function ownOnlyNumbers(db: Database, list: BlockingList): ReadonlySet<number> {
  if (list === 'dnc') return new Set()
  const { blocking } = createEntryReadings(db, list)
  const some = db
    .prepare<[], number>('SELECT DISTINCT digits FROM holds WHERE own_only = 1 AND ended_ms IS NULL')
    .pluck()
    .all()
  return new Set(some.filter((digits) => blocking(digits, false) === undefined))
}

/** Selects what unreadable entries may mean. */
export const tracesSql = (list: BlockingList): string =>
  `SELECT DISTINCT r.kind, r.low, r.high FROM ${joined(list)} WHERE r.kind <> 'number'`

/** Stores what entries may mean, and finds entries by number. */
export function createEntryReadings(db: Database, list: BlockingList) {
  const { entries, readings, inForce, forAll } = lists[list]
  const drop = db.prepare<[number]>(`DELETE FROM ${readings} WHERE entry_id = ?`)
  const add = db.prepare<Reading & { id: number }>(
    `INSERT OR IGNORE INTO ${readings} (kind, low, high, entry_id) VALUES (@kind, @low, @high, @id)`,
  )
  const byDigits = ['', forAll].map((more) =>
    db
      .prepare<[number], number>(
        `SELECT id FROM ${entries} WHERE digits = ? AND digits IS NOT NULL AND ${inForce} ${more} LIMIT 1`,
      )
      .pluck(),
  )
  const byReading = db
    .prepare<[number], number>(
      `SELECT r.entry_id FROM ${joined(list)} WHERE r.kind = 'number' AND r.low = ? LIMIT 1`,
    )
    .pluck()
  const byTrace = db
    .prepare<{ digits: number; ending: number }, number>(
      `SELECT r.entry_id FROM ${joined(list)} WHERE r.kind = 'ending' AND r.low = @ending
       UNION ALL SELECT r.entry_id FROM ${joined(list)} WHERE r.kind = 'range' AND r.low <= @digits AND r.high >= @digits LIMIT 1`,
    )
    .pluck()

  const blocking = (digits: number, isOwn = true) =>
    byDigits[isOwn ? 0 : 1]!.get(digits) ?? byReading.get(digits)
  const traceOf = (digits: number) => byTrace.get({ digits, ending: digits % endingModulus })

  return {
    /** Replaces an entry's readings. */
    put(id: number, next: readonly Reading[]): void {
      drop.run(id)
      for (const reading of next) add.run({ ...reading, id })
    },
    /** The id of an entry in force that blocks a number; without `isOwn`, that blocks those who have it beside their own. */
    blocking,
    /** The id of an entry in force that may be a number: an unreadable one, or one without the country code. */
    suspecting(digits: number): number | undefined {
      const found = traceOf(digits)
      const bare = found === undefined ? bareForm(digits) : 0
      return bare === 0 ? found : (blocking(bare) ?? traceOf(bare))
    },
  }
}

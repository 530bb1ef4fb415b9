import type { Database } from '../../database/open.ts'
import { bareForm } from '../../lib/phone/read-digits.ts'

/** Other numbers of contacts whose number was written with two readings. A contact is blocked under both. */
export function createOtherReadings(db: Database) {
  const find = db.prepare<[number], number>('SELECT other FROM other_readings WHERE digits = ?').pluck()
  const owners = db.prepare<[number], number>('SELECT digits FROM other_readings WHERE other = ?').pluck()
  const all = db
    .prepare<[], [digits: number, other: number]>('SELECT digits, other FROM other_readings')
    .raw()

  return {
    /** 0 if there is none. */
    of: (digits: number): number => find.get(digits) ?? 0,
    /** Numbers of the contacts that may have this number. */
    owners: (other: number): number[] => owners.all(other),
    all: () => all.iterate(),
  }
}

/** What to store of another reading; 0 if nothing, because checks include it anyway. */
export const otherToStore = (digits: number, other: number): number =>
  other === bareForm(digits, (bare) => bare === other) ? 0 : other

/** Changes them; for the store's writer. */
export function createOtherReadingWrites(db: Database) {
  const put = db.prepare<[number, number]>(
    'INSERT INTO other_readings (digits, other) VALUES (?, ?) ON CONFLICT (digits) DO UPDATE SET other = excluded.other',
  )
  const drop = db.prepare<{ digits: number }>(
    'DELETE FROM other_readings WHERE digits = @digits OR other = @digits',
  )
  const dropUnused = db.prepare(
    `DELETE FROM other_readings WHERE NOT EXISTS (SELECT 1 FROM trash)
       AND digits NOT IN (SELECT digits FROM contacts)`,
  )

  return {
    /** Other readings of 0 change nothing: the same number may have been written another way before. */
    put(digits: number, other: number): void {
      if (other !== 0) put.run(digits, other)
    },
    /** Removes a number wherever it is one of two. */
    drop: (digits: number): void => void drop.run({ digits }),
    /** Removes those of contacts that can't be restored. */
    dropUnused: (): void => void dropUnused.run(),
  }
}

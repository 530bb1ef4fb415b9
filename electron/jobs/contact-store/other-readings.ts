import type { Database } from '../../database/open.ts'
import { bareForm } from '../../lib/phone/read-digits.ts'

/** Other numbers of contacts: of a text with two readings, or of an imported row with several. A contact is blocked under all of them. */
export function createOtherReadings(db: Database) {
  const find = db.prepare<[number], number>('SELECT other FROM other_readings WHERE digits = ?').pluck()
  const owners = db.prepare<[number], number>('SELECT digits FROM other_readings WHERE other = ?').pluck()
  const all = db
    .prepare<[], [digits: number, other: number]>('SELECT digits, other FROM other_readings')
    .raw()

  return {
    of: (digits: number): number[] => find.all(digits),
    /** For many numbers: asks nothing if there are none now. */
    ofMany(): (digits: number) => readonly number[] {
      const none: readonly number[] = []
      return all.get() === undefined ? () => none : (digits) => find.all(digits)
    },
    /** Numbers of the contacts that may have this number. */
    owners: (other: number): number[] => owners.all(other),
    all: () => all.iterate(),
  }
}

/** Whether to store another number: checks don't include it anyway. Others of 0 are none. */
export const isOtherToStore = (digits: number, other: number): boolean =>
  other !== 0 && other !== digits && other !== bareForm(digits, (bare) => bare === other)

/** Changes them; for the store's writer. */
export function createOtherReadingWrites(db: Database) {
  const put = db.prepare<[number, number]>(
    'INSERT OR IGNORE INTO other_readings (digits, other) VALUES (?, ?)',
  )
  const drop = db.prepare<{ digits: number }>(
    'DELETE FROM other_readings WHERE digits = @digits OR other = @digits',
  )
  const dropUnused = db.prepare(
    `DELETE FROM other_readings WHERE digits NOT IN (SELECT digits FROM contacts)
       AND digits NOT IN (SELECT contact_json ->> '$.digits' FROM trash)`,
  )

  return {
    /** Adds to those known: the same number may have been written another way before. */
    put: (digits: number, other: number): void => void put.run(digits, other),
    /** Removes a number wherever it is one of several. */
    drop: (digits: number): void => void drop.run({ digits }),
    /** Removes those of contacts that can't be restored. */
    dropUnused: (): void => void dropUnused.run(),
  }
}

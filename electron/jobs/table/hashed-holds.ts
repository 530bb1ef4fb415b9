import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../../database/open.ts'
import { otherSpellings } from '../../lib/phone/other-spellings.ts'

/**
 * Erased numbers that stay on hold as a keyed hash, one for each spelling of the line. The key is in the same file: someone with the file
 * can try all numbers, but can't read them.
 */
export function createHashedHolds(db: Database) {
  const findKey = db.prepare<[], Buffer>('SELECT key FROM hold_key').pluck()
  const putKey = db.prepare<[Buffer]>('INSERT INTO hold_key (id, key) VALUES (1, ?)')
  const find = db.prepare<[Buffer], number>('SELECT since_ms FROM hashed_holds WHERE hash = ?').pluck()
  const put = db.prepare<[Buffer, number]>(
    'INSERT INTO hashed_holds (hash, since_ms) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const drop = db.prepare<[Buffer]>('DELETE FROM hashed_holds WHERE hash = ?')
  const all = db.prepare<[], Buffer>('SELECT hash FROM hashed_holds').pluck()
  const hashOf = (key: Buffer, digits: number) => createHmac('sha256', key).update(String(digits)).digest()
  const spellingsOf = (digits: number) => [digits, ...otherSpellings(digits)]
  let key = findKey.get()

  return {
    /** When the number's hold began, in milliseconds since 1970; null without one. */
    sinceMs(digits: number): number | null {
      key ??= findKey.get()
      return key ? (find.get(hashOf(key, digits)) ?? null) : null
    },
    add(digits: number, nowMs: number): void {
      key ??= findKey.get()
      if (!key) putKey.run((key = randomBytes(32)))
      for (const one of spellingsOf(digits)) put.run(hashOf(key, one), nowMs)
    },
    /** Returns whether it was there. */
    remove(digits: number): boolean {
      key ??= findKey.get()
      const hashes = key === undefined ? [] : spellingsOf(digits).map((one) => hashOf(key!, one))
      return hashes.reduce((dropped, hash) => dropped + drop.run(hash).changes, 0) > 0
    },
    /** Tests numbers without the database, as it is now. */
    toTest(): (digits: number) => boolean {
      const hashes = new Set(all.all().map((hash) => hash.toString('hex')))
      return (digits) => hashes.size > 0 && hashes.has(hashOf(key!, digits).toString('hex'))
    },
  }
}

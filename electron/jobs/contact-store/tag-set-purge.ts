import type { ContactTables } from './contact-tables.ts'

/** Sets per transaction: a few milliseconds. */
const perPiece = 2_000
/** Import changes are read completely for their sets; more than this would block the store. */
const changesMax = 20_000

/** Deletes unused tag sets, except the first and the newest, so ids are never reused. */
export function createTagSetPurge(tables: ContactTables) {
  const { db } = tables
  const next = db
    .prepare<[number, number], number>('SELECT id FROM tag_sets WHERE id > ? ORDER BY id LIMIT ?')
    .pluck()
  const newest = db.prepare<[], number>('SELECT max(id) FROM tag_sets').pluck()
  const isUsed = db.prepare<[number], number>('SELECT 1 FROM contacts WHERE tag_set = ? LIMIT 1').pluck()
  const changes = db
    .prepare<[], number>(`SELECT count(*) FROM (SELECT 1 FROM import_changes LIMIT ${changesMax + 1})`)
    .pluck()
  // Restored contacts need their former sets.
  const kept = db
    .prepare<[], number>(
      `SELECT DISTINCT contact_json ->> '$.tagSet' FROM trash
       UNION SELECT DISTINCT before_json ->> '$.tagSet' FROM import_changes
       UNION SELECT before_set FROM tag_undo UNION SELECT after_set FROM tag_undo`,
    )
    .pluck()
  const drop = db.prepare<[number]>('DELETE FROM tag_sets WHERE id = ?')
  let afterId = 1

  return {
    /** Checks the next sets. False when all were checked; the next call starts over. */
    step(): boolean {
      if (changes.get()! > changesMax) return false
      return tables.write(
        () => {
          const last = newest.get() ?? 1
          const ids = next.all(afterId, perPiece)
          const unused = ids.filter((id) => id !== last && isUsed.get(id) === undefined)
          if (unused.length > 0) {
            const still = new Set(kept.all())
            for (const id of unused) if (!still.has(id)) drop.run(id)
            tables.forgetSets()
          }
          const more = ids.length === perPiece
          afterId = more ? ids.at(-1)! : 1
          return more
        },
        () => false,
      )
    },
  }
}

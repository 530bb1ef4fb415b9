import { foldTagKey, readTagsJson } from '../../../lib/tags-json.ts'
import type { Migration } from '../../migrate.ts'

/**
 * Tags that can be undone, and one spelling for each.
 *
 * - `tag_batches`: one change of the tags of many contacts, until it can no longer be undone.
 * - `tag_undo`: what each of its contacts had before and has since. The former `marks` tell whether the service had the contact as it was.
 * - Keys that differed only by case become one, in the spelling that came first.
 */
export const migration: Migration = {
  id: 7,
  name: 'tags',
  up(db) {
    db.exec(`
      CREATE TABLE tag_batches (
        id TEXT PRIMARY KEY NOT NULL,
        count INTEGER NOT NULL,
        until_ms INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE tag_undo (
        batch_id TEXT NOT NULL,
        contact_id INTEGER NOT NULL,
        before_set INTEGER NOT NULL,
        after_set INTEGER NOT NULL,
        marks INTEGER NOT NULL,
        PRIMARY KEY (batch_id, contact_id)
      ) STRICT;
    `)
    const spellings = new Map<string, string>()
    const sets = db
      .prepare<[], { id: number; json: string }>('SELECT id, json FROM tag_sets ORDER BY id')
      .all()
    const find = db.prepare<[string], number>('SELECT id FROM tag_sets WHERE json = ?').pluck()
    const rename = db.prepare<[string, number]>('UPDATE tag_sets SET json = ? WHERE id = ?')
    const drop = db.prepare<[number]>('DELETE FROM tag_sets WHERE id = ?')
    const move = db.prepare<[number, number]>('UPDATE contacts SET tag_set = ? WHERE tag_set = ?')
    const moveKept = (table: string, column: string) =>
      db.prepare<[number, number]>(
        `UPDATE ${table} SET ${column} = json_set(${column}, '$.tagSet', CAST(? AS INTEGER)) WHERE ${column} ->> '$.tagSet' = ?`,
      )
    const kept = [moveKept('trash', 'contact_json'), moveKept('import_changes', 'before_json')]
    for (const { id, json } of sets) {
      const spelled = new Map<string, string>()
      for (const [key, value] of Object.entries(readTagsJson(json) ?? {})) {
        const folded = foldTagKey(key)
        if (!spellings.has(folded)) spellings.set(folded, key)
        spelled.set(spellings.get(folded)!, value)
      }
      const next = JSON.stringify(Object.fromEntries(spelled))
      if (readTagsJson(json) === null || next === json) continue
      const same = find.get(next)
      if (same === undefined) rename.run(next, id)
      else {
        move.run(same, id)
        for (const statement of kept) statement.run(same, id)
        drop.run(id)
      }
    }
  },
}

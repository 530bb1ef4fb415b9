import type { Migration } from '../../migrate.ts'

/** A number as people write it: it was looked for without what stands between its digits. */
const writtenNumber = /^[+(0][\d\s().\-/]{4,}$/

/** A text that is looked for as texts of contacts were until now: as it stands. Quotes say so since it is taken word by word. */
function asItStands(typed: string): string {
  const text = typed.trim()
  if (text === '') return text
  if (writtenNumber.test(text)) return text.replace(/[\s().\-/]/g, '').replace(/^0+(?=\d)/, '')
  return text.includes('"') ? `“${text}”` : `"${text}"`
}

/**
 * Work over contacts of a search that can still be gone on with, and sends to such contacts, mean those that were found when they were
 * chosen: words in any order would find more.
 */
export const migration: Migration = {
  id: 15,
  name: 'literal-texts',
  up(db) {
    const rewrite = (table: string, column: string, path: string, where: string) => {
      // A row that cannot be read costs nothing but itself.
      const texts = db
        .prepare<[], { id: string; text: string }>(
          `SELECT id, iif(json_valid(${column}), ${column} ->> '${path}', NULL) AS text FROM ${table} WHERE ${where}`,
        )
        .all()
      const put = db.prepare<[string, string]>(
        `UPDATE ${table} SET ${column} = json_set(${column}, '${path}', ?) WHERE id = ?`,
      )
      for (const { id, text } of texts) if (typeof text === 'string') put.run(asItStands(text), id)
    }
    rewrite('tasks', 'payload_json', '$.selection.filter.text', "state NOT IN ('done', 'cancelled')")
    rewrite('ott_sends', 'order_json', '$.source.contacts.filter.text', 'true')
  },
}

import type { Database } from '../../database/open.ts'
import { indexTextOf } from './contact-search.ts'
import type { BookRow } from './book-types.ts'

/** Contacts brought into the index per commit. */
const pieceRows = 5_000

/** Keeps `search.db` in step with `book.db`. */
export interface SearchIndex {
  /** Brings the next changed contacts in. False when the index is complete. */
  step(): boolean
  /** Contacts that are gone from the book. */
  remove(ids: readonly number[]): void
}

type Indexed = Pick<BookRow, 'id' | 'digits' | 'name' | 'email' | 'tagsJson'> & { touched: number }

export function createSearchIndex(book: Database, search: Database): SearchIndex {
  const progress = search.prepare<[], number>('SELECT touched FROM progress').pluck()
  const advance = search.prepare<[number]>('UPDATE progress SET touched = ?')
  const changed = book.prepare<[number, number], Indexed>(`
    SELECT c.id, c.digits, c.name, c.email, t.json AS tagsJson, c.touched
    FROM contacts c JOIN tag_sets t ON t.id = c.tag_set
    WHERE c.touched > ? ORDER BY c.touched LIMIT ?`)
  const insert = search.prepare<[number, string]>(
    'INSERT OR REPLACE INTO contacts (rowid, text) VALUES (?, ?)',
  )
  const remove = search.prepare<[number]>('DELETE FROM contacts WHERE rowid = ?')
  return {
    step() {
      const rows = changed.all(progress.get() ?? 0, pieceRows)
      const last = rows.at(-1)
      if (!last) return false
      search
        .transaction(() => {
          for (const row of rows) insert.run(row.id, indexTextOf(row))
          advance.run(last.touched)
        })
        .immediate()
      return rows.length === pieceRows
    },
    remove: search.transaction((ids: readonly number[]) => {
      for (const id of ids) remove.run(id)
    }),
  }
}

import type { Database } from '../../database/open.ts'
import type { BookRow } from './book-types.ts'
import { indexTextOf } from './contact-text.ts'
import { type PackedRows, unpackTexts } from './packed-rows.ts'

/** Contacts brought into the index per commit. */
const pieceRows = 5_000
/** Contacts of an import per commit: each costs a write of the whole hash table that collects trigrams. */
const bulkRows = 250_000

/** Keeps `search.db` in step with `book.db`. */
export interface SearchIndex {
  /** Brings in the next contacts that the book has committed. False when the index is complete. */
  step(): boolean
  /** New contacts come by hand from now on; the book commits them later. */
  beginRows(): void
  /** Those of the rows whose `ids` are not 0; the least is `firstId`. */
  addRows(firstId: number, rows: PackedRows): void
  /** Ends that. Where the book did not commit, the rows are in the index for nothing, and found rows are looked up in the book anyway. */
  endRows(committed: boolean): void
  /** The change up to which the index is complete. */
  touched(): number
}

type Indexed = Pick<BookRow, 'id' | 'digits' | 'name' | 'email' | 'tagsJson'>
type Changed = { [Key in keyof Indexed]: Indexed[Key] | null } & { touched: number; contactId: number }

export function createSearchIndex(book: Database, search: Database): SearchIndex {
  const readProgress = search.prepare<[], { touched: number; lastId: number }>(
    'SELECT touched, last_id AS lastId FROM progress',
  )
  const saveProgress = search.prepare<{ touched: number; lastId: number }>(
    'UPDATE progress SET touched = @touched, last_id = @lastId',
  )
  const columns = 'c.id, c.digits, c.name, c.email, t.json AS tagsJson'
  const changed = book.prepare<[number, number], Changed>(`
    SELECT g.touched, g.contact_id AS contactId, ${columns}
    FROM changes g LEFT JOIN contacts c ON c.id = g.contact_id LEFT JOIN tag_sets t ON t.id = c.tag_set
    WHERE g.touched > ? ORDER BY g.touched LIMIT ?`)
  const added = book.prepare<[number, number, number], Indexed>(`
    SELECT ${columns} FROM contacts c JOIN tag_sets t ON t.id = c.tag_set
    WHERE c.id > ? AND c.id < ? ORDER BY c.id LIMIT ?`)
  // One by one: a statement of several rows has FTS5 write out its hash table each time, so that it could be taken back.
  const put = search.prepare<[number, string]>('INSERT OR REPLACE INTO contacts (rowid, text) VALUES (?, ?)')
  const remove = search.prepare<[number]>('DELETE FROM contacts WHERE rowid = ?')
  let progress = readProgress.get()!
  /** While rows come by hand: up to which id the index is complete, and how many of them wait for a commit. */
  let byHand: { lastId: number; waiting: number } | null = null

  function putAll(rows: readonly Indexed[]): void {
    for (const row of rows) put.run(row.id, indexTextOf(row))
  }

  /** Contacts with ids between two, both left out, that the book has committed. */
  function addBetween(afterId: number, beforeId: number): void {
    for (let last = afterId; ;) {
      const rows = added.all(last, beforeId, pieceRows)
      putAll(rows)
      if (rows.length < pieceRows) return
      last = rows.at(-1)!.id
    }
  }

  function commitRows(): void {
    if (search.inTransaction) search.exec('COMMIT')
    if (byHand) byHand.waiting = 0
  }

  return {
    touched: () => progress.touched,
    step() {
      if (byHand) return false
      const changes = changed.all(progress.touched, pieceRows)
      const fresh = added.all(progress.lastId, Number.MAX_SAFE_INTEGER, pieceRows)
      if (changes.length + fresh.length === 0) return false
      const next = {
        touched: changes.at(-1)?.touched ?? progress.touched,
        lastId: fresh.at(-1)?.id ?? progress.lastId,
      }
      search
        .transaction(() => {
          for (const row of changes) {
            if (row.id === null) remove.run(row.contactId)
            else putAll([row as Indexed])
          }
          putAll(fresh)
          saveProgress.run(next)
        })
        .immediate()
      progress = next
      return changes.length === pieceRows || fresh.length === pieceRows
    },
    beginRows() {
      byHand ??= { lastId: progress.lastId, waiting: 0 }
    },
    addRows(firstId, rows) {
      byHand ??= { lastId: progress.lastId, waiting: 0 }
      if (!search.inTransaction) search.exec('BEGIN IMMEDIATE')
      if (firstId > byHand.lastId + 1) addBetween(byHand.lastId, firstId)
      const { names, emails } = unpackTexts(rows)
      for (let at = 0; at < rows.count; at++) {
        const id = rows.ids[at]!
        if (id === 0) continue
        byHand.lastId = id
        const tagsJson = rows.tagSets[rows.tagAt[at]!]!
        const text = indexTextOf({ name: names[at]!, digits: rows.digits[at]!, email: emails[at]!, tagsJson })
        put.run(id, text)
      }
      byHand.waiting += rows.count
      if (byHand.waiting >= bulkRows) commitRows()
    },
    endRows(committed) {
      if (!byHand) return
      const { lastId } = byHand
      if (committed && lastId > progress.lastId) {
        progress = { ...progress, lastId }
        if (!search.inTransaction) search.exec('BEGIN IMMEDIATE')
        saveProgress.run(progress)
      }
      commitRows()
      byHand = null
    },
  }
}

import type { Database } from '../../database/open.ts'
import type { BookRow } from './book-types.ts'
import { indexTextOf } from './contact-text.ts'
import { type PackedRows, unpackTexts } from './packed-rows.ts'

/** Contacts brought into the index per commit. */
const pieceRows = 5_000
/** Contacts of an import per commit. */
const bulkRows = 100_000
/** Pages that a step of merging writes: some tens of milliseconds. */
const mergePages = 100
/**
 * How FTS5 merges what it wrote, as numbers of segments that are merged into one (sqlite.org/fts5.html): by itself as rows come; and
 * during an import never, because every row would then be written several times over while others wait for it.
 */
const merging = { usual: { automerge: 4, crisismerge: 16 }, bulk: { automerge: 0, crisismerge: 1_000 } }

/** Keeps `search.db` in step with `book.db`. */
export interface SearchIndex {
  /** Brings in the next contacts that the book has committed. False when the index is complete. */
  step(): boolean
  /** Merges a piece of what an import wrote, after which searches take less time. False when nothing is left. */
  merge(): boolean
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
  // Literals, because better-sqlite3 binds numbers as REAL, which FTS5 refuses here.
  const set = (name: string, value: number) =>
    search.exec(`INSERT INTO contacts (contacts, rank) VALUES ('${name}', ${value})`)
  const mergeOnce = search.prepare(`INSERT INTO contacts (contacts, rank) VALUES ('merge', ${mergePages})`)
  const written = search.prepare<[], number>('SELECT total_changes()').pluck()
  let progress = readProgress.get()!
  /** An import may have ended with its run: whether something is left to merge shows when it is tried. */
  let mayMerge = true
  setMerging(merging.usual)
  /** While rows come by hand: up to which id the index is complete, and how many of them wait for a commit. */
  let byHand: { lastId: number; waiting: number } | null = null

  function setMerging({ automerge, crisismerge }: (typeof merging)['usual']): void {
    set('automerge', automerge)
    set('crisismerge', crisismerge)
  }

  function merge(): boolean {
    if (!mayMerge || byHand) return false
    const before = written.get()!
    mergeOnce.run()
    // Fewer than two rows written: there was nothing to merge (sqlite.org/fts5.html#the_merge_command).
    mayMerge = written.get()! - before >= 2
    return mayMerge
  }

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

  function beginRows(): NonNullable<typeof byHand> {
    if (byHand) return byHand
    setMerging(merging.bulk)
    // What FTS5 frees meanwhile are its own pages, used again a moment later.
    search.pragma('secure_delete = FAST')
    return (byHand = { lastId: progress.lastId, waiting: 0 })
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
    merge,
    beginRows: () => void beginRows(),
    addRows(firstId, rows) {
      const now = beginRows()
      if (!search.inTransaction) search.exec('BEGIN IMMEDIATE')
      if (firstId > now.lastId + 1) addBetween(now.lastId, firstId)
      const { names, emails } = unpackTexts(rows)
      for (let at = 0; at < rows.count; at++) {
        const id = rows.ids[at]!
        if (id === 0) continue
        now.lastId = id
        const tagsJson = rows.tagSets[rows.tagAt[at]!]!
        const text = indexTextOf({ name: names[at]!, digits: rows.digits[at]!, email: emails[at]!, tagsJson })
        put.run(id, text)
      }
      now.waiting += rows.count
      if (now.waiting >= bulkRows) commitRows()
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
      search.pragma('secure_delete = ON')
      setMerging(merging.usual)
      mayMerge = true
    },
  }
}

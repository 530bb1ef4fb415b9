import type { Database } from '../../database/open.ts'
import { foldVersion } from '../../lib/fold.ts'
import type { StoreRow } from './store-types.ts'
import { searchTextOf } from './contact-text.ts'

/** Contacts indexed at once: some tens of milliseconds. */
const stepRows = 5_000
/** Pages merged at once. */
const mergePages = 50

type Indexed = Pick<StoreRow, 'id' | 'digits' | 'name' | 'email' | 'tagsJson'>
type Changed = { [Key in keyof Indexed]: Indexed[Key] | null } & { touched: number; contactId: number }

interface Progress {
  generation: string
  touched: number
  lastId: number
  hasDeleted: 0 | 1
}

/** Contacts have IDs from 1. */
const noContact = 0

/** SQL of the store's id, with the version of folded texts, and progress. In a recovered store, `changes` is more reliable. */
const storeNow = `
  SELECT generation || '/${foldVersion}' AS generation, max(touched, (SELECT coalesce(max(touched), 0) FROM changes)) AS touched,
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'contacts'), 0) AS lastId
  FROM store`

/** Ends a text: its last two characters start a trigram, too, so that a shorter text is found as the start of one. */
const padding = '\u0001\u0001'

export type SearchIndex = ReturnType<typeof createSearchIndex>

/** Keeps `search.db` in step with the commits of `contacts.db`. Starts again when it belongs to another store. */
export function createSearchIndex(contactsDb: Database, search: Database) {
  const columns = 'c.id, c.digits, c.name, c.email, t.json AS tagsJson'
  const changed = contactsDb.prepare<[number, number], Changed>(`
    SELECT g.touched, g.contact_id AS contactId, ${columns}
    FROM changes g LEFT JOIN contacts c ON c.id = g.contact_id LEFT JOIN tag_sets t ON t.id = c.tag_set
    WHERE g.touched > ? ORDER BY g.touched LIMIT ?`)
  const added = contactsDb.prepare<[number, number], Indexed>(`
    SELECT ${columns} FROM contacts c JOIN tag_sets t ON t.id = c.tag_set WHERE c.id > ? ORDER BY c.id LIMIT ?`)
  const add = search.prepare<[number, string]>('INSERT INTO texts (rowid, text) VALUES (?, ?)')
  const drop = search.prepare<[number]>('DELETE FROM texts WHERE rowid = ?')
  const dropAll = search.prepare("INSERT INTO texts (texts) VALUES ('delete-all')")
  const merge = search.prepare<[number]>("INSERT INTO texts (texts, rank) VALUES ('merge', ?)")
  const written = search.prepare<[], number>('SELECT total_changes()').pluck()
  const writeProgress = search.prepare<Progress>(
    'UPDATE progress SET (generation, touched, last_id, has_deleted) = (@generation, @touched, @lastId, @hasDeleted)',
  )
  let progress = search
    .prepare<[], Progress>(
      'SELECT generation, touched, last_id AS lastId, has_deleted AS hasDeleted FROM progress',
    )
    .get()!
  /** Whether the merge under way removes all deleted contacts. */
  let isClearing = false

  /** Changes the index and its progress in one commit. */
  function commit(next: Partial<Progress>, work: () => void): void {
    search
      .transaction(() => {
        work()
        writeProgress.run({ ...progress, ...next })
      })
      .immediate()
    progress = { ...progress, ...next }
  }

  const put = (row: Indexed) => void add.run(row.id, searchTextOf(row) + padding)

  const store = contactsDb.prepare<[], Omit<Progress, 'hasDeleted'>>(storeNow).get()!
  const { generation, touched, lastId } = progress
  if (generation !== store.generation || touched > store.touched || lastId > store.lastId)
    commit({ generation: store.generation, touched: 0, lastId: 0 }, () => dropAll.run())

  return {
    /** Change up to which the index is complete. */
    touched: () => progress.touched,
    /** Indexes the next committed contacts. False when complete. */
    step(): boolean {
      const changes = changed.all(progress.touched, stepRows)
      const fresh = added.all(progress.lastId, stepRows)
      if (changes.length + fresh.length === 0) return false
      // Those above are among the fresh ones, now or later.
      const known = new Map(changes.map((row) => [row.contactId, row]))
      const next = {
        touched: changes.at(-1)?.touched ?? progress.touched,
        lastId: fresh.at(-1)?.id ?? progress.lastId,
        ...(changes.some(({ id }) => id === null) ? { hasDeleted: 1 as const } : {}),
      }
      if (next.hasDeleted) isClearing = false
      commit(next, () => {
        for (const [id, row] of known) {
          if (id > progress.lastId) continue
          drop.run(id)
          if (row.id !== null) put(row as Changed & Indexed)
        }
        fresh.forEach(put)
      })
      return changes.length === stepRows || fresh.length === stepRows
    },
    /** Merges some of what many commits left, for faster searches. False when nothing is left. */
    tidy(): boolean {
      const before = written.get()!
      merge.run(mergePages)
      // As FTS5's documentation tells that nothing was merged.
      if (written.get()! - before > 1) return true
      if (isClearing) commit({ hasDeleted: 0 }, () => {})
      isClearing = false
      return false
    },
    /** Whether the file may hold trigrams of deleted contacts. */
    hasDeleted: () => progress.hasDeleted === 1,
    /**
     * Begins to rewrite the index without deleted contacts; `tidy` goes on. A deletion alone only marks them. A single segment is not
     * merged, so a row that comes and goes adds one.
     */
    clear(): void {
      commit({ hasDeleted: 1 }, () => {
        add.run(noContact, padding + padding)
        drop.run(noContact)
        merge.run(-mergePages)
      })
      isClearing = true
    },
  }
}

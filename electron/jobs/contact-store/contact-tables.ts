import type { Database } from '../../database/open.ts'
import { fold } from '../../lib/fold.ts'
import type { StoreRow } from './store-types.ts'
import { foldTagKey, readTagsJson } from '../../lib/tags-json.ts'

/** Deleting unused sets reads all changes of imports. With more, that would block the store. */
const changesMax = 20_000

/** Gives each tag key the spelling it first had in the store. */
function createTagSpelling(db: Database) {
  const all = db.prepare<[], string>('SELECT json FROM tag_sets ORDER BY id').pluck()
  let known: Map<string, string> | null = null

  function spellings(): Map<string, string> {
    if (known) return known
    known = new Map()
    for (const json of all.iterate())
      for (const key of Object.keys(readTagsJson(json) ?? {})) {
        const folded = foldTagKey(key)
        if (!known.has(folded)) known.set(folded, key)
      }
    return known
  }

  return {
    /** A set of tags in known spellings; the last of two keys that differ by case counts. Unreadable JSON stays. */
    of(json: string): string {
      if (json === '{}') return json
      const tags = readTagsJson(json)
      if (!tags) return json
      const spelled = new Map<string, string>()
      for (const [key, value] of Object.entries(tags)) {
        const folded = foldTagKey(key)
        const spelling = spellings().get(folded) ?? key
        spellings().set(folded, spelling)
        spelled.set(spelling, value)
      }
      return JSON.stringify(Object.fromEntries(spelled))
    },
    forget: () => void (known = null),
  }
}

/** A complete row of `contacts`, also as kept for trash and undo. */
export interface StoredContact {
  id: number
  digits: number
  name: string
  firstName: string
  lastName: string
  email: string
  tagSet: number
  state: number
  marks: number
  serviceId: string | null
  note: string
  lastProblem: string | null
  /** The import that created it. */
  importNo: number | null
  createdMs: number
  updatedMs: number
  touched: number
}

const withFolded = <C extends Pick<StoredContact, 'name'>>(contact: C) => ({
  ...contact,
  nameFolded: fold(contact.name),
})

export const storedColumns = `id, digits, name, first_name AS firstName, last_name AS lastName, email, tag_set AS tagSet, state, marks, service_id AS serviceId, note,
  last_problem AS lastProblem, import_no AS importNo, created_ms AS createdMs, updated_ms AS updatedMs, touched`

/** Columns and source of a `StoreRow`. */
export const rowColumns = `c.id, c.digits, c.name, c.first_name AS firstName, c.last_name AS lastName, c.email, t.json AS tagsJson, c.state, c.marks,
  c.service_id AS serviceId, c.note <> '' AS hasNote, c.created_ms AS createdMs, c.updated_ms AS updatedMs`
export const rowSource = 'FROM contacts c JOIN tag_sets t ON t.id = c.tag_set'

export type ContactTables = ReturnType<typeof createContactTables>

export function createContactTables(db: Database) {
  const sets = new Map<string, number>()
  const spelling = createTagSpelling(db)
  const findSet = db.prepare<[string], number>('SELECT id FROM tag_sets WHERE json = ?').pluck()
  const addSet = db.prepare<[string]>('INSERT INTO tag_sets (json) VALUES (?)')
  const dropSets = (which: string) =>
    db.prepare<string[]>(`
      DELETE FROM tag_sets WHERE id > 1 AND ${which} AND NOT EXISTS (SELECT 1 FROM contacts WHERE tag_set = tag_sets.id)
        AND id NOT IN (SELECT contact_json ->> '$.tagSet' FROM trash UNION SELECT before_json ->> '$.tagSet' FROM import_changes
          UNION SELECT before_set FROM tag_undo UNION SELECT after_set FROM tag_undo)`)
  const dropUnused = dropSets(`NOT EXISTS (SELECT 1 FROM import_changes LIMIT 1 OFFSET ${changesMax})`)
  const dropTheseUnused = dropSets('id IN (SELECT value FROM json_each(?))')
  const stored = db.prepare<[number], StoredContact>(`SELECT ${storedColumns} FROM contacts WHERE id = ?`)
  const row = db.prepare<[number], StoreRow>(`SELECT ${rowColumns} ${rowSource} WHERE c.id = ?`)
  const idOf = db.prepare<[number], number>('SELECT id FROM contacts WHERE digits = ?').pluck()
  const values = `@digits, @name, @nameFolded, @firstName, @lastName, @email, @tagSet, @state, @marks, @serviceId, @note, @lastProblem, @importNo, @createdMs,
    @updatedMs, @touched`
  const insert = db.prepare(`
    INSERT INTO contacts (id, digits, name, name_folded, first_name, last_name, email, tag_set, state, marks, service_id, note, last_problem, import_no,
      created_ms, updated_ms, touched) VALUES (@id, ${values})`)
  const put = db.prepare(`
    UPDATE contacts SET (digits, name, name_folded, first_name, last_name, email, tag_set, state, marks, service_id, note, last_problem, import_no, created_ms,
      updated_ms, touched) = (${values}) WHERE id = @id`)
  const remove = db.prepare<[number]>('DELETE FROM contacts WHERE id = ?')
  const addChange = db.prepare<[number, number]>('INSERT INTO changes (touched, contact_id) VALUES (?, ?)')
  const dropChanges = db.prepare<[number]>('DELETE FROM changes WHERE touched <= ?')
  // A recovered store restarts its count, but must continue after the changes it has.
  const readCounters = db.prepare<[], { touched: number; version: number }>(
    'SELECT max(touched, (SELECT coalesce(max(touched), 0) FROM changes)) AS touched, version FROM store',
  )
  const writeCounters = db.prepare<[number, number]>('UPDATE store SET touched = ?, version = ?')
  let { touched, version } = readCounters.get()!

  const tables = {
    db,
    /** When set: collects the numbers that contacts get, with their ids. */
    watched: null as Map<number, number> | null,
    /** Id of a tag set as JSON, in the store's spelling; adds new ones. */
    tagSetOf(json: string): number {
      let id = sets.get(json)
      if (id !== undefined) return id
      const spelled = spelling.of(json)
      id = findSet.get(spelled) ?? Number(addSet.run(spelled).lastInsertRowid)
      if (sets.size > 50_000) sets.clear()
      sets.set(json, id)
      return id
    },
    forgetSets() {
      sets.clear()
      spelling.forget()
    },
    /** Deletes sets that no contact has and none can be restored with: all or, in an open transaction, some. */
    dropUnusedSets(ids?: readonly number[]) {
      const { changes } = ids ? dropTheseUnused.run(JSON.stringify(ids)) : dropUnused.run()
      if (changes > 0) tables.forgetSets()
    },
    stored: (id: number) => stored.get(id),
    row: (id: number) => row.get(id),
    idOf: (digits: number) => idOf.get(digits),
    /** With an id, it restores an earlier contact. */
    insert(contact: Omit<StoredContact, 'id'> & { id: number | null }): number {
      const id = Number(insert.run(withFolded(contact)).lastInsertRowid)
      if (contact.id !== null) addChange.run(contact.touched, id)
      tables.watched?.set(contact.digits, id)
      return id
    },
    /** `isFound`: a searched or sorted field changed, or the time of the last change. */
    put(contact: StoredContact, isFound: boolean) {
      put.run(withFolded(contact))
      if (isFound) addChange.run(contact.touched, contact.id)
      tables.watched?.set(contact.digits, contact.id)
    },
    remove(id: number) {
      remove.run(id)
      addChange.run(++touched, id)
    },
    /** Makes the index and orders read a contact again. */
    changed: (id: number, at: number) => void addChange.run(at, id),
    /** The first of the next `count` change numbers. Call in a transaction that ends with `changed`. */
    nextTouched: (count = 1) => (touched += count) - count + 1,
    /** Drops changes the index has read. */
    forgetChanges: (upTo: number) => void dropChanges.run(upTo),
    /** Writes a new version of the store in the open transaction. */
    stamp: () => void writeCounters.run(touched, ++version),
    /** Reloads the counters after a rollback. */
    reread() {
      ;({ touched, version } = readCounters.get()!)
      // Sets created in the rolled-back transaction have no id now.
      tables.forgetSets()
    },
    /** Runs one transaction, and counts a new version when something changed. */
    write<T>(work: () => T, changed: (result: T) => boolean): T {
      try {
        return db
          .transaction(() => {
            const result = work()
            if (changed(result)) tables.stamp()
            return result
          })
          .immediate()
      } catch (error) {
        tables.reread()
        throw error
      }
    },
    version: () => version,
  }
  return tables
}

import type { Database } from '../../database/open.ts'
import type { BookRow } from './book-types.ts'

/** A whole row of `contacts`, as the trash and the undo keep it. */
export interface StoredContact {
  id: number
  digits: number
  name: string
  email: string
  tagSet: number
  state: number
  marks: number
  serviceId: string | null
  note: string
  lastProblem: string | null
  importId: string | null
  createdMs: number
  updatedMs: number
  touched: number
}

/** The statements on `contacts` that several parts of the writer share. */
export interface BookTables {
  db: Database
  /** The id of a set of tags given as JSON; makes it when it is new. */
  tagSetOf(json: string): number
  whole(id: number): StoredContact | undefined
  row(id: number): BookRow | undefined
  idOf(digits: number): number | undefined
  insert(contact: Omit<StoredContact, 'id'> & { id: number | null }): number
  put(contact: StoredContact): void
  remove(id: number): void
  /** The next change number. Within a transaction that ends with `changed`. */
  nextTouched(): number
  /** Runs work in one transaction and counts a new version of the book when it says that something changed. */
  write<T>(work: () => T, changed: (result: T) => boolean): T
  version(): number
}

const wholeColumns = `id, digits, name, email, tag_set AS tagSet, state, marks, service_id AS serviceId, note,
  last_problem AS lastProblem, import_id AS importId, created_ms AS createdMs, updated_ms AS updatedMs, touched`

export function createBookTables(db: Database): BookTables {
  const sets = new Map<string, number>()
  const findSet = db.prepare<[string], number>('SELECT id FROM tag_sets WHERE json = ?').pluck()
  const addSet = db.prepare<[string]>('INSERT INTO tag_sets (json) VALUES (?)')
  const whole = db.prepare<[number], StoredContact>(`SELECT ${wholeColumns} FROM contacts WHERE id = ?`)
  const row = db.prepare<[number], BookRow>(`
    SELECT c.id, c.digits, c.name, c.email, t.json AS tagsJson, c.state, c.marks, c.service_id AS serviceId,
      c.note <> '' AS hasNote, c.created_ms AS createdMs, c.updated_ms AS updatedMs
    FROM contacts c JOIN tag_sets t ON t.id = c.tag_set WHERE c.id = ?`)
  const idOf = db.prepare<[number], number>('SELECT id FROM contacts WHERE digits = ?').pluck()
  const values = `@digits, @name, @email, @tagSet, @state, @marks, @serviceId, @note, @lastProblem, @importId, @createdMs,
    @updatedMs, @touched`
  const insert = db.prepare(`
    INSERT INTO contacts (id, digits, name, email, tag_set, state, marks, service_id, note, last_problem, import_id,
      created_ms, updated_ms, touched) VALUES (@id, ${values})`)
  const put = db.prepare(`
    UPDATE contacts SET (digits, name, email, tag_set, state, marks, service_id, note, last_problem, import_id, created_ms,
      updated_ms, touched) = (${values}) WHERE id = @id`)
  const remove = db.prepare<[number]>('DELETE FROM contacts WHERE id = ?')
  const readBook = db.prepare<[], { touched: number; version: number }>('SELECT touched, version FROM book')
  const writeBook = db.prepare<[number, number]>('UPDATE book SET touched = ?, version = ?')
  let { touched, version } = readBook.get()!

  return {
    db,
    tagSetOf(json) {
      let id = sets.get(json) ?? findSet.get(json)
      id ??= Number(addSet.run(json).lastInsertRowid)
      if (sets.size > 50_000) sets.clear()
      sets.set(json, id)
      return id
    },
    whole: (id) => whole.get(id),
    row: (id) => row.get(id),
    idOf: (digits) => idOf.get(digits),
    insert: (contact) => Number(insert.run(contact).lastInsertRowid),
    put: (contact) => void put.run(contact),
    remove: (id) => void remove.run(id),
    nextTouched: () => ++touched,
    write(work, changed) {
      const before = { touched, version }
      try {
        return db
          .transaction(() => {
            const result = work()
            if (changed(result)) writeBook.run(touched, ++version)
            return result
          })
          .immediate()
      } catch (error) {
        ;({ touched, version } = before)
        // A set that was made within what was rolled back has no number any more.
        sets.clear()
        throw error
      }
    },
    version: () => version,
  }
}

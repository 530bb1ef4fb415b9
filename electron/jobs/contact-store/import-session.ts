import type { Clock } from '../../lib/clock.ts'
import { schemas } from '../../database/schemas.ts'
import { fold } from '../../lib/fold.ts'
import type { ContactTables, StoredContact } from './contact-tables.ts'
import { changedHere, contactStates, type ImportRow } from './store-types.ts'
import { isSameAtService, isSameContact, type MergeFields, mergeRow } from './merge-row.ts'
import { createOtherReadingWrites } from './other-readings.ts'
import type { ImportBatch } from './protocol.ts'

const local = contactStates.indexOf('local')
const onService = contactStates.indexOf('service')

/** With this many new contacts and this share of all contacts, indexes are dropped and rebuilt. */
const bulkMin = 20_000
const bulkShare = 0.5
/** Most new contacts without indexes. */
const bulkMax = 1_000_000
/**
 * Without indexes, rows are committed after four times the last index build, within these limits. Together with the
 * build, a crash loses under 5 s of work.
 */
const bulkHoldMs = { least: 2_500, most: 4_000, perIndexing: 4 }
/** With indexes, others that wait can write after this long. */
const holdMs = 300
/**
 * If no one waits, rows are committed after this long: a commit writes each page of the indexes that a new contact
 * touched, often for a single one.
 */
const aloneHoldMs = 2_500

/** Cache during an import, KiB: indexes are sorted and updated in memory. */
const importCacheKib = 32 * 1024
const usualCacheKib = 16 * 1024

/** Progress of an import; null if it never started. */
export const importCursor = ({ db }: ContactTables, importId: string): string | null =>
  db.prepare<[string], string>('SELECT cursor FROM imports WHERE id = ?').pluck().get(importId) ?? null

export type ImportSession = ReturnType<typeof createImportSession>

/** The writes of one import: it holds the store for stretches of one transaction each. */
export function createImportSession(
  tables: ContactTables,
  importId: string,
  clock: Pick<Clock, 'monotonic'>,
) {
  const { db } = tables
  db.prepare(
    "INSERT INTO imports (id, cursor, first_id, last_id) VALUES (?, '', 0, 0) ON CONFLICT (id) DO NOTHING",
  ).run(importId)
  const importNo = db.prepare<[string], number>('SELECT no FROM imports WHERE id = ?').pluck().get(importId)!
  const saveImport = db.prepare(`
    UPDATE imports SET cursor = @cursor, created = created + @created, updated = updated + @updated,
      unchanged = unchanged + @unchanged, taken = taken + @taken,
      first_id = iif(first_id = 0, @firstId, first_id), last_id = max(last_id, @lastId) WHERE id = @importId`)
  const remember = db.prepare<[string, number, string, number]>(
    `INSERT INTO import_changes (import_id, contact_id, before_json, after_touched) VALUES (?, ?, ?, ?)
     ON CONFLICT (import_id, contact_id) DO UPDATE SET after_touched = excluded.after_touched`,
  )
  const tagsOf = db.prepare<[number], string>('SELECT json FROM tag_sets WHERE id = ?').pluck()
  const lastId = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'contacts'").pluck()
  const inContacts = db.prepare<[], number>('SELECT count(*) FROM contacts').pluck().get()!

  const otherReadings = createOtherReadingWrites(db)
  /** Numbers that others added since the file was compared. */
  const foreign = new Map<number, number>()
  tables.watched = foreign
  db.pragma(`cache_size = -${importCacheKib}`)
  let holdingSinceMs: number | null = null
  /** SQL of the dropped indexes, while they are dropped. */
  let dropped: string[] | null = null
  let bulkForMs = bulkHoldMs.least
  let created = 0
  let createdWithoutIndexes = 0
  let isChanged = false
  const insert = db.prepare<
    [ImportRow & Record<'id' | 'tagSet' | 'touched' | 'nowMs', number> & { nameFolded: string }]
  >(`
    INSERT INTO contacts (id, digits, name, name_folded, email, tag_set, marks, note, first_name, last_name, touched, state, import_no, created_ms, updated_ms)
    VALUES (@id, @digits, @name, @nameFolded, @email, @tagSet, @marks, @note, @firstName, @lastName, @touched, ${local}, ${importNo}, @nowMs, @nowMs)`)

  function hold(): void {
    if (holdingSinceMs !== null) return
    db.exec('BEGIN IMMEDIATE')
    holdingSinceMs = clock.monotonic()
  }

  function dropIndexes(): void {
    // Keeps partial indexes: few new contacts are in them.
    const indexes = db
      .prepare<[], { name: string; sql: string }>(
        `SELECT s.name, s.sql FROM pragma_index_list('contacts') i JOIN sqlite_schema s ON s.name = i.name
         WHERE s.sql IS NOT NULL AND NOT i.partial`,
      )
      .all()
    // The freed pages are overwritten shortly.
    db.pragma('secure_delete = FAST')
    for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
    dropped = indexes.map(({ sql }) => sql)
  }

  function asUsual(): void {
    dropped = null
    createdWithoutIndexes = 0
    holdingSinceMs = null
    db.pragma('secure_delete = ON')
  }

  function merge(id: number, row: MergeFields, rowMarks: number, nowMs: number): 'updated' | 'unchanged' {
    const before = tables.stored(id)!
    const fields = { ...before, tagsJson: tagsOf.get(before.tagSet) ?? '{}' }
    const after = mergeRow(fields, row)
    if (isSameContact(after, fields)) return 'unchanged'
    const { name, firstName, lastName, email, note } = after
    const touched = tables.nextTouched()
    const tagSet = tables.tagSetOf(after.tagsJson)
    const isAhead = before.state === onService && !isSameAtService(after, fields)
    const marks = before.marks | rowMarks | (isAhead ? changedHere : 0)
    const changed = { name, firstName, lastName, email, note, tagSet, marks }
    const next: StoredContact = { ...before, ...changed, updatedMs: nowMs, touched }
    tables.put(next, true)
    foreign.delete(next.digits)
    remember.run(importId, id, JSON.stringify(before), touched)
    return 'updated'
  }

  /** The contact of a row; 0 when new. */
  function contactOf(digits: number, id: number): number {
    const other = foreign.get(digits)
    if (other !== undefined && tables.stored(other)?.digits === digits) return other
    return id !== 0 && tables.stored(id)?.digits === digits ? id : 0
  }

  function storeRows({ rows, others, merges, nowMs }: ImportBatch) {
    const firstId = (lastId.get() ?? 0) + 1
    // Taken: numbers that others added since the file was compared.
    const result = { created: 0, updated: 0, unchanged: 0, taken: 0 }
    for (const [digits, other] of others) otherReadings.put(digits, other)
    let nextId = firstId
    for (const row of rows) {
      for (const other of row.others) otherReadings.put(row.digits, other)
      const id = row.id === 0 && foreign.size === 0 ? 0 : contactOf(row.digits, row.id)
      if (id === 0) {
        insert.run({
          ...row,
          id: nextId++,
          nameFolded: fold(row.name),
          tagSet: tables.tagSetOf(row.tagsJson),
          touched: tables.nextTouched(),
          nowMs,
        })
        result.created++
      } else if (merges) result[merge(id, row, row.marks, nowMs)]++
      else result.taken++
    }
    return {
      result,
      firstId: result.created === 0 ? 0 : firstId,
      lastId: result.created === 0 ? 0 : nextId - 1,
    }
  }

  /** Most contacts will be new: one sort costs less than updating indexes per contact. */
  function isBulk({ rowsRead, rowsAhead, fresh }: ImportBatch): boolean {
    // Before the first row only the number of new rows is known.
    const createdNow = created === 0 ? fresh : created
    const expected = (createdNow / Math.max(1, rowsRead)) * rowsAhead
    return expected >= bulkMin && expected >= bulkShare * (inContacts + createdNow)
  }

  return {
    /** True while no one else can write. */
    get isHolding() {
      return holdingSinceMs !== null
    },
    /** Stores rows, with the position in the file. */
    store(batch: ImportBatch): void {
      hold()
      if (!dropped && isBulk(batch)) dropIndexes()
      const { result, ...range } = storeRows(batch)
      created += result.created
      isChanged ||= result.created + result.updated > 0
      if (dropped) createdWithoutIndexes += result.created
      saveImport.run({ ...result, ...range, importId, cursor: batch.cursor })
    },
    /** True when it is time to commit. `isAwaited`: others wait to write. */
    wantsRelease: (isAwaited: boolean) =>
      holdingSinceMs !== null &&
      (createdWithoutIndexes >= bulkMax ||
        clock.monotonic() - holdingSinceMs >= (dropped ? bulkForMs : isAwaited ? holdMs : aloneHoldMs)),
    /** Commits the stretch. True when the log is long and should be moved into the file. */
    release(): boolean {
      if (holdingSinceMs === null) return false
      const wasBulk = dropped !== null
      const indexingSinceMs = clock.monotonic()
      for (const sql of dropped ?? []) db.exec(sql)
      const indexingMs = clock.monotonic() - indexingSinceMs
      if (wasBulk)
        bulkForMs = Math.min(bulkHoldMs.most, Math.max(bulkHoldMs.least, bulkHoldMs.perIndexing * indexingMs))
      if (isChanged) tables.stamp()
      isChanged = false
      // The log is moved into the file later, when no one waits.
      if (wasBulk) db.pragma('wal_autocheckpoint = 0')
      db.exec('COMMIT')
      asUsual()
      return wasBulk
    },
    /** Rolls back the stretch. */
    abort() {
      if (db.inTransaction) db.exec('ROLLBACK')
      tables.reread()
      isChanged = false
      // A failed commit leaves the bulk setting.
      db.pragma(`wal_autocheckpoint = ${schemas.contacts.walAutocheckpointPages}`)
      asUsual()
    },
    /** Call after the last stretch. */
    close() {
      tables.watched = null
      if (db.open) db.pragma(`cache_size = -${usualCacheKib}`)
    },
  }
}

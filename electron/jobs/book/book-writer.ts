import { AppError } from '../../contract/errors.ts'
import { createBookTables, type StoredContact } from './book-tables.ts'
import { type BookDraft, type BookRow, contactStates, marks } from './book-types.ts'
import { createContactSearch } from './contact-search.ts'
import { createImportWriter } from './import-writer.ts'
import type { BookFunctions, BookAnswer } from './protocol.ts'
import type { SearchIndex } from './search-index.ts'
import type { Database } from '../../database/open.ts'
import { openReader } from '../../database/open.ts'

/** The calls of the thread that work on open databases; they throw `AppError`s. */
export type BookWriter = {
  [Name in Exclude<keyof BookFunctions, 'open' | 'close'>]: (
    ...args: Parameters<BookFunctions[Name]>
  ) => Extract<ReturnType<BookFunctions[Name]>, BookAnswer<unknown> & { ok: true }>['value']
}

/** Values of a tag key that are told, the commonest first. */
const tagValuesMax = 20

const notFound = () => new AppError('NOT_FOUND', { what: 'This contact' })

/** Everything that changes the book. One writer per file; each call is one transaction. */
export function createBookWriter(book: Database, searchDb: Database, index: SearchIndex): BookWriter {
  const tables = createBookTables(book)
  const search = createContactSearch(book, searchDb)
  const imports = createImportWriter(tables)
  const addTrash = book.prepare<[number, string, string]>(
    'INSERT INTO trash (contact_id, batch_id, contact_json) VALUES (?, ?, ?)',
  )
  const readTrash = book.prepare<[string], { contactId: number; contactJson: string }>(
    'SELECT contact_id AS contactId, contact_json AS contactJson FROM trash WHERE batch_id = ?',
  )
  const dropTrash = book.prepare<[string]>('DELETE FROM trash WHERE batch_id = ?')
  const setMark = book.prepare<{ bit: number; touched: number; digits: number }>(
    'UPDATE contacts SET marks = marks | @bit, touched = @touched WHERE digits = @digits AND marks & @bit = 0',
  )
  const clearMark = book.prepare<{ bit: number; touched: number; digits: number }>(
    'UPDATE contacts SET marks = marks & ~@bit, touched = @touched WHERE digits = @digits AND marks & @bit <> 0',
  )

  function checkFree(draft: BookDraft, id: number | null): void {
    const other = tables.idOf(draft.digits)
    if (other !== undefined && other !== id)
      throw new AppError('CONTACT_EXISTS', {
        phone: `+${draft.digits}`,
        name: tables.whole(other)?.name ?? '',
      })
  }

  function changed(id: number, nowMs: number, change: (contact: StoredContact) => StoredContact): void {
    const contact = tables.whole(id)
    if (!contact) throw notFound()
    tables.put({ ...change(contact), updatedMs: nowMs, touched: tables.nextTouched() })
  }

  const rowOf = (id: number): BookRow => {
    const row = tables.row(id)
    if (!row) throw notFound()
    return row
  }

  function retag(json: string, set: Record<string, string>, remove: readonly string[]): string {
    const tags = new Map(Object.entries(JSON.parse(json) as Record<string, string>))
    for (const key of remove) tags.delete(key)
    for (const [key, value] of Object.entries(set)) tags.set(key, value)
    // `fromEntries` makes own properties, whatever the names; assigning would not for "__proto__".
    return JSON.stringify(Object.fromEntries(tags))
  }

  return {
    create: (draft, nowMs) =>
      tables.write(
        () => {
          checkFree(draft, null)
          const { digits, name, email } = draft
          const id = tables.insert({
            id: null,
            digits,
            name,
            email,
            tagSet: tables.tagSetOf(draft.tagsJson),
            state: 0,
            marks: 0,
            serviceId: null,
            note: '',
            lastProblem: null,
            importId: null,
            createdMs: nowMs,
            updatedMs: nowMs,
            touched: tables.nextTouched(),
          })
          return rowOf(id)
        },
        () => true,
      ),

    update: (id, draft, nowMs) =>
      tables.write(
        () => {
          checkFree(draft, id)
          changed(id, nowMs, (contact) => ({
            ...contact,
            digits: draft.digits,
            name: draft.name,
            email: draft.email,
            tagSet: tables.tagSetOf(draft.tagsJson),
          }))
          return rowOf(id)
        },
        () => true,
      ),

    setNote: (id, note, nowMs) =>
      tables.write(
        () => {
          changed(id, nowMs, (contact) => ({ ...contact, note }))
          return null
        },
        () => true,
      ),

    tag: ({ selection, set, remove, afterId, limit }, nowMs) =>
      tables.write(
        () => {
          const ids = search.ids(selection, afterId, limit)
          const sets = new Map<number, number>()
          const jsonOf = book.prepare<[number], string>('SELECT json FROM tag_sets WHERE id = ?').pluck()
          const put = book.prepare<[number, number, number, number]>(
            'UPDATE contacts SET tag_set = ?, updated_ms = ?, touched = ? WHERE id = ?',
          )
          const setOf = book.prepare<[number], number>('SELECT tag_set FROM contacts WHERE id = ?').pluck()
          let count = 0
          for (const id of ids) {
            const before = setOf.get(id)!
            let after = sets.get(before)
            if (after === undefined) {
              after = tables.tagSetOf(retag(jsonOf.get(before)!, set, remove))
              sets.set(before, after)
            }
            if (after === before) continue
            put.run(after, nowMs, tables.nextTouched(), id)
            count++
          }
          return { changed: count, nextAfterId: ids.length < limit ? null : ids.at(-1)! }
        },
        ({ changed: count }) => count > 0,
      ),

    trash(ids, batchId) {
      const gone = tables.write(
        () =>
          ids.flatMap((id) => {
            const contact = tables.whole(id)
            if (!contact) return []
            addTrash.run(id, batchId, JSON.stringify(contact))
            tables.remove(id)
            const { digits, name, state, serviceId } = contact
            return [{ contactId: id, digits, name, state, serviceId }]
          }),
        (trashed) => trashed.length > 0,
      )
      index.remove(gone.map(({ contactId }) => contactId))
      return gone
    },

    restore: (batchId) =>
      tables.write(
        () => {
          let restored = 0
          let lost = 0
          for (const { contactJson } of readTrash.all(batchId)) {
            const contact = JSON.parse(contactJson) as StoredContact
            if (tables.idOf(contact.digits) !== undefined) lost++
            else {
              // What it waited for was taken back with it.
              const isWaiting = contact.state === contactStates.indexOf('waiting')
              tables.insert({
                ...contact,
                state: isWaiting ? 0 : contact.state,
                touched: tables.nextTouched(),
              })
              restored++
            }
          }
          dropTrash.run(batchId)
          return { restored, lost }
        },
        ({ restored }) => restored > 0,
      ),

    purge: (batchId) =>
      tables.write(
        () => dropTrash.run(batchId).changes,
        () => false,
      ),

    applyOutbox(effects) {
      const gone: number[] = []
      tables.write(
        () => {
          for (const { contactId, state, serviceId, problem, remove } of effects) {
            const contact = tables.whole(contactId)
            if (!contact) continue
            if (remove) {
              tables.remove(contactId)
              gone.push(contactId)
              continue
            }
            // One whose new record was taken back is still there as it was.
            const isThere = state === 'local' && contact.serviceId !== null && serviceId === undefined
            tables.put({
              ...contact,
              state: contactStates.indexOf(isThere ? 'service' : state),
              serviceId: serviceId === undefined ? contact.serviceId : serviceId,
              lastProblem: problem,
              touched: tables.nextTouched(),
            })
          }
        },
        () => effects.length > 0,
      )
      index.remove(gone)
      return null
    },

    setMarks: ({ mark, add, remove }) =>
      tables.write(
        () => {
          let count = 0
          for (const digits of add)
            count += setMark.run({ bit: marks[mark], touched: tables.nextTouched(), digits }).changes
          for (const digits of remove)
            count += clearMark.run({ bit: marks[mark], touched: tables.nextTouched(), digits }).changes
          return count
        },
        (count) => count > 0,
      ),

    replaceMarks(mark, { file, sql }) {
      const other = openReader(file)
      try {
        const wanted = new Set(other.db.prepare<[], number>(sql).pluck().all())
        const bit = marks[mark]
        const marked = book
          .prepare<[number], number>('SELECT digits FROM contacts WHERE marks <> 0 AND marks & ? <> 0')
          .pluck()
          .all(bit)
        const known = new Set(marked)
        return tables.write(
          () => {
            let count = 0
            for (const digits of marked)
              if (!wanted.has(digits))
                count += clearMark.run({ bit, touched: tables.nextTouched(), digits }).changes
            for (const digits of wanted)
              if (!known.has(digits))
                count += setMark.run({ bit, touched: tables.nextTouched(), digits }).changes
            return count
          },
          (count) => count > 0,
        )
      } finally {
        other.close()
      }
    },

    importRows: imports.store,
    undoImport: imports.undo,

    figures() {
      const byState = book
        .prepare<[], { state: number; n: number }>(
          'SELECT state, count(*) AS n FROM contacts WHERE state <> 0 GROUP BY state',
        )
        .all()
      const count = (where: string) =>
        book.prepare<[], number>(`SELECT count(*) FROM contacts WHERE ${where}`).pluck().get()!
      return {
        total: count('1'),
        byState: Object.fromEntries(byState.map(({ state, n }) => [state, n])),
        dnc: count(`marks <> 0 AND marks & ${marks.dnc} <> 0`),
        held: count(`marks <> 0 AND marks & ${marks.held} <> 0`),
      }
    },

    count: (filter) => search.count(filter),

    tagKeys() {
      const keys = new Map<string, { count: number; values: Map<string, number> }>()
      const sets = book
        .prepare<[], { json: string; n: number }>(
          `SELECT t.json, u.n FROM (SELECT tag_set, count(*) AS n FROM contacts GROUP BY tag_set) u
           JOIN tag_sets t ON t.id = u.tag_set`,
        )
        .iterate()
      for (const { json, n } of sets) {
        for (const [key, value] of Object.entries(JSON.parse(json) as Record<string, string>)) {
          const known = keys.get(key) ?? { count: 0, values: new Map<string, number>() }
          known.count += n
          if (known.values.size < 1_000 || known.values.has(value))
            known.values.set(value, (known.values.get(value) ?? 0) + n)
          keys.set(key, known)
        }
      }
      return [...keys]
        .map(([key, { count, values }]) => ({
          key,
          count,
          values: [...values]
            .sort((a, b) => b[1] - a[1])
            .slice(0, tagValuesMax)
            .map(([value]) => value),
        }))
        .sort((a, b) => b.count - a.count)
        .slice(0, 500)
    },

    anchors(sort, every) {
      const keys = {
        name: 'name COLLATE NOCASE, id',
        phone: 'digits',
        updated: 'updated_ms, id',
        created: 'id',
      }
      const found: { key: string | number; id: number }[] = []
      let at = 0
      const column = { name: 'name', phone: 'digits', updated: 'updated_ms', created: 'id' }[sort.by]
      const rows = book
        .prepare<[], { id: number; key: string | number }>(
          `SELECT id, ${column} AS key FROM contacts ORDER BY ${keys[sort.by]
            .split(', ')
            .map((part) => `${part} ${sort.descending ? 'DESC' : 'ASC'}`)
            .join(', ')}`,
        )
        .iterate()
      for (const { id, key } of rows) if (at++ % every === 0) found.push({ key, id })
      return found
    },
  }
}

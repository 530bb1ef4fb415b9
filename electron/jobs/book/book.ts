import { AppError, isAppError } from '../../contract/errors.ts'
import { mapSqliteError } from '../../database/errors.ts'
import { type OpenedDatabase, openDatabase } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { basename } from 'node:path'
import { type BookWriter, createBookWriter } from './book-writer.ts'
import type { BookAnswer, BookEvents, BookFunctions } from './protocol.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'

/** Pages are told of a changed book at most this often. */
const tellEveryMs = 50

interface Open {
  book: OpenedDatabase
  search: OpenedDatabase
  writer: BookWriter
  index: SearchIndex
}

/** The book: its two databases and everything that writes them. Refusals are answered, not thrown. */
export function createBook(parts: {
  clock: Clock
  log: Log
  events: Pick<BookEvents, 'changed'>
}): BookFunctions {
  const { clock, log } = parts
  let open: Open | null = null
  let telling = false
  let indexing = false

  const versionOf = ({ book }: Open) =>
    book.db.prepare<[], number>('SELECT version FROM book').pluck().get() ?? 0

  /** The next calls are taken between two pieces of the index, so that none waits for all of it. */
  function catchUp(): void {
    if (indexing) return
    indexing = true
    const step = () => {
      if (!open) return void (indexing = false)
      let more = false
      try {
        more = open.index.step()
      } catch (error) {
        log.error('Contacts could not be brought into the search index', { error })
      }
      if (more) setImmediate(step)
      else indexing = false
    }
    setImmediate(step)
  }

  function tell(): void {
    if (telling) return
    telling = true
    clock.after(tellEveryMs, () => {
      telling = false
      if (open) parts.events.changed(versionOf(open))
    })
  }

  function answer<T>(work: (writer: BookWriter) => T, writes = true): BookAnswer<T> {
    try {
      if (!open) throw new AppError('BOOK_FAILED', { detail: 'it is not open' })
      const value = work(open.writer)
      if (writes) {
        catchUp()
        tell()
      }
      return { ok: true, value }
    } catch (error) {
      const known = isAppError(error) ? error : mapSqliteError(error, { file: 'book.db' })
      if (!isAppError(error)) log.error('The book refused', { error })
      return { ok: false, code: known.code, data: known.data }
    }
  }

  const openOne = (file: string, schema: 'book' | 'search') =>
    openDatabase({ file, schema, log, now: clock.now, clock })

  return {
    open({ bookFile, searchFile }) {
      try {
        const book = openOne(bookFile, 'book')
        const search = openOne(searchFile, 'search')
        const damage = [book, search].flatMap(({ file, setAside }) =>
          setAside ? [{ file: basename(file), asideFile: setAside.asideFile, lost: setAside.lost }] : [],
        )
        // The small change log of the index cannot tell about rows that a salvage lost.
        if (book.setAside) search.db.exec(`DELETE FROM contacts; UPDATE progress SET touched = 0`)
        const index = createSearchIndex(book.db, search.db)
        open = { book, search, index, writer: createBookWriter(book.db, search.db, index) }
        catchUp()
        return { ok: true, value: { version: versionOf(open), damage } }
      } catch (error) {
        const known = isAppError(error) ? error : mapSqliteError(error, { file: bookFile })
        return { ok: false, code: known.code, data: known.data }
      }
    },
    create: (...args) => answer((writer) => writer.create(...args)),
    update: (...args) => answer((writer) => writer.update(...args)),
    setNote: (...args) => answer((writer) => writer.setNote(...args)),
    tag: (...args) => answer((writer) => writer.tag(...args)),
    trash: (...args) => answer((writer) => writer.trash(...args)),
    restore: (...args) => answer((writer) => writer.restore(...args)),
    purge: (...args) => answer((writer) => writer.purge(...args)),
    applyOutbox: (...args) => answer((writer) => writer.applyOutbox(...args)),
    setMarks: (...args) => answer((writer) => writer.setMarks(...args)),
    replaceMarks: (...args) => answer((writer) => writer.replaceMarks(...args)),
    importRows: (...args) => answer((writer) => writer.importRows(...args)),
    undoImport: (...args) => answer((writer) => writer.undoImport(...args)),
    figures: () => answer((writer) => writer.figures(), false),
    count: (filter) => answer((writer) => writer.count(filter), false),
    tagKeys: () => answer((writer) => writer.tagKeys(), false),
    anchors: (...args) => answer((writer) => writer.anchors(...args), false),
    close() {
      const closing = open
      open = null
      closing?.search.close()
      closing?.book.close()
    },
  }
}

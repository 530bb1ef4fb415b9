import { AppError, isAppError } from '../../contract/errors.ts'
import { mapSqliteError } from '../../database/errors.ts'
import { type OpenedDatabase, openDatabase, openReader } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { changesKept } from './book-order.ts'
import { type BookTables, createBookTables } from './book-tables.ts'
import { type BookWriter, createBookWriter } from './book-writer.ts'
import { createImportSession, importCursor, type ImportSession } from './import-session.ts'
import { damageOf } from './opening.ts'
import type { PackedRows } from './packed-rows.ts'
import type { BookAnswer, BookEvents, BookFunctions, ImportFunctions, SearchFeed } from './protocol.ts'

/** Pages are told of a changed book at most this often. */
const tellEveryMs = 50
/** Changes that the index has seen are forgotten in lots of so many. */
const forgetEvery = 1_000
/** Rows of an import that the index may be behind: kept in memory meanwhile. */
const behindMax = 400_000

interface Open {
  book: OpenedDatabase
  closeSearch: () => void
  tables: BookTables
  writer: BookWriter
}

/** The index's side, as birpc calls it. */
export type Feed = { [Name in keyof SearchFeed]: (...args: Parameters<SearchFeed[Name]>) => Promise<void> }

/** What the thread serves; a write waits while an import holds the book. */
export interface Book {
  functions: {
    [Name in keyof BookFunctions]: (
      ...args: Parameters<BookFunctions[Name]>
    ) => ReturnType<BookFunctions[Name]> | Promise<ReturnType<BookFunctions[Name]>>
  }
  /** The functions for one import, and what is to be done when its job is gone. */
  serveImport(): { functions: ImportFunctions; gone(): void }
  /** The index has seen all changes up to here. */
  indexed(touched: number): void
}

/** The book: its database and everything that writes it. Refusals are answered, not thrown. */
export function createBook(parts: {
  clock: Clock
  log: Log
  events: Pick<BookEvents, 'changed'>
  feed: () => Feed | null
}): Book {
  const { clock, log } = parts
  let open: Open | null = null
  let telling = false
  let forgotten = 0
  let session: ImportSession | null = null
  let released: PromiseWithResolvers<undefined> | null = null
  let ended: PromiseWithResolvers<undefined> | null = null

  const versionOf = ({ book }: Open) =>
    book.db.prepare<[], number>('SELECT version FROM book').pluck().get() ?? 0

  function tell(): void {
    if (telling) return
    telling = true
    clock.after(tellEveryMs, () => {
      telling = false
      if (open) parts.events.changed(versionOf(open))
    })
  }

  function wrote(): void {
    void parts.feed()?.catchUp()
    tell()
  }

  function refusal(error: unknown): BookAnswer<never> {
    const known = isAppError(error) ? error : mapSqliteError(error, { file: 'book.db' })
    if (!isAppError(error)) log.error('The book refused', { error })
    return { ok: false, code: known.code, data: known.data }
  }

  function attempt<T>(work: (opened: Open) => T): BookAnswer<T> {
    try {
      if (!open) throw new AppError('BOOK_FAILED', { detail: 'it is not open' })
      return { ok: true, value: work(open) }
    } catch (error) {
      return refusal(error)
    }
  }

  /** Waits until nobody holds the book. */
  async function turn(): Promise<void> {
    while (session?.isHolding) {
      released ??= Promise.withResolvers<undefined>()
      await released.promise
    }
  }

  function letOthersIn(): void {
    released?.resolve(undefined)
    released = null
  }

  async function write<T>(work: (writer: BookWriter) => T): Promise<BookAnswer<T>> {
    await turn()
    const answer = attempt(({ writer }) => work(writer))
    if (answer.ok) wrote()
    return answer
  }

  /** Puts a long log into the file when nothing else waits. */
  function checkpoint({ book }: Open): void {
    setImmediate(() => {
      if (!book.db.open) return
      book.db.pragma('wal_checkpoint(PASSIVE)')
      book.db.pragma('wal_autocheckpoint = 10000')
    })
  }

  function release(): void {
    if (!session || !open) return
    try {
      if (session.release()) checkpoint(open)
    } catch (error) {
      session.abort()
      throw error
    } finally {
      tell()
      letOthersIn()
    }
  }

  function serveImport(): { functions: ImportFunctions; gone(): void } {
    let mine: ImportSession | null = null
    /** Rows that the index has not taken yet. */
    let behind = 0
    const underWay = new Set<Promise<void>>()
    let isFed = false
    let lost: unknown = null
    let isGone = false

    function indexRows(firstId: number, rows: PackedRows): void {
      const feed = parts.feed()
      if (!feed) return
      if (!isFed) feed.beginRows().catch((error: unknown) => (lost ??= error))
      isFed = true
      behind += rows.count
      const taking = feed
        .addRows(firstId, rows)
        // The index finds what it missed in the book.
        .catch((error: unknown) => (lost ??= error))
        .then(() => {
          behind -= rows.count
          underWay.delete(taking)
        })
      underWay.add(taking)
    }

    async function settle(committed: boolean): Promise<void> {
      if (isFed) await parts.feed()?.settle(committed && lost === null)
      isFed = false
      lost = null
      if (committed) wrote()
    }

    async function end(): Promise<void> {
      if (!mine) return
      const over = mine
      mine = null
      try {
        release()
        await settle(true)
      } finally {
        over.close()
        if (session === over) session = null
        ended?.resolve(undefined)
        ended = null
        letOthersIn()
      }
    }

    return {
      functions: {
        async openImport(importId) {
          while (session && !isGone) {
            ended ??= Promise.withResolvers()
            await ended.promise
          }
          return attempt(({ tables }) => {
            if (isGone) throw new AppError('BOOK_FAILED', { detail: 'the import that waited for it is gone' })
            const cursor = importCursor(tables, importId) ?? ''
            session = mine = createImportSession(tables, importId)
            return cursor
          })
        },
        async importRows(batch) {
          if (!mine) return refusal(new AppError('BOOK_FAILED', { detail: 'the import is not open' }))
          const writing = mine
          const answer = attempt(() => {
            try {
              const { firstId, ...stored } = writing.store(batch)
              if (stored.created > 0) indexRows(firstId, batch.rows)
              if (writing.wantsRelease()) release()
              return stored
            } catch (error) {
              writing.abort()
              letOthersIn()
              void settle(false)
              throw error
            }
          })
          while (behind > behindMax) await Promise.race(underWay)
          return answer
        },
        releaseImport() {
          return attempt(() => {
            release()
            return null
          })
        },
        async closeImport() {
          try {
            await end()
            return { ok: true, value: null }
          } catch (error) {
            return refusal(error)
          }
        },
      },
      gone() {
        isGone = true
        end().catch((error: unknown) => log.error('An import that broke off could not be ended', { error }))
      },
    }
  }

  return {
    functions: {
      open({ bookFile, searchFile }) {
        try {
          const book = openDatabase({ file: bookFile, schema: 'book', log, now: clock.now, clock })
          const tables = createBookTables(book.db)
          // The index is opened after the book, by its own thread.
          let search: ReturnType<typeof openReader> | null = null
          const writer = createBookWriter(tables, () => (search ??= openReader(searchFile)).db)
          open = { book, tables, writer, closeSearch: () => search?.close() }
          return { ok: true, value: { version: versionOf(open), damage: damageOf(book) } }
        } catch (error) {
          const known = isAppError(error) ? error : mapSqliteError(error, { file: bookFile })
          return { ok: false, code: known.code, data: known.data }
        }
      },
      create: (...args) => write((writer) => writer.create(...args)),
      update: (...args) => write((writer) => writer.update(...args)),
      setNote: (...args) => write((writer) => writer.setNote(...args)),
      tag: (...args) => write((writer) => writer.tag(...args)),
      trash: (...args) => write((writer) => writer.trash(...args)),
      restore: (...args) => write((writer) => writer.restore(...args)),
      purge: (...args) => write((writer) => writer.purge(...args)),
      applyOutbox: (...args) => write((writer) => writer.applyOutbox(...args)),
      setMarks: (...args) => write((writer) => writer.setMarks(...args)),
      replaceMarks: (...args) => write((writer) => writer.replaceMarks(...args)),
      undoImport: (...args) => write((writer) => writer.undoImport(...args)),
      close() {
        release()
        const closing = open
        open = null
        closing?.closeSearch()
        closing?.book.close()
      },
    },
    serveImport,
    indexed(touched) {
      if (!open || session || touched - forgotten < forgetEvery) return
      forgotten = touched
      attempt(({ tables }) =>
        tables.write(
          () => tables.forgetChanges(touched - changesKept),
          () => false,
        ),
      )
    },
  }
}

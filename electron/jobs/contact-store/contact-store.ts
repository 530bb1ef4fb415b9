import { setImmediate as nextTurn } from 'node:timers/promises'
import { basename } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { type OpenedDatabase, openDatabase, openReader } from '../../database/open.ts'
import { schemas } from '../../database/schemas.ts'
import { createLogTruncation, truncateLog } from '../../database/truncate-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { changesKept } from './contact-order.ts'
import { type ContactTables, createContactTables } from './contact-tables.ts'
import { createOtherReadingWrites } from './other-readings.ts'
import { type ContactWriter, createContactWriter } from './contact-writer.ts'
import { createImportSession, importCursor, type ImportSession } from './import-session.ts'
import {
  damageOf,
  type StoreEvents,
  type StoreFunctions,
  type ImportFunctions,
  type SearchFeed,
} from './protocol.ts'
import type { Remote, Served } from '../../threads/calls.ts'

/** Shortest time between change events to pages. */
const tellEveryMs = 50
/** Changes read by the index are dropped in batches of this size. */
const forgetEvery = 1_000
/** How often former tags are deleted, milliseconds. */
const forgetTagsEveryMs = 60_000
/** Unused tag sets are deleted hourly, and after former tags were. */
const purgeEveryMs = 3_600_000
/** The running import. */
interface Writing {
  session: ImportSession
  /** Rolls back and ends the session; its later rows are refused. */
  breakOff(error: unknown): void
}

interface Open {
  opened: OpenedDatabase
  closeSearch: () => void
  stopCleaning: () => void
  tables: ContactTables
  writer: ContactWriter
}

/** Calls of the thread; writes wait while an import holds the store. */
export interface ContactStore {
  functions: Served<StoreFunctions>
  /** Functions for one import, and the cleanup when its job ends. */
  serveImport(): { functions: Served<ImportFunctions>; gone(): void }
  /** The index has read all changes up to here. */
  indexed(touched: number): void
}

/** The contact store's database and all writes. */
export function createContactStore(parts: {
  clock: Clock
  log: Log
  events: Pick<StoreEvents, 'changed' | 'damaged'>
  feed: () => Remote<SearchFeed> | null
}): ContactStore {
  const { clock, log } = parts
  let open: Open | null = null
  let telling = false
  let forgotten = 0
  let writing: Writing | null = null
  let released: PromiseWithResolvers<undefined> | null = null
  let ended: PromiseWithResolvers<undefined> | null = null
  const truncation = createLogTruncation(clock, () => {
    if (!open) return true
    const { db } = open.opened
    return attempt(() => truncateLog(db)) ?? false
  })

  function tell(): void {
    if (telling) return
    telling = true
    clock.after(tellEveryMs, () => {
      telling = false
      if (open) parts.events.changed(open.tables.version())
    })
  }

  function wrote(): void {
    void parts.feed()?.catchUp()
    tell()
    truncation.soon()
  }

  function whileOpen(): Open {
    if (!open) throw new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.notOpen' } })
    return open
  }

  /** For work that nobody waits for: a failure is logged. */
  function attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      log.error('The contact store failed', { error })
      return undefined
    }
  }

  /** Waits until no import holds the store. */
  async function turn(): Promise<void> {
    while (writing?.session.isHolding) {
      if (writing.session.wantsRelease(true)) attempt(release)
      if (!writing?.session.isHolding) return
      released ??= Promise.withResolvers<undefined>()
      await released.promise
    }
  }

  function letOthersIn(): void {
    released?.resolve(undefined)
    released = null
  }

  async function write<T>(work: (writer: ContactWriter) => T): Promise<T> {
    await turn()
    const value = work(whileOpen().writer)
    wrote()
    return value
  }

  /** Moves a long log into the file when idle; during an import its next commit does. */
  function checkpoint(): void {
    setImmediate(() => {
      attempt(() => {
        const { db } = whileOpen().opened
        db.pragma(`wal_autocheckpoint = ${schemas.contacts.walAutocheckpointPages}`)
        if (!db.inTransaction) db.pragma('wal_checkpoint(PASSIVE)')
      })
    })
  }

  function release(): void {
    if (!writing || !open) return
    try {
      if (writing.session.release()) checkpoint()
      void parts.feed()?.catchUp()
    } catch (error) {
      writing.breakOff(error)
      throw error
    } finally {
      tell()
      letOthersIn()
    }
  }

  function serveImport(): ReturnType<ContactStore['serveImport']> {
    type Served =
      | { is: 'closed' }
      | { is: 'open'; writing: Writing }
      /** Refuses all calls after a failure: rows after the rolled-back ones would leave a gap. */
      | { is: 'broken'; error: unknown }
    let served: Served = { is: 'closed' }
    let isGone = false

    /** Lets the next import start. */
    function leave(over: Writing): void {
      over.session.close()
      if (writing === over) writing = null
      ended?.resolve(undefined)
      ended = null
      letOthersIn()
    }

    function breakOff(error: unknown): void {
      if (served.is !== 'open') return
      const over = served.writing
      served = { is: 'broken', error }
      try {
        over.session.abort()
      } finally {
        leave(over)
      }
    }

    function end(): void {
      if (served.is !== 'open') return
      const over = served.writing
      // A failed commit breaks the import off.
      release()
      served = { is: 'closed' }
      leave(over)
      wrote()
    }

    /** Runs `work` on the open import. */
    function during<T>(work: (session: ImportSession) => T): T {
      if (served.is === 'broken') throw served.error
      whileOpen()
      if (served.is === 'closed')
        throw new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.importNotOpen' } })
      return work(served.writing.session)
    }

    return {
      functions: {
        async openImport(importId) {
          while (writing && !isGone) {
            ended ??= Promise.withResolvers()
            await ended.promise
          }
          const { tables } = whileOpen()
          if (isGone) throw new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.importGone' } })
          const cursor = importCursor(tables, importId) ?? ''
          writing = { session: createImportSession(tables, importId, clock), breakOff }
          served = { is: 'open', writing }
          return cursor
        },
        async importRows(batch) {
          // The job is sending the next batches. Without a turn of the event loop, other calls would wait for all of them.
          await nextTurn()
          return during((session) => {
            try {
              session.store(batch)
              if (session.wantsRelease(released !== null)) release()
            } catch (error) {
              breakOff(error)
              throw error
            }
          })
        },
        async releaseImport() {
          during(release)
        },
        async closeImport() {
          end()
          // Every row is stored, and the index catches up automatically.
          await parts
            .feed()
            ?.complete()
            .catch((error) => log.error('Could not complete the search index', { error }))
          // Rows without a contact may have brought some.
          createOtherReadingWrites(whileOpen().opened.db).dropUnused()
        },
      },
      gone() {
        isGone = true
        attempt(end)
      },
    }
  }

  /** Deletes former tags after their undo window, in steps, and unused tag sets; not during an import. */
  function cleanTags({ opened, tables, writer }: Pick<Open, 'opened' | 'tables' | 'writer'>): () => void {
    let purgeDueMs = 0
    function step(): boolean {
      if (writer.forgetTags(clock.now()) > 0) {
        purgeDueMs = 0
        return true
      }
      if (clock.monotonic() >= purgeDueMs) {
        tables.dropUnusedSets()
        truncation.soon()
        purgeDueMs = clock.monotonic() + purgeEveryMs
      }
      return false
    }
    function run(): void {
      if (!opened.db.open || writing) return
      if (attempt(step)) setImmediate(run)
    }
    return clock.every(forgetTagsEveryMs, run)
  }

  return {
    functions: {
      open({ contactsFile, searchFile }) {
        const opened = openDatabase({
          file: contactsFile,
          schema: 'contacts',
          log,
          now: clock.now,
          clock,
          onDamage: (problems) => parts.events.damaged(basename(contactsFile), problems),
        })
        const tables = createContactTables(opened.db)
        // Opened later: the index's own thread creates it after the store.
        let search: ReturnType<typeof openReader> | null = null
        createOtherReadingWrites(opened.db).dropUnused()
        const writer = createContactWriter(tables, () => (search ??= openReader(searchFile)).db)
        const stopCleaning = cleanTags({ opened, tables, writer })
        open = { opened, tables, writer, stopCleaning, closeSearch: () => search?.close() }
        forgotten = 0
        return { version: tables.version(), damage: damageOf(opened) }
      },
      create: (...args) => write((writer) => writer.create(...args)),
      update: (...args) => write((writer) => writer.update(...args)),
      setNote: (...args) => write((writer) => writer.setNote(...args)),
      tag: (...args) => write((writer) => writer.tag(...args)),
      tagBatch: (...args) => whileOpen().writer.tagBatch(...args),
      undoTags: (...args) => write((writer) => writer.undoTags(...args)),
      trash: (...args) => write((writer) => writer.trash(...args)),
      restore: (...args) => write((writer) => writer.restore(...args)),
      personTraces: (...args) => whileOpen().writer.personTraces(...args),
      erasePerson: (...args) => write((writer) => writer.erasePerson(...args)),
      truncateLog: () => truncateLog(whileOpen().opened.db),
      purge: (...args) => write((writer) => writer.purge(...args)),
      applyOutbox: (...args) => write((writer) => writer.applyOutbox(...args)),
      setMarks: (...args) => write((writer) => writer.setMarks(...args)),
      replaceMarks: (...args) => write((writer) => writer.replaceMarks(...args)),
      async undoProgress(importId) {
        await turn()
        return whileOpen().writer.undoProgress(importId)
      },
      undoImport: (...args) => write((writer) => writer.undoImport(...args)),
      close() {
        // A failed commit is rolled back; the import reads those rows again.
        attempt(release)
        const closing = open
        open = null
        truncation.stop()
        closing?.stopCleaning()
        closing?.closeSearch()
        closing?.opened.close()
      },
    },
    serveImport,
    indexed(touched) {
      if (!open || writing || touched - forgotten < forgetEvery) return
      forgotten = touched
      const { tables } = open
      attempt(() =>
        tables.write(
          () => tables.forgetChanges(touched - changesKept),
          () => false,
        ),
      )
    },
  }
}

import Sqlite from 'better-sqlite3'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { AppError, isAppError } from '../contract/errors.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { checkAtStart } from './check.ts'
import { isDamage, mapSqliteError } from './errors.ts'
import {
  dropReplacement,
  finishReplacement,
  prepareFile,
  prepareFolder,
  putReplacement,
  replacementFile,
  setFileAside,
} from './files.ts'
import { clearDamageMark, isMarkedDamaged, scheduleFullCheck } from './full-check.ts'
import { migrate, newestVersion, schemaVersion } from './migrate.ts'
import { applyPragmas, applyReaderPragmas } from './pragmas.ts'
import { damagedVersion, salvageInto, type SalvagedTable } from './salvage.ts'
import { salvageSentence } from './salvage-words.ts'
import { type Schema, type SchemaName, schemas } from './schemas.ts'
import { emptyWitness, readWitness, writeWitness } from './witness.ts'

/** An open connection of better-sqlite3. */
export type Database = Sqlite.Database

/** What happened to a database that could not be used as it was found. */
export interface SetAside {
  /** Where the damaged file went, or null when there was none left (deleted or emptied by someone). */
  asideFile: string | null
  /** One sentence for the operator: what was carried over and what was lost. */
  lost: string
  /** SQLite's words on the damage, for the log. */
  problems: string[]
}

export interface OpenedDatabase {
  db: Database
  /** Absolute path. */
  file: string
  /** Present when a new file had to take the place of the one expected. */
  setAside?: SetAside
  /** Per table what was read out of the damaged file. */
  salvage?: SalvagedTable[]
  /** Optimizes, moves the log into the file and closes. Safe to call twice. */
  close(): void
}

export interface OpenOptions {
  /** The file. Its folder's parent must exist. */
  file: string
  schema: SchemaName
  log: Log
  /** Milliseconds since the Unix epoch, for the name of a file set aside. */
  now?: () => number
  /** For the full check of a large file, a while after the opening. */
  clock?: Pick<Clock, 'after'>
  /** Called when that check found damage, with SQLite's words. The next opening sets the file aside. */
  onDamage?: (problems: string[]) => void
  /** Files up to this size are checked whole at the opening. */
  wholeCheckLimitBytes?: number
}

/** Offset and width of `user_version` in the file header (sqlite.org/fileformat2.html §1.3). */
const userVersionOffset = 60

/**
 * The schema version of a file nobody has opened yet, found without writing to it; 0 when it cannot be told.
 * Opening a database for writing and closing it again would already move its log into it.
 */
function versionUntouched(file: string): number {
  if (existsSync(`${file}-wal`)) {
    const db = new Sqlite(file, { readonly: true, timeout: 2000 })
    try {
      return schemaVersion(db)
    } catch (error) {
      if (isDamage(error)) return 0
      throw error
    } finally {
      db.close()
    }
  }
  // Without a log no connection of this process is open, so no lock is lost when the descriptor closes.
  const fd = openSync(file, 'r')
  try {
    const header = Buffer.alloc(100)
    const read = readSync(fd, header, 0, 100, 0)
    const isDatabase = read === 100 && header.toString('latin1', 0, 16) === 'SQLite format 3\0'
    return isDatabase ? header.readUInt32BE(userVersionOffset) : 0
  } finally {
    closeSync(fd)
  }
}

function refuseFuture(file: string, known: number): void {
  const found = versionUntouched(file)
  if (found > known) throw new AppError('STORAGE_FROM_FUTURE', { file: basename(file), found, known })
}

/** At a start the database may be held for a moment by the process before; nobody waits for this thread yet. */
const openingTimeoutMs = 2_000

function openWriter(file: string, schema: Schema): Database {
  const db = new Sqlite(file, { timeout: openingTimeoutMs })
  try {
    applyPragmas(db, { ...schema, busyTimeoutMs: openingTimeoutMs })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens and checks. Answers with the problems instead of a database when the file is damaged. */
function openChecked(
  file: string,
  schema: Schema,
  limitBytes: number | undefined,
): { db: Database; whole: boolean } | { problems: string[] } {
  let db: Database | undefined
  try {
    db = openWriter(file, schema)
    const check = checkAtStart(db, isMarkedDamaged(file) ? Infinity : limitBytes)
    if (check.problems.length === 0) {
      migrate(db, schema.migrations)
      return { db, whole: check.whole }
    }
    db.close()
    return { problems: check.problems }
  } catch (error) {
    db?.close()
    if (!isDamage(error)) throw error
    return { problems: [(error as Error).message] }
  }
}

interface Usable {
  db: Database
  /** Whether every page of it was checked or is new. */
  whole: boolean
  setAside?: SetAside
  salvage?: SalvagedTable[]
}

/** Fills `db`, new and empty, with what can be read of the damaged `file` when the schema wants that. */
function fillFromDamaged(db: Database, file: string, schema: Schema): SalvagedTable[] | undefined {
  if (schema.whenDamaged === 'rebuild') {
    migrate(db, schema.migrations)
    return undefined
  }
  const newest = newestVersion(schema.migrations)
  const version = Math.min(damagedVersion(file) || newest, newest)
  migrate(db, schema.migrations, version)
  const salvage = salvageInto(db, file)
  migrate(db, schema.migrations)
  return salvage
}

/**
 * Puts a new database in the place of a damaged one, which is set aside. The new one is filled beside it and takes its place
 * when it is complete: a start that is killed or fails halfway leaves the damaged file for the next start.
 */
function replaceDamaged(file: string, schema: Schema, problems: string[], nowMs: number): Usable {
  const fresh = replacementFile(file)
  let salvage: SalvagedTable[] | undefined
  try {
    dropReplacement(file)
    prepareFile(fresh)
    const db = openWriter(fresh, schema)
    try {
      salvage = fillFromDamaged(db, file, schema)
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch (error) {
    dropReplacement(file)
    throw error
  }
  const asideFile = putReplacement(file, nowMs)
  const db = openWriter(file, schema)
  const lost = salvage
    ? [salvageSentence(salvage), schema.afterSalvage].filter(Boolean).join(' ')
    : 'It held only copies of what the service has; they are fetched again.'
  return { db, whole: true, setAside: { asideFile, lost, problems }, ...(salvage ? { salvage } : {}) }
}

/** A replacement that an earlier start was killed in before it took its place. */
function finishEarlier(file: string): SetAside | undefined {
  const asideFile = finishReplacement(file)
  return asideFile === undefined
    ? undefined
    : {
        asideFile,
        lost: 'What could be read was carried over at an earlier start, which was broken off.',
        problems: ['replacement of a damaged file was broken off'],
      }
}

/** A log without its database is kept too: SQLite would delete it when it opens the empty file. */
function setEmptiedAside(file: string, nowMs: number): SetAside {
  const hasLog = existsSync(`${file}-wal`)
  const asideFile = hasLog ? setFileAside(file, nowMs) : null
  if (hasLog) prepareFile(file)
  return {
    asideFile,
    lost: 'The file was gone or empty, so everything in it is lost.',
    problems: ['file missing or empty'],
  }
}

/**
 * Opens one of our databases for writing: folder 0700, file 0600, pragmas set and read back, checked, migrated.
 * A damaged file is set aside (never deleted) and replaced, with its readable rows except for the cache.
 *
 * Throws `STORAGE_MISSING`, `STORAGE_READ_ONLY`, `STORAGE_FROM_FUTURE` (the file is left untouched), `STORAGE_BUSY`,
 * `DISK_FULL`, else `STORAGE_FAILED`.
 */
export function openDatabase(options: OpenOptions): OpenedDatabase {
  const file = resolve(options.file)
  const schema = schemas[options.schema]
  const { log } = options
  const nowMs = (options.now ?? Date.now)()
  let result: Usable | undefined
  try {
    prepareFolder(file)
    const finished = finishEarlier(file)
    const witness = schema.whenDamaged === 'salvage' ? readWitness(file) : null
    const emptied = witness !== null && !(statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    prepareFile(file)
    refuseFuture(file, newestVersion(schema.migrations))
    const emptiedAside = emptied ? setEmptiedAside(file, nowMs) : undefined
    const opened = openChecked(file, schema, options.wholeCheckLimitBytes)
    result = 'db' in opened ? opened : replaceDamaged(file, schema, opened.problems, nowMs)
    const setAside = result.setAside ?? finished ?? emptiedAside
    if (setAside) log.error('Damaged database set aside', { file: basename(file), ...setAside })
    if (witness === null && schema.whenDamaged === 'salvage') writeWitness(file, emptyWitness)
    const { db } = result
    db.pragma(`busy_timeout = ${schema.busyTimeoutMs}`)
    if (result.whole) clearDamageMark(file)
    const cancelCheck = result.whole ? () => {} : checkLater(file, options)
    return {
      db,
      file,
      ...(setAside ? { setAside } : {}),
      ...(result.salvage ? { salvage: result.salvage } : {}),
      close() {
        cancelCheck()
        closeWriter(db, log)
      },
    }
  } catch (error) {
    result?.db.close()
    throw isAppError(error) ? error : mapSqliteError(error, { file })
  }
}

function checkLater(
  file: string,
  { log, clock = systemClock, onDamage = () => {} }: OpenOptions,
): () => void {
  log.info('Large database checked in part', { file: basename(file) })
  return scheduleFullCheck({ file, clock, log, onDamage })
}

/** Closing must always succeed: what it does besides is upkeep. */
function closeWriter(db: Database, log: Log): void {
  if (!db.open) return
  try {
    db.pragma('optimize')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    log.warn('Upkeep at close failed', { file: basename(db.name), error })
  }
  db.close()
}

/** Opens a file of SQLite for `use` alone, as it is: no pragmas, no migrations. */
export function withDatabaseFile<T>(file: string, use: (db: Database) => T): T {
  const db = new Sqlite(file)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Opens a second connection that can only read, for the projector and the like. The file must exist. */
export function openReader(
  file: string,
  options: { busyTimeoutMs?: number; cacheMiB?: number } = {},
): { db: Database; close(): void } {
  try {
    const db = new Sqlite(resolve(file), { readonly: true, fileMustExist: true })
    applyReaderPragmas(db, options.busyTimeoutMs ?? 2000)
    if (options.cacheMiB !== undefined) db.pragma(`cache_size = ${-1024 * options.cacheMiB}`)
    return {
      db,
      close: () => {
        if (db.open) db.close()
      },
    }
  } catch (error) {
    throw mapSqliteError(error, { file })
  }
}

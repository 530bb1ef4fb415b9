import type { Phrase } from '../contract/phrases.ts'
import Sqlite from 'better-sqlite3'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { AppError, isAppError } from '../contract/errors.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { checkAtStart } from './check.ts'
import { isDamage, mapSqliteError, unlessDamaged } from './errors.ts'
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
import { salvagePhrase } from './salvage-words.ts'
import { type Schema, type SchemaName, schemas } from './schemas.ts'
import { addFold } from './text-functions.ts'
import { emptyWitness, readWitness, writeWitness } from './witness.ts'

export type Database = Sqlite.Database

/** A database that was unusable and had to be replaced. */
export interface SetAside {
  /** Where the damaged file went, null when it was missing or empty. */
  asideFile: string | null
  /** For the operator: what was recovered and what was lost. */
  lost: Phrase
  /** SQLite's words, for the log. */
  problems: string[]
}

export interface OpenedDatabase {
  db: Database
  /** Absolute path. */
  file: string
  /** Present when the file had to be replaced. */
  setAside?: SetAside
  /** Rows recovered, by table. */
  salvage?: SalvagedTable[]
  /** Optimizes, checkpoints and closes. Safe to call twice. */
  close(): void
}

export interface OpenOptions {
  /** Its folder's parent must exist. */
  file: string
  schema: SchemaName
  log: Log
  /** Milliseconds since the Unix epoch, for the name of a file set aside. */
  now?: () => number
  /** For the later full check of a large file. */
  clock?: Pick<Clock, 'after'>
  /** Called when that check finds damage, with SQLite's words. The next opening sets the file aside. */
  onDamage?: (problems: string[]) => void
  /** Throws `DamagedDatabase` for a damaged file, because replacing it can take minutes. */
  leaveDamaged?: boolean
  /** Largest file that is checked in full at opening. */
  wholeCheckLimitBytes?: number
}

/** Thrown instead of replacing a damaged file. */
export class DamagedDatabase extends Error {}

/** `user_version` in the file header (sqlite.org/fileformat2.html §1.3). */
const userVersionOffset = 60

/** Schema version of an unopened file, 0 when unknown. Opening it for writing would move its log into it. */
function versionUntouched(file: string): number {
  if (existsSync(`${file}-wal`)) {
    const db = new Sqlite(file, { readonly: true, timeout: 2000 })
    try {
      return unlessDamaged(
        () => schemaVersion(db),
        () => 0,
      )
    } finally {
      db.close()
    }
  }
  // Without a log, this process has no connection whose lock closing would drop.
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

/** The previous process may hold the database for a moment. */
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

/** Opens and checks. Returns the problems of a damaged file. */
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
  /** Every page is checked or new. */
  whole: boolean
  setAside?: SetAside
  salvage?: SalvagedTable[]
}

/** Fills the new, empty `db` with the readable rows of the damaged `file`, if the schema allows it. */
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
 * Replaces a damaged database. The new one is filled beside it and moved last, so an interrupted start leaves
 * the damaged file for the next one.
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
  const lost = salvage ? afterSalvage(salvage, schema) : ({ key: 'salvage.cached' } as const)
  return { db, whole: true, setAside: { asideFile, lost, problems }, ...(salvage ? { salvage } : {}) }
}

function afterSalvage(tables: SalvagedTable[], { afterSalvage: key }: Schema): Phrase {
  const first = salvagePhrase(tables)
  return key ? { key: 'text.two', first, second: { key } } : first
}

/** Finishes a replacement that an earlier start was interrupted in. */
function finishEarlier(file: string): SetAside | undefined {
  const asideFile = finishReplacement(file)
  return asideFile === undefined
    ? undefined
    : {
        asideFile,
        lost: { key: 'salvage.earlier' },
        problems: ['replacement of a damaged file was interrupted'],
      }
}

/** Keeps a log without its database: SQLite would delete it on opening the empty file. */
function setEmptiedAside(file: string, nowMs: number): SetAside {
  const hasLog = existsSync(`${file}-wal`)
  const asideFile = hasLog ? setFileAside(file, nowMs) : null
  if (hasLog) prepareFile(file)
  return { asideFile, lost: { key: 'salvage.missing' }, problems: ['file missing or empty'] }
}

/**
 * Opens a database for writing: folder 0700, file 0600, pragmas set and read back, checked, migrated. A
 * damaged file is set aside (never deleted) and replaced, with its readable rows unless the schema rebuilds
 * them. Throws `STORAGE_MISSING`, `STORAGE_READ_ONLY`, `STORAGE_FROM_FUTURE` (file untouched),
 * `STORAGE_BUSY`, `DISK_FULL`, else `STORAGE_FAILED`.
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
    // A marked file would be checked in full at any size.
    if (options.leaveDamaged && isMarkedDamaged(file)) throw new DamagedDatabase()
    const opened = openChecked(file, schema, options.wholeCheckLimitBytes)
    if (options.leaveDamaged && 'problems' in opened) throw new DamagedDatabase()
    result = 'db' in opened ? opened : replaceDamaged(file, schema, opened.problems, nowMs)
    const setAside = result.setAside ?? finished ?? emptiedAside
    if (setAside) log.error('Damaged database set aside', { file: basename(file), ...setAside })
    if (witness === null && schema.whenDamaged === 'salvage') writeWitness(file, emptyWitness)
    const { db } = result
    addFold(db)
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
    throw isAppError(error) || error instanceof DamagedDatabase ? error : mapSqliteError(error, { file })
  }
}

function checkLater(
  file: string,
  { log, clock = systemClock, onDamage = () => {} }: OpenOptions,
): () => void {
  log.info('Large database checked in part', { file: basename(file) })
  return scheduleFullCheck({ file, clock, log, onDamage })
}

/** Closing must succeed; the upkeep before it may fail. */
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

/** Opens a SQLite file unchanged for `use`: no pragmas, no migrations. */
export function withDatabaseFile<T>(file: string, use: (db: Database) => T): T {
  const db = new Sqlite(file)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Opens a read-only connection. The file must exist. */
export function openReader(
  file: string,
  { cacheMiB }: { cacheMiB?: number } = {},
): { db: Database; close(): void } {
  try {
    const db = new Sqlite(resolve(file), { readonly: true, fileMustExist: true })
    applyReaderPragmas(db)
    if (cacheMiB !== undefined) db.pragma(`cache_size = ${-1024 * cacheMiB}`)
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

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract as createExtract, type Header } from 'tar-stream'
import { AppError, isAppError } from '../../contract/errors.ts'
import { storageErrorCode } from '../../database/errors.ts'
import { hasKnownSchema, isSchemaBounded } from '../../database/known-schema.ts'
import { newestVersion, schemaVersion } from '../../database/migrate.ts'
import { type Database, withDatabaseFile } from '../../database/open.ts'
import { schemas } from '../../database/schemas.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import {
  type BackupDatabase,
  backupDatabases,
  type BackupManifest,
  backupVersion,
  manifestMaxBytes,
  manifestName,
  manifestSchema,
  restoringMark,
} from './backup-format.ts'
import { type JobControl, JobCancelled } from '../run/job-control.ts'

export interface RestoreOrder {
  file: string
  /** An empty folder. Filled completely, or the job fails. */
  dir: string
}

/** Requests that wait in the outbox, by the operations in it. */
type WaitingRequests = Record<string, number>

/** Levels of objects in a manifest. Ours has fewer than ten. */
const depthMax = 20

/** An entry of tar-stream, typed more exactly. */
type Entry = AsyncIterable<Buffer> & { header: Header }

const damaged = (file: string, cause?: unknown) => new AppError('BACKUP_DAMAGED', { file }, { cause })

/**
 * Unpacks a backup into a folder and checks all of it: versions, names, sizes, hashes, and of each database the schema and all pages.
 * The outbox of the copy is paused, and its alert rules only notify. Throws BACKUP_UNKNOWN, BACKUP_FROM_FUTURE, BACKUP_DAMAGED, DISK_FULL.
 */
export async function readBackup(
  { file, dir }: RestoreOrder,
  control: JobControl,
): Promise<BackupManifest & { waiting: WaitingRequests }> {
  const manifest = await unpack(file, dir, control)
  let waiting: WaitingRequests = {}
  for (const name of backupDatabases) {
    await control.checkpoint()
    if (manifest.files.some((one) => one.name === `${name}.db`))
      waiting = { ...waiting, ...checkDatabase(join(dir, `${name}.db`), name, manifest) }
  }
  writeFileSync(join(dir, restoringMark), '', { mode: 0o600 })
  return { ...manifest, waiting }
}

async function unpack(file: string, dir: string, control: JobControl): Promise<BackupManifest> {
  const totalBytes = statSync(file).size
  const extract = createExtract()
  let done = 0
  const reading = pipeline(
    createReadStream(file),
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        await control.yieldToMessages()
        control.progress((done += piece.length), totalBytes)
        yield piece
      }
    },
    createGunzip(),
    extract,
  )
  // Awaited below. Without this, an earlier failure would be unhandled.
  reading.catch(() => {})
  let manifest: BackupManifest | undefined
  const seen = new Set<string>()
  try {
    for await (const entry of extract as unknown as AsyncIterable<Entry>) {
      const { name, type, size = 0 } = entry.header
      if (!manifest) {
        manifest = await readManifest(name, size, entry)
        const needed = manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        if (needed > freeBytes(dir)) throw new AppError('DISK_FULL')
        continue
      }
      const listed = manifest.files.find((one) => one.name === name)
      if (!listed || type !== 'file' || size !== listed.sizeBytes || seen.has(name))
        throw damaged(name.slice(0, 80))
      seen.add(name)
      if (name.startsWith('sends/')) mkdirSync(join(dir, 'sends'), { recursive: true, mode: 0o700 })
      if ((await store(entry, join(dir, name))) !== listed.sha256) throw damaged(name)
    }
    await reading
  } catch (error) {
    extract.destroy()
    if (isAppError(error) || error instanceof JobCancelled) throw error
    if (storageErrorCode(error)?.startsWith('E')) throw error
    throw manifest ? damaged('the archive', error) : new AppError('BACKUP_UNKNOWN', {}, { cause: error })
  }
  if (!manifest) throw new AppError('BACKUP_UNKNOWN')
  for (const { name } of manifest.files) if (!seen.has(name)) throw damaged(name)
  return manifest
}

async function readManifest(
  name: string,
  size: number,
  entry: AsyncIterable<Buffer>,
): Promise<BackupManifest> {
  if (name !== manifestName || size > manifestMaxBytes) throw new AppError('BACKUP_UNKNOWN')
  const pieces: Buffer[] = []
  for await (const piece of entry) pieces.push(piece)
  let json: unknown
  try {
    json = JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch {
    throw new AppError('BACKUP_UNKNOWN')
  }
  if (!isShallow(json)) throw new AppError('BACKUP_UNKNOWN')
  const version = (json as { version?: unknown } | null)?.version
  if (typeof version === 'number' && version > backupVersion) throw new AppError('BACKUP_FROM_FUTURE')
  const parsed = manifestSchema.safeParse(json)
  if (!parsed.success) throw new AppError('BACKUP_UNKNOWN')
  for (const each of backupDatabases)
    if ((parsed.data.schemas[each] ?? 0) > newestVersion(schemas[each].migrations))
      throw new AppError('BACKUP_FROM_FUTURE')
  return parsed.data
}

/** Deeper values break what reads them by recursion, such as the way to another thread. */
function isShallow(json: unknown): boolean {
  let level = [json]
  for (let depth = 0; depth < depthMax && level.length > 0; depth++)
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  return level.length === 0
}

/** Writes an entry durably. Returns its SHA-256. */
async function store(entry: AsyncIterable<Buffer>, file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(
    entry,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
    },
    createWriteStream(file, { mode: 0o600, flags: 'wx' }),
  )
  const written = await open(file, 'r+')
  await written.sync()
  await written.close()
  return hash.digest('hex')
}

/** Checks a database before any statement could run something of it. Returns its waiting requests by operation. */
function checkDatabase(file: string, name: BackupDatabase, manifest: BackupManifest): WaitingRequests {
  const label = `${name}.db`
  try {
    if (!isSchemaBounded(file)) throw damaged(label)
    return withDatabaseFile(file, (db) => {
      db.pragma('trusted_schema = OFF')
      db.pragma('cell_size_check = ON')
      const version = schemaVersion(db)
      if (version !== manifest.schemas[name] || !hasKnownSchema(db, name, version)) throw damaged(label)
      const [first] = db.pragma('quick_check(1)') as { quick_check: string }[]
      if (first?.quick_check !== 'ok') throw damaged(label)
      return name === 'state' ? pauseCopy(db) : {}
    })
  } catch (error) {
    throw isAppError(error) || storageErrorCode(error)?.startsWith('E') ? error : damaged(label, error)
  }
}

/** The original may already have sent the requests of the copy. */
function pauseCopy(db: Database): WaitingRequests {
  db.prepare('INSERT OR REPLACE INTO outbox_control (id, paused) VALUES (1, 1)').run()
  const paused = db.prepare('SELECT paused FROM outbox_control').pluck().all()
  if (paused.length !== 1 || paused[0] !== 1) throw damaged('state.db')
  // Consent to pause campaigns is given on each computer.
  db.prepare("UPDATE alert_rules SET mode = 'notify', disarmed_by = NULL WHERE mode <> 'off'").run()
  db.prepare("DELETE FROM tasks WHERE kind = 'backup'").run()
  const rows = db
    .prepare<[], { operation: string; count: number }>(
      `SELECT operation, sum(state IN ('undoable', 'scheduled', 'blocked', 'queued', 'in-flight')) AS count
       FROM outbox GROUP BY operation`,
    )
    .all()
  return Object.fromEntries(rows.map(({ operation, count }) => [operation, count]))
}

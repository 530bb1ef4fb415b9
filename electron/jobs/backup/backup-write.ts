import { createHash } from 'node:crypto'
import {
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack as createPack } from 'tar-stream'
import { AppError } from '../../contract/errors.ts'
import { prepareFile } from '../../database/files.ts'
import { schemaVersion } from '../../database/migrate.ts'
import { openReader } from '../../database/open.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import {
  type BackedUpFile,
  type BackupDatabase,
  backupDatabases,
  backupFormat,
  type BackupManifest,
  backupVersion,
  manifestName,
} from './backup-format.ts'
import { type JobControl, JobCancelled } from '../run/job-control.ts'

/** Pages to copy before others get a turn. */
const pagesAtOnce = 2_000

export interface BackupOrder {
  target: string
  /** The connection's folder. */
  dir: string
  /** A temporary folder on the same disk, removed at the end. */
  workDir: string
  about: Pick<BackupManifest, 'switchboard' | 'createdAt' | 'connection' | 'settings'>
}

interface Source {
  /** In the archive. */
  name: string
  file: string
  sizeBytes: number
}

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/**
 * Writes one archive (tar, gzip) of a connection's databases, each as of one moment, while they are in use. Memory does not grow with the
 * databases. Throws `DISK_FULL` before it begins when space is short.
 */
export async function writeBackup(order: BackupOrder, control: JobControl): Promise<{ sizeBytes: number }> {
  const { dir, workDir, target } = order
  rmSync(workDir, { recursive: true, force: true })
  mkdirSync(workDir, { mode: 0o700 })
  try {
    const { sources, schemas } = await copy(dir, workDir, control)
    const files: BackedUpFile[] = []
    for (const { name, file, sizeBytes } of sources) {
      await control.checkpoint()
      files.push({ name, sizeBytes, sha256: await hashOfFile(file) })
    }
    const manifest: BackupManifest = {
      format: backupFormat,
      version: backupVersion,
      ...order.about,
      schemas,
      files,
    }
    await packFiles(manifest, sources, `${target}.part`, control)
    renameSync(`${target}.part`, target)
    return { sizeBytes: statSync(target).size }
  } finally {
    rmSync(workDir, { recursive: true, force: true })
    rmSync(`${target}.part`, { force: true })
  }
}

async function copy(dir: string, workDir: string, control: JobControl) {
  let isCancelled = false
  void control.cancelled.then(() => (isCancelled = true))
  const readers = backupDatabases
    .map((name) => ({ name, file: join(dir, `${name}.db`) }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({ name, ...openReader(file) }))
  try {
    // A read transaction on each, begun together, so later writes are not in any copy.
    for (const { db } of readers) {
      db.exec('BEGIN')
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
    }
    const sizes = readers.map(
      ({ db }) =>
        Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    )
    const sends = plansIn(join(dir, 'sends'))
    const totalBytes = [...sizes, ...sends.map(({ sizeBytes }) => sizeBytes)].reduce(
      (sum, size) => sum + size,
      0,
    )
    // Room for the copies, and for an archive that may not compress.
    if (freeBytes(workDir) < 2 * totalBytes) throw new AppError('DISK_FULL')
    const plans = await copyPlans(sends, join(workDir, 'sends'))
    const databases: Source[] = []
    let before = plans.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    for (const [index, { name, db }] of readers.entries()) {
      const file = join(workDir, `${name}.db`)
      prepareFile(file)
      await db.backup(file, {
        progress({ totalPages, remainingPages }) {
          if (isCancelled) throw new JobCancelled()
          const share = totalPages === 0 ? 0 : (totalPages - remainingPages) / totalPages
          control.progress(Math.round(before + share * sizes[index]!), 2 * totalBytes)
          return pagesAtOnce
        },
      })
      before += sizes[index]!
      databases.push({ name: `${name}.db`, file, sizeBytes: statSync(file).size })
    }
    const schemas = Object.fromEntries(readers.map(({ name, db }) => [name, schemaVersion(db)])) as Record<
      BackupDatabase,
      number
    >
    return { sources: [...databases, ...plans], schemas }
  } finally {
    for (const { db, close } of readers) {
      if (db.open && db.inTransaction) db.exec('ROLLBACK')
      close()
    }
  }
}

/** The files of sends that may still go out. */
function plansIn(dir: string): Source[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.name.endsWith('.part') && /^[\w-][\w.-]{0,150}$/.test(entry.name),
    )
    .flatMap(({ name }) => {
      const file = join(dir, name)
      const size = statSync(file, { throwIfNoEntry: false })?.size
      return size === undefined ? [] : [{ name, file, sizeBytes: size }]
    })
}

/** Copies them, because each is deleted when its send ends. */
async function copyPlans(sends: readonly Source[], to: string): Promise<Source[]> {
  if (sends.length > 0) mkdirSync(to, { mode: 0o700 })
  const plans: Source[] = []
  for (const { name, file: from } of sends) {
    const file = join(to, name)
    try {
      await copyFile(from, file, constants.COPYFILE_FICLONE)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw error
    }
    plans.push({ name: `sends/${name}`, file, sizeBytes: statSync(file).size })
  }
  return plans
}

async function packFiles(
  manifest: BackupManifest,
  sources: readonly Source[],
  target: string,
  control: JobControl,
): Promise<void> {
  const pack = createPack()
  const writing = pipeline(pack, createGzip({ level: 1 }), createWriteStream(target, { mode: 0o600 }))
  const totalBytes = sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let done = 0
  try {
    const text = JSON.stringify(manifest)
    pack.entry({ name: manifestName, mode: 0o600 }, text)
    for (const { name, file, sizeBytes } of sources) {
      await control.checkpoint()
      const entry = pack.entry({ name, size: sizeBytes, mode: 0o600 })
      await pipeline(
        createReadStream(file),
        async function* (pieces: AsyncIterable<Buffer>) {
          for await (const piece of pieces) {
            await control.yieldToMessages()
            control.progress(totalBytes + (done += piece.length), 2 * totalBytes)
            yield piece
          }
        },
        entry,
      )
    }
    pack.finalize()
    await writing
  } catch (error) {
    pack.destroy()
    await writing.catch(() => {})
    throw error
  }
  const written = await open(target, 'r+')
  await written.sync()
  await written.close()
}

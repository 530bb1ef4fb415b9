import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { chmod, copyFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '../../../contract/errors.ts'
import { pieceBytes } from '../../../contract/limits.ts'
import { mapSqliteError } from '../../../database/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { freeBytes } from '../../../lib/free-bytes.ts'

/** A file that nobody needs any more is kept so long. */
const keptMs = 24 * 3_600_000
/** How often files that nobody needs are looked for while new ones come. */
const sweepEveryMs = 3_600_000
/** Longest name that is kept. */
const maxNameLength = 255

/** A file that is kept: its name as the operator knows it, and how many bytes it is to have. */
interface Sheet {
  name: string
  /** Null for one that a task has not finished. */
  sizeBytes: number | null
}

/** Files between page and core, in the connection's folder: what an operator hands in, and what tasks write. */
export interface FileStore {
  /** Throws DISK_FULL before a byte is handed in when it cannot fit. */
  begin(file: { name: string; sizeBytes: number }): { fileId: string }
  /** All of a piece or, with an error, none of it. Throws FILE_GONE, FILE_OUT_OF_STEP, INVALID_INPUT, DISK_FULL. */
  append(piece: { fileId: string; offset: number; base64: string }): { receivedBytes: number }
  discard(fileId: string): void
  /** Throws FILE_GONE, and FILE_UNFINISHED for one whose task has not finished it. */
  read(
    fileId: string,
    offset: number,
  ): { name: string; sizeBytes: number; base64: string; endOfFile: boolean }
  /** Copies a local file into the store without blocking the thread. Throws OPENED_FILE_UNREADABLE, DISK_FULL. */
  adopt(path: string): Promise<{ fileId: string }>
  /** A file to be written by a task. Until `finish` it is not given out: half a file looks like a whole one. */
  create(name: string): { fileId: string; path: string }
  /** The task has written all of it. */
  finish(fileId: string): void
  /** Path and name of a file that was handed in whole. Throws FILE_GONE, FILE_OUT_OF_STEP. */
  whole(fileId: string): { path: string; name: string; sizeBytes: number }
  path(fileId: string): string
  /** Forgets files older than a day that `isNeeded` does not name: now, and from now on each hour in which new ones come. */
  sweep(isNeeded: (fileId: string) => boolean): void
}

const idShape = /^[0-9a-f-]{36}$/

export function createFileStore(dir: string, clock: Clock): FileStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  let isNeeded: (fileId: string) => boolean = () => true
  let sweptAtMs = clock.monotonic()
  const pathOf = (fileId: string) => {
    if (!idShape.test(fileId)) throw new AppError('FILE_GONE')
    return join(dir, fileId)
  }
  const sheetFile = (fileId: string) => `${pathOf(fileId)}.json`

  function sheetOf(fileId: string): Sheet {
    try {
      return JSON.parse(readFileSync(sheetFile(fileId), 'utf8')) as Sheet
    } catch {
      throw new AppError('FILE_GONE')
    }
  }

  function putSheet(fileId: string, sheet: Sheet): void {
    onDisk(() => writeFileSync(sheetFile(fileId), JSON.stringify(sheet), { mode: 0o600 }))
  }

  function make(sheet: Sheet): string {
    if (clock.monotonic() - sweptAtMs >= sweepEveryMs) sweepNow()
    const fileId = randomUUID()
    try {
      onDisk(() => writeFileSync(pathOf(fileId), '', { mode: 0o600 }))
      putSheet(fileId, sheet)
    } catch (error) {
      forget(fileId)
      throw error
    }
    return fileId
  }

  function forget(fileId: string): void {
    rmSync(pathOf(fileId), { force: true })
    rmSync(sheetFile(fileId), { force: true })
  }

  function sweepNow(): void {
    sweptAtMs = clock.monotonic()
    for (const name of readdirSync(dir)) {
      const fileId = name.slice(0, 36)
      if (!idShape.test(fileId) || isNeeded(fileId)) continue
      const file = join(dir, name)
      const stat = statSync(file, { throwIfNoEntry: false })
      if (stat && stat.mtimeMs < clock.now() - keptMs) rmSync(file, { force: true })
    }
  }

  const sizeOf = (fileId: string) => statSync(pathOf(fileId), { throwIfNoEntry: false })?.size ?? null

  function onDisk<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw mapSqliteError(error, { file: 'the folder of files' })
    }
  }

  return {
    begin({ name, sizeBytes }) {
      if (sizeBytes > onDisk(() => freeBytes(dir))) throw new AppError('DISK_FULL')
      return { fileId: make({ name: plainName(name), sizeBytes }) }
    },
    append({ fileId, offset, base64 }) {
      const { sizeBytes } = sheetOf(fileId)
      const size = sizeOf(fileId)
      const bytes = bytesOf(base64)
      if (size === null || sizeBytes === null) throw new AppError('FILE_GONE')
      if (offset !== size || size + bytes.length > sizeBytes)
        throw new AppError('FILE_OUT_OF_STEP', { received: size, offset })
      try {
        onDisk(() => appendFileSync(pathOf(fileId), bytes))
      } catch (error) {
        // What a full disk took of the piece would put all that follows out of step.
        onDisk(() => truncateSync(pathOf(fileId), size))
        throw error
      }
      return { receivedBytes: size + bytes.length }
    },
    discard: forget,
    read(fileId, offset) {
      const { name, sizeBytes: whole } = sheetOf(fileId)
      const sizeBytes = sizeOf(fileId)
      if (sizeBytes === null) throw new AppError('FILE_GONE')
      if (whole === null) throw new AppError('FILE_UNFINISHED')
      return onDisk(() => {
        const piece = Buffer.alloc(Math.max(0, Math.min(pieceBytes, sizeBytes - offset)))
        const fd = openSync(pathOf(fileId), 'r')
        try {
          const length = readSync(fd, piece, 0, piece.length, offset)
          return {
            name,
            sizeBytes,
            base64: piece.toString('base64', 0, length),
            endOfFile: offset + length >= sizeBytes,
          }
        } finally {
          closeSync(fd)
        }
      })
    },
    async adopt(path) {
      const name = basename(path)
      const unreadable = () => new AppError('OPENED_FILE_UNREADABLE', { name })
      const { size } = await stat(path).catch(() => {
        throw unreadable()
      })
      if (size > onDisk(() => freeBytes(dir))) throw new AppError('DISK_FULL')
      const fileId = make({ name: plainName(name), sizeBytes: null })
      try {
        await copyFile(path, pathOf(fileId))
        // The copy has the original's mode.
        await chmod(pathOf(fileId), 0o600)
        putSheet(fileId, { name: plainName(name), sizeBytes: sizeOf(fileId) })
      } catch (error) {
        forget(fileId)
        throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new AppError('DISK_FULL') : unreadable()
      }
      return { fileId }
    },
    create(name) {
      const fileId = make({ name: plainName(name), sizeBytes: null })
      return { fileId, path: pathOf(fileId) }
    },
    finish(fileId) {
      const { name } = sheetOf(fileId)
      const sizeBytes = sizeOf(fileId)
      if (sizeBytes === null) throw new AppError('FILE_GONE')
      putSheet(fileId, { name, sizeBytes })
    },
    whole(fileId) {
      const { name, sizeBytes } = sheetOf(fileId)
      const size = sizeOf(fileId)
      if (size === null) throw new AppError('FILE_GONE')
      if (sizeBytes !== null && size !== sizeBytes)
        throw new AppError('FILE_OUT_OF_STEP', { received: size, offset: sizeBytes })
      return { path: pathOf(fileId), name, sizeBytes: size }
    },
    path: pathOf,
    sweep(needed) {
      isNeeded = needed
      sweepNow()
    },
  }
}

/** The bytes of a piece. Node drops what is no base64, which would lose bytes in silence. */
function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  if (base64.length % 4 !== 0 || bytes.length !== (base64.length / 4) * 3 - padding)
    throw new AppError('INVALID_INPUT', { detail: 'a piece of the file is no base64' })
  return bytes
}

/** The last part of a path, without what could not be seen in a list or saved as a name. */
function plainName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1)!
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return /^\.*$/.test(visible) ? 'file' : visible.slice(0, maxNameLength)
}

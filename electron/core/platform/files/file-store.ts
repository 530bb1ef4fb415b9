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

/** How long an unneeded file is kept. */
const keptMs = 24 * 3_600_000
/** How often uploads trigger a search for unneeded files. */
const sweepEveryMs = 3_600_000
const maxNameLength = 255

/** A stored file's name for the operator and its full size. */
interface FileInfo {
  name: string
  /** Null until its task finishes it. */
  sizeBytes: number | null
  /** Size of the file that the operator chose, when this one was made from it. */
  chosenBytes?: number
}

/** What the record of a file keeps that was removed with a person. */
export const erasedFile = { erased: true }

const idShape = /^[0-9a-f-]{36}$/

export type FileStore = ReturnType<typeof createFileStore>

/** Files between page and core, in the connection's folder: uploads, and what tasks write. */
export function createFileStore(dir: string, clock: Clock) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  let isNeeded: (fileId: string) => boolean = () => true
  let sweptAtMs = clock.monotonic()
  const pathOf = (fileId: string) => {
    if (!idShape.test(fileId)) throw new AppError('FILE_GONE')
    return join(dir, fileId)
  }
  const infoFile = (fileId: string) => `${pathOf(fileId)}.json`

  function infoOf(fileId: string): FileInfo {
    let info: FileInfo | typeof erasedFile
    try {
      info = JSON.parse(readFileSync(infoFile(fileId), 'utf8')) as typeof info
    } catch {
      throw new AppError('FILE_GONE')
    }
    if ('erased' in info) throw new AppError('FILE_ERASED')
    return info
  }

  function putInfo(fileId: string, info: FileInfo): void {
    onDisk(() => writeFileSync(infoFile(fileId), JSON.stringify(info), { mode: 0o600 }))
  }

  function make(info: FileInfo): string {
    if (clock.monotonic() - sweptAtMs >= sweepEveryMs) sweepNow()
    const fileId = randomUUID()
    try {
      onDisk(() => writeFileSync(pathOf(fileId), '', { mode: 0o600 }))
      putInfo(fileId, info)
    } catch (error) {
      forget(fileId)
      throw error
    }
    return fileId
  }

  function forget(fileId: string): void {
    rmSync(pathOf(fileId), { force: true })
    rmSync(infoFile(fileId), { force: true })
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
      throw mapSqliteError(error, { file: 'the files folder' })
    }
  }

  return {
    /** DISK_FULL when it can't fit. */
    begin({ name, sizeBytes }: { name: string; sizeBytes: number }): { fileId: string } {
      if (sizeBytes > onDisk(() => freeBytes(dir))) throw new AppError('DISK_FULL')
      return { fileId: make({ name: plainName(name), sizeBytes }) }
    },
    /** Stores a whole piece or nothing. FILE_GONE, FILE_OUT_OF_STEP, INVALID_INPUT, DISK_FULL. */
    append({ fileId, offset, base64 }: { fileId: string; offset: number; base64: string }): {
      receivedBytes: number
    } {
      const { sizeBytes } = infoOf(fileId)
      const size = sizeOf(fileId)
      const bytes = bytesOf(base64)
      if (size === null || sizeBytes === null) throw new AppError('FILE_GONE')
      if (offset !== size || size + bytes.length > sizeBytes)
        throw new AppError('FILE_OUT_OF_STEP', { received: size, offset })
      try {
        onDisk(() => appendFileSync(pathOf(fileId), bytes))
      } catch (error) {
        // Remove the partly written piece: a retry has the same offset.
        onDisk(() => truncateSync(pathOf(fileId), size))
        throw error
      }
      return { receivedBytes: size + bytes.length }
    },
    discard: forget,
    /** FILE_GONE, FILE_ERASED; FILE_UNFINISHED before its task finished it. */
    read(
      fileId: string,
      offset: number,
    ): { name: string; sizeBytes: number; base64: string; endOfFile: boolean } {
      const { name, sizeBytes: fullBytes } = infoOf(fileId)
      const sizeBytes = sizeOf(fileId)
      if (sizeBytes === null) throw new AppError('FILE_GONE')
      if (fullBytes === null) throw new AppError('FILE_UNFINISHED')
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
    /** Copies a local file without blocking the thread. OPENED_FILE_UNREADABLE, DISK_FULL. */
    async adopt(path: string): Promise<{ fileId: string }> {
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
        putInfo(fileId, { name: plainName(name), sizeBytes: sizeOf(fileId) })
      } catch (error) {
        forget(fileId)
        const mapped = mapSqliteError(error, { file: 'the files folder' })
        throw mapped.code === 'DISK_FULL' ? mapped : unreadable()
      }
      return { fileId }
    },
    /** A file for a task to write. Can't be read before `finish`. */
    create(name: string): { fileId: string; path: string } {
      const fileId = make({ name: plainName(name), sizeBytes: null })
      return { fileId, path: pathOf(fileId) }
    },
    /** Marks a file as complete. `chosenBytes`: the size of the file that it stands for. */
    finish(fileId: string, chosenBytes?: number, name = infoOf(fileId).name) {
      const sizeBytes = sizeOf(fileId)
      if (sizeBytes === null) throw new AppError('FILE_GONE')
      putInfo(fileId, {
        name: plainName(name),
        sizeBytes,
        ...(chosenBytes === undefined ? {} : { chosenBytes }),
      })
    },
    /** A complete upload, and the size that the operator knows. FILE_GONE, FILE_ERASED, FILE_OUT_OF_STEP. */
    complete(fileId: string): { path: string; name: string; sizeBytes: number } {
      const { name, sizeBytes, chosenBytes } = infoOf(fileId)
      const size = sizeOf(fileId)
      if (size === null) throw new AppError('FILE_GONE')
      if (sizeBytes !== null && size !== sizeBytes)
        throw new AppError('FILE_OUT_OF_STEP', { received: size, offset: sizeBytes })
      return { path: pathOf(fileId), name, sizeBytes: chosenBytes ?? size }
    },
    path: pathOf,
    /** Deletes files older than a day unless `isNeeded`: now, and hourly while uploads come in. */
    sweep(needed: (fileId: string) => boolean) {
      isNeeded = needed
      sweepNow()
    },
  }
}

/** Bytes of a piece. Node ignores invalid base64, which would lose bytes silently. */
function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  if (base64.length % 4 !== 0 || bytes.length !== (base64.length / 4) * 3 - padding)
    throw new AppError('INVALID_INPUT', { detail: { key: 'input.notBase64' } })
  return bytes
}

/** File name without its path and invisible characters. */
function plainName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1)!
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return /^\.*$/.test(visible) ? 'file' : visible.slice(0, maxNameLength)
}

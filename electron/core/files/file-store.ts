import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { mapSqliteError } from '../../database/errors.ts'
import type { Clock } from '../../lib/clock.ts'

/** Bytes of one piece: about 1 MiB as base64. */
const pieceBytes = 768 * 1024
/** A file that nobody needs any more is kept so long. */
const keptMs = 24 * 3_600_000

/** A file that is kept: its name as the operator knows it, and how many bytes it is to have. */
interface Sheet {
  name: string
  /** Null for one that a task writes. */
  sizeBytes: number | null
}

/** Files between page and core, in the connection's folder: what an operator hands in, and what tasks write. */
export interface FileStore {
  begin(file: { name: string; sizeBytes: number }): { fileId: string }
  append(piece: { fileId: string; offset: number; base64: string }): { receivedBytes: number }
  discard(fileId: string): void
  read(
    fileId: string,
    offset: number,
  ): { name: string; sizeBytes: number; base64: string; endOfFile: boolean }
  /** A file to be written by a task. */
  create(name: string): { fileId: string; path: string }
  /** Path and name of a file that was handed in whole. Throws FILE_GONE, FILE_OUT_OF_STEP. */
  whole(fileId: string): { path: string; name: string; sizeBytes: number }
  path(fileId: string): string
  /** Forgets files of the day before that `isNeeded` does not name. */
  sweep(isNeeded: (fileId: string) => boolean): void
}

const idShape = /^[0-9a-f-]{36}$/

export function createFileStore(dir: string, clock: Clock): FileStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
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

  function make(sheet: Sheet): string {
    const fileId = randomUUID()
    onDisk(() => {
      writeFileSync(pathOf(fileId), '', { mode: 0o600 })
      writeFileSync(sheetFile(fileId), JSON.stringify(sheet), { mode: 0o600 })
    })
    return fileId
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
    begin: ({ name, sizeBytes }) => ({ fileId: make({ name, sizeBytes }) }),
    append({ fileId, offset, base64 }) {
      const { sizeBytes } = sheetOf(fileId)
      const size = sizeOf(fileId)
      const bytes = Buffer.from(base64, 'base64')
      if (size === null || sizeBytes === null) throw new AppError('FILE_GONE')
      if (offset !== size || size + bytes.length > sizeBytes)
        throw new AppError('FILE_OUT_OF_STEP', { received: size, offset })
      onDisk(() => appendFileSync(pathOf(fileId), bytes))
      return { receivedBytes: size + bytes.length }
    },
    discard(fileId) {
      rmSync(pathOf(fileId), { force: true })
      rmSync(sheetFile(fileId), { force: true })
    },
    read(fileId, offset) {
      const { name } = sheetOf(fileId)
      const sizeBytes = sizeOf(fileId)
      if (sizeBytes === null) throw new AppError('FILE_GONE')
      const piece = Buffer.alloc(Math.max(0, Math.min(pieceBytes, sizeBytes - offset)))
      const fd = openSync(pathOf(fileId), 'r')
      try {
        readSync(fd, piece, 0, piece.length, offset)
      } finally {
        closeSync(fd)
      }
      return {
        name,
        sizeBytes,
        base64: piece.toString('base64'),
        endOfFile: offset + piece.length >= sizeBytes,
      }
    },
    create(name) {
      const fileId = make({ name, sizeBytes: null })
      return { fileId, path: pathOf(fileId) }
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
    sweep(isNeeded) {
      for (const name of readdirSync(dir)) {
        const fileId = name.slice(0, 36)
        if (!idShape.test(fileId) || isNeeded(fileId)) continue
        const file = join(dir, name)
        if (existsSync(file) && statSync(file).mtimeMs < clock.now() - keptMs) rmSync(file, { force: true })
      }
    },
  }
}

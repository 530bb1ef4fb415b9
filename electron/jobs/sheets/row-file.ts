import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { byteOrderMark, createRowWriter } from '../../lib/csv/row-writer.ts'
import { unreadableFile } from './unreadable-file.ts'

/** First rows, which get as many cells as the widest row of the file. */
const headRows = 200
const pieceBytes = 1 << 20
function writeAll(fd: number, bytes: Uint8Array): void {
  // A call may write only part.
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSync(fd, rest))
}

/**
 * A CSV file with one line per row of a sheet: blank lines for empty rows, so that row numbers stay. Its first rows are as wide as the
 * widest, so that every column is seen. Creates `${file}.part`; `finish` renames it. Above `bytesMax` throws IMPORT_FILE_UNREADABLE.
 */
export function createRowFile(file: string, bytesMax: number) {
  const part = `${file}.part`
  let fd = openSync(part, 'w+', 0o600)
  const writer = createRowWriter(write, { isGuarded: false })
  const head: string[][] = []
  let headWidth = 0
  let headBytes = 0
  let bytes = 0
  let rows = 0
  let width = 0

  function write(piece: Uint8Array): void {
    bytes += piece.length
    if (bytes > bytesMax) throw unreadableFile('bomb')
    writeAll(fd, piece)
  }

  function writeHead(): void {
    write(byteOrderMark)
    for (const cells of head)
      writer.row(cells.length === 0 ? cells : cells.concat(Array<string>(width - cells.length).fill('')))
    writer.flush()
    headWidth = width
    headBytes = bytes
  }

  function add(cells: string[]): void {
    if (rows++ < headRows) {
      head.push(cells)
      if (rows === headRows) writeHead()
    } else writer.row(cells)
  }

  /** Writes the head again, wider, and copies the rest. */
  function widen(): void {
    const narrow = fd
    const wide = `${file}.wide`
    fd = openSync(wide, 'w+', 0o600)
    let from = headBytes
    bytes = 0
    writeHead()
    const piece = Buffer.allocUnsafe(pieceBytes)
    for (let length; (length = readSync(narrow, piece, 0, pieceBytes, from)) > 0; from += length)
      write(piece.subarray(0, length))
    closeSync(narrow)
    renameSync(wide, part)
  }

  return {
    /** A row at its number in the sheet; numbers grow. Empty rows may be missing. */
    row(rowNumber: number, cells: string[]): void {
      let length = cells.length
      while (length > 0 && cells[length - 1] === '') length--
      if (length === 0) return
      width = Math.max(width, length)
      while (rows < rowNumber - 1) add([])
      add(length === cells.length ? cells : cells.slice(0, length))
    },
    finish(): void {
      if (rows < headRows) writeHead()
      writer.flush()
      if (width > headWidth) widen()
      closeSync(fd)
      renameSync(part, file)
    },
    /** Deletes an incomplete file. Call instead of `finish`. */
    abandon(): void {
      closeSync(fd)
      rmSync(part, { force: true })
      rmSync(`${file}.wide`, { force: true })
    },
  }
}

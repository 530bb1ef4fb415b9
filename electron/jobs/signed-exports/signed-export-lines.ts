import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { longestLineBytes } from './signed-export-format.ts'

/** Bytes read at once. */
const pieceBytes = 1 << 20

/** Longer than any valid line. */
export class LineTooLong extends Error {}

/**
 * A file's lines without line feeds; `isComplete` is false for a last line without one. `afterPiece` gets the progress.
 * Throws `LineTooLong`.
 */
export async function* linesOf(
  file: string,
  afterPiece: (doneBytes: number, totalBytes: number) => Promise<void>,
): AsyncGenerator<{ line: Buffer; isComplete: boolean }, void> {
  const fd = openSync(file, 'r')
  try {
    const totalBytes = fstatSync(fd).size
    let parts: Buffer[] = []
    let length = 0
    let doneBytes = 0
    for (;;) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const count = readSync(fd, piece, 0, pieceBytes, null)
      if (count === 0) break
      doneBytes += count
      let start = 0
      for (let end = piece.indexOf(10); end >= 0 && end < count; end = piece.indexOf(10, start)) {
        parts.push(piece.subarray(start, end))
        yield { line: parts.length === 1 ? parts[0]! : Buffer.concat(parts), isComplete: true }
        parts = []
        length = 0
        start = end + 1
      }
      if (start < count) {
        parts.push(piece.subarray(start, count))
        length += count - start
      }
      if (length > longestLineBytes) throw new LineTooLong()
      await afterPiece(doneBytes, totalBytes)
    }
    if (length > 0) yield { line: Buffer.concat(parts), isComplete: false }
  } finally {
    closeSync(fd)
  }
}

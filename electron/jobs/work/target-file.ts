import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { createRowWriter } from '../../lib/csv/row-writer.ts'

/** Text that waits before it is written, characters. */
const pieceLength = 1 << 20

/** A file that takes its name when it is whole: rows of a CSV, or lines of text. */
export interface TargetFile {
  row(cells: readonly (string | number)[]): void
  /** A line without its end, which is LF. Not to be mixed with rows. */
  line(text: string): void
  finish(): void
  /** Lets go of what did not become whole. Nothing happens after `finish`. */
  abandon(): void
}

/** Begins the file `${file}.part`, which `finish` gives its name. */
export function createTarget(file: string, delimiter = ','): TargetFile {
  const fd = openSync(`${file}.part`, 'w', 0o600)
  const writer = createRowWriter(write, { delimiter })
  let lines: string[] = []
  let length = 0
  let isOpen = true

  function write(bytes: Uint8Array): void {
    // One call may write less than all of it.
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSync(fd, rest))
  }

  function flushLines(): void {
    if (lines.length > 0) write(Buffer.from(lines.join('')))
    lines = []
    length = 0
  }

  return {
    row: writer.row,
    line(text) {
      lines.push(text, '\n')
      length += text.length
      if (length >= pieceLength) flushLines()
    },
    finish() {
      writer.flush()
      flushLines()
      // The task that calls it done is on disk at once: so must it be.
      fsyncSync(fd)
      closeSync(fd)
      isOpen = false
      renameSync(`${file}.part`, file)
    },
    abandon() {
      if (!isOpen) return
      isOpen = false
      closeSync(fd)
      rmSync(`${file}.part`, { force: true })
    },
  }
}

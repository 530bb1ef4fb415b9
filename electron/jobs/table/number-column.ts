import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../lib/entry-url.ts'
import { parsePhone, type PhoneOptions } from '../../lib/phone/parse-phone.ts'
import { readTable, type TableFormat } from './read-table.ts'

/** Which cells are read, and how. */
export interface NumberColumnOrder extends PhoneOptions {
  file: string
  format: TableFormat
  /** From 0. */
  column: number
}

/** Numbers as digits; a text that is none has, below zero, its reason's place among `reasons`, counted from 1. */
interface ReadNumbers {
  digits: Float64Array<ArrayBuffer>
  /** 1 for each that can be read two ways. */
  twoWays: Uint8Array<ArrayBuffer>
  reasons: string[]
}

/** Cells of rows that follow each other, as one text that is cut at `ends`. */
export interface ColumnPiece {
  text: string
  ends: Uint32Array<ArrayBuffer>
  /** Number of the first of these rows. */
  firstRow: number
  /** Null where the numbers are still to be read. */
  read: ReadNumbers | null
  doneBytes: number
  totalBytes: number
}

/** Takes a row's cell and the digits of its number. They are 0 where it is none, and `reason` says why; `twoWays` as of `ParsedPhone`. */
export type TakeNumber = (
  text: string,
  rowNumber: number,
  digits: number,
  reason: string,
  twoWays: boolean,
) => void

/** A column of numbers in a table, to be read once. */
export interface NumberColumn {
  /** As `readTable`. The cell of a row that is too short is empty. */
  read(take: TakeNumber, between: (doneBytes: number, totalBytes: number) => Promise<void>): Promise<void>
  /** Ends the reading, wherever it is. */
  close(): Promise<void>
}

/** Has one text read and taken. */
export function takeNumber(text: string, rowNumber: number, options: PhoneOptions, take: TakeNumber): void {
  const parsed = parsePhone(text, options)
  if (parsed.ok) take(text, rowNumber, parsed.digits, '', parsed.twoWays ?? false)
  else take(text, rowNumber, 0, parsed.reason, false)
}

export function readNumbers(texts: readonly string[], options: PhoneOptions): ReadNumbers {
  const digits = new Float64Array(texts.length)
  const twoWays = new Uint8Array(texts.length)
  const places = new Map<string, number>()
  for (let at = 0; at < texts.length; at++) {
    const parsed = parsePhone(texts[at]!, options)
    if (parsed.ok) {
      digits[at] = parsed.digits
      if (parsed.twoWays) twoWays[at] = 1
    } else {
      let place = places.get(parsed.reason)
      if (place === undefined) places.set(parsed.reason, (place = places.size + 1))
      digits[at] = -place
    }
  }
  return { digits, twoWays, reasons: [...places.keys()] }
}

/** A file of so many bytes is read by a thread of its own: below, its start (100 to 200 ms) is not won back. */
const threadFromBytes = 4 << 20

/**
 * Opens a column. A thread reads a large file ahead from now on, and those of its numbers that whoever takes them has no time for. What comes out is the
 * same either way, row by row. Where that thread ends before the table does, `read` rejects with its error.
 */
export function openNumberColumn(
  order: NumberColumnOrder,
  {
    threadFrom = availableParallelism() > 1 ? threadFromBytes : Infinity,
    entry = entryUrl('column-thread'),
  } = {},
): NumberColumn {
  return statSync(order.file).size < threadFrom ? readHere(order) : readAhead(order, entry)
}

const readHere = ({ file, format, column, ...options }: NumberColumnOrder): NumberColumn => ({
  read: (take, between) =>
    readTable(
      file,
      format,
      ({ cells, rowNumber }) => takeNumber(cells[column] ?? '', rowNumber, options, take),
      between,
    ),
  close: () => Promise.resolve(),
})

function readAhead(order: NumberColumnOrder, entry: URL): NumberColumn {
  const worker = new Worker(entry, { name: 'number column', workerData: order })
  const arrived: (ColumnPiece | null)[] = []
  let failure: Error | null = null
  let wake = () => {}
  worker.on('message', (piece: ColumnPiece | null) => {
    arrived.push(piece)
    wake()
  })
  worker.on('error', (error) => (failure = error as Error))
  worker.on('exit', () => {
    failure ??= new Error('The thread that reads a table ended before the table did')
    wake()
  })

  async function next(): Promise<ColumnPiece | null> {
    while (arrived.length === 0) {
      if (failure) throw failure
      await new Promise<void>((resolve) => (wake = resolve))
    }
    return arrived.shift()!
  }

  function takePiece({ text, ends, firstRow, read }: ColumnPiece, take: TakeNumber): void {
    let from = 0
    for (let at = 0; at < ends.length; at++) {
      const cell = text.slice(from, ends[at])
      from = ends[at]!
      if (read) {
        const digits = read.digits[at]!
        if (digits > 0) take(cell, firstRow + at, digits, '', read.twoWays[at] === 1)
        else take(cell, firstRow + at, 0, read.reasons[-digits - 1]!, false)
      } else takeNumber(cell, firstRow + at, order, take)
    }
  }

  return {
    async read(take, between) {
      for (let piece = await next(); piece; piece = await next()) {
        takePiece(piece, take)
        worker.postMessage('taken')
        await between(piece.doneBytes, piece.totalBytes)
      }
    },
    async close() {
      await worker.terminate()
    },
  }
}

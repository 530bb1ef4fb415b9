import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../lib/entry-url.ts'
import { parsePhone, type PhoneOptions, type PhoneReason } from '../../lib/phone/parse-phone.ts'
import { readTable, type TableFormat } from './read-table.ts'

/** The column and how to read it. */
export interface NumberColumnOrder extends PhoneOptions {
  file: string
  format: TableFormat
  /** From 0. */
  column: number
}

/** Numbers as digits. Negative: the reason's index in `reasons`, from 1. */
interface ReadNumbers {
  digits: Float64Array<ArrayBuffer>
  /** Other numbers that the texts may mean; 0 for none. */
  others: Float64Array<ArrayBuffer>
  /** 1 where a number can be read two ways. */
  twoWays: Uint8Array<ArrayBuffer>
  reasons: PhoneReason[]
}

/** Cells of rows, as one text split at `ends`. */
export interface ColumnPiece {
  text: string
  ends: Uint32Array<ArrayBuffer>
  /** Their rows as a spreadsheet numbers them. */
  sheetRows: Uint32Array<ArrayBuffer>
  /** Null when the job must parse the numbers. */
  read: ReadNumbers | null
  doneBytes: number
  totalBytes: number
}

/** Takes a cell, its row as a spreadsheet numbers it, and its digits; 0 with a `reason` when invalid. `other` and `twoWays` as in `ParsedPhone`. */
export type TakeNumber = (
  text: string,
  sheetRow: number,
  digits: number,
  reason: PhoneReason | null,
  other: number,
  twoWays: boolean,
) => void

/** A column of numbers, read once. */
export interface NumberColumn {
  /** Like `readTable`. Missing cells are empty. */
  read(take: TakeNumber, between: (doneBytes: number, totalBytes: number) => Promise<void>): Promise<void>
  /** Ends reading at any point. */
  close(): Promise<void>
}

/** Parses and takes one text. */
export function takeNumber(text: string, sheetRow: number, options: PhoneOptions, take: TakeNumber): void {
  const parsed = parsePhone(text, options)
  if (parsed.ok) take(text, sheetRow, parsed.digits, null, parsed.other, parsed.twoWays ?? false)
  else take(text, sheetRow, 0, parsed.reason, 0, false)
}

export function readNumbers(texts: readonly string[], options: PhoneOptions): ReadNumbers {
  const digits = new Float64Array(texts.length)
  const others = new Float64Array(texts.length)
  const twoWays = new Uint8Array(texts.length)
  const reasons: PhoneReason[] = []
  const places = new Map<string, number>()
  for (let at = 0; at < texts.length; at++) {
    const parsed = parsePhone(texts[at]!, options)
    if (parsed.ok) {
      digits[at] = parsed.digits
      others[at] = parsed.other
      if (parsed.twoWays) twoWays[at] = 1
    } else {
      const key = JSON.stringify(parsed.reason)
      let place = places.get(key)
      if (place === undefined) places.set(key, (place = reasons.push(parsed.reason)))
      digits[at] = -place
    }
  }
  return { digits, others, twoWays, reasons }
}

/** From this size a thread reads the file; below, its start (100 to 200 ms) costs more than it saves. */
const threadFromBytes = 4 << 20

/**
 * Opens a column. A thread reads a large file ahead and parses numbers when the caller is busy; the result is the
 * same. `read` rejects when the thread ends early.
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
      ({ cells, sheetRow }) => takeNumber(cells[column] ?? '', sheetRow, options, take),
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

  function takePiece({ text, ends, sheetRows, read }: ColumnPiece, take: TakeNumber): void {
    let from = 0
    for (let at = 0; at < ends.length; at++) {
      const cell = text.slice(from, ends[at])
      from = ends[at]!
      const sheetRow = sheetRows[at]!
      if (read) {
        const digits = read.digits[at]!
        if (digits > 0) take(cell, sheetRow, digits, null, read.others[at]!, read.twoWays[at] === 1)
        else take(cell, sheetRow, 0, read.reasons[-digits - 1]!, 0, false)
      } else takeNumber(cell, sheetRow, order, take)
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

import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { type ColumnPiece, type NumberColumnOrder, readNumbers } from './number-column.ts'
import { readTable } from './read-table.ts'

/** Most pieces in transit. */
const waitingMax = 8
/** With this many in transit the job is busy, so this thread parses numbers. */
const enough = 4

/**
 * Entry of a thread that reads a column of numbers for a job: one `ColumnPiece` per megabyte, then null. Each taken piece is
 * acknowledged. The thread with time left parses the numbers.
 */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
yieldToOthers()
const { file, format, column, ...options } = workerData as NumberColumnOrder
let waiting = 0
let wake = () => {}
port.on('message', () => {
  waiting--
  wake()
})

let texts: string[] = []
let sheetRows: number[] = []

async function handOver(doneBytes: number, totalBytes: number): Promise<void> {
  // Lets messages arrive.
  await nextTurn()
  const ends = new Uint32Array(texts.length)
  let length = 0
  for (let at = 0; at < texts.length; at++) ends[at] = length += texts[at]!.length
  const read = waiting >= enough ? readNumbers(texts, options) : null
  const piece: ColumnPiece = {
    text: texts.join(''),
    ends,
    sheetRows: new Uint32Array(sheetRows),
    read,
    doneBytes,
    totalBytes,
  }
  texts = []
  sheetRows = []
  port!.postMessage(piece, read ? [ends.buffer, read.digits.buffer, read.twoWays.buffer] : [ends.buffer])
  waiting++
  while (waiting >= waitingMax) await new Promise<void>((resolve) => (wake = resolve))
}

await readTable(
  file,
  format,
  ({ cells, sheetRow }) => {
    sheetRows.push(sheetRow)
    texts.push(cells[column] ?? '')
  },
  handOver,
)
port.postMessage(null)
port.close()

import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../contract/errors.ts'
import { openReader } from '../../database/open.ts'
import { createRowPacker } from '../book/packed-rows.ts'
import type { BookAnswer, ImportFunctions } from '../book/protocol.ts'
import { loadNumbers } from '../table/number-set.ts'
import { readTable } from '../table/read-table.ts'
import { JobCancelled, type JobControl } from './job-control.ts'
import { createRowJudge, noCounts, toJudgedRow, toShown } from './judge-rows.ts'
import type {
  ImportCounts,
  JobFiles,
  JobOrder,
  JobResults,
  JudgedRow,
  PreviewResult,
  RowOutcome,
} from './protocol.ts'

const dncSql = 'SELECT DISTINCT digits FROM dnc_entries WHERE digits IS NOT NULL AND gone_ms IS NULL'
const heldSql = 'SELECT DISTINCT digits FROM holds WHERE digits IS NOT NULL AND ended_ms IS NULL'

/** Rows per message to the book. */
const batchRows = 4_000
/** Batches under way: enough to keep the book busy while the next rows are read. */
const batchesAhead = 8
/** Rejected rows are written when they are so many characters: a file of nothing else must not gather in memory. */
const rejectedChars = 1 << 20
const problemsMax = 100

/** A row for the file of rejected rows: a line by every reading of what ends one. */
const toLine = (row: JudgedRow): string =>
  `${JSON.stringify(row).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)}\n`

/** How far an import is: committed with its rows. */
interface Cursor {
  row: number
  counts: ImportCounts
  /** Length of the file of rejected rows. */
  rejectedBytes: number
}

function openJudgement(files: JobFiles) {
  const { db: book, close } = openReader(files.bookFile)
  return {
    book,
    close,
    dnc: loadNumbers(files.cacheFile, dncSql),
    held: loadNumbers(files.stateFile, heldSql),
  }
}

/** Counts what an import would do, with some rows of each outcome. Stores nothing. */
export async function previewImport(
  order: Extract<JobOrder, { job: 'import-preview' }>,
  control: JobControl,
): Promise<PreviewResult> {
  const { book, close, dnc, held } = openJudgement(order)
  try {
    const judge = createRowJudge({ choices: order.choices, book, dnc, held })
    const samples = new Map<RowOutcome, JudgedRow[]>()
    const fileProblems: PreviewResult['fileProblems'] = []
    const passes = order.choices.duplicatesInFile === 'keep-last' ? 2 : 1
    const between = (pass: number) => async (done: number, total: number) => {
      control.progress(done + (pass - 1) * total, total * passes)
      await control.checkpoint()
    }
    if (passes === 2) await readTable(order.file, order.choices.format, judge.foresee, between(1))
    await readTable(
      order.file,
      order.choices.format,
      (row) => {
        if (row.problem !== null && fileProblems.length < problemsMax)
          fileProblems.push({ rowNumber: row.rowNumber, line: row.line, text: row.problem })
        const judgement = judge.judge(row)!
        const known = samples.get(judgement.outcome) ?? []
        if (known.length < order.samplesPerOutcome) known.push(toShown(toJudgedRow(row, judgement)))
        samples.set(judgement.outcome, known)
      },
      between(passes),
    )
    return {
      counts: judge.counts,
      samples: [...samples].map(([outcome, rows]) => ({ outcome, rows })),
      fileProblems,
    }
  } finally {
    close()
  }
}

/** The book's functions for an import, as they are called from here. */
export type ImportingBook = {
  [Name in keyof ImportFunctions]: (
    ...args: Parameters<ImportFunctions[Name]>
  ) => Promise<Awaited<ReturnType<ImportFunctions[Name]>>>
}

function valueOf<T>(answer: BookAnswer<T>): T {
  if (answer.ok) return answer.value
  throw new AppError(answer.code, answer.data)
}

/** While it waits for something else, a job looks this often whether it is to end. */
const heedMs = 100

/** Waits for something else and heeds the operator meanwhile. Throws `JobCancelled`. */
async function heeding<T>(work: Promise<T>, control: JobControl): Promise<T> {
  let isHere = false
  const here = () => void (isHere = true)
  const arrival = work.then(here, here)
  while (!isHere) {
    await Promise.race([arrival, wait(heedMs, undefined, { ref: false })])
    await control.checkpoint()
  }
  return work
}

/** Stores an import's rows in the book, or goes on where an earlier run stopped. */
export async function runImport(
  order: Extract<JobOrder, { job: 'import' }>,
  control: JobControl,
  importing: ImportingBook,
): Promise<JobResults['import']> {
  // First: from here on the book notes what others change in it while the file is compared with it.
  const saved = valueOf(await heeding(importing.openImport(order.importId), control))
  const cursor: Cursor = saved
    ? (JSON.parse(saved) as Cursor)
    : { row: 0, counts: noCounts(), rejectedBytes: 0 }
  const { book, close, dnc, held } = openJudgement(order)
  const rejected = openSync(order.rejectedFile, cursor.rejectedBytes > 0 ? 'r+' : 'w', 0o600)
  ftruncateSync(rejected, cursor.rejectedBytes)
  const { choices } = order
  const judge = createRowJudge({
    choices,
    book,
    dnc,
    held,
    upToRow: cursor.row,
    counts: { ...cursor.counts },
  })
  let rejectedBytes = cursor.rejectedBytes
  let waiting: string[] = []
  let waitingChars = 0
  const packer = createRowPacker(batchRows)
  let fresh = 0
  let lastRow = cursor.row
  let shareRead = 0
  let failure: unknown = null
  const underWay = new Set<Promise<void>>()

  function flushRejected(): void {
    if (waiting.length === 0) return
    const bytes = Buffer.from(waiting.join(''))
    writeSync(rejected, bytes, 0, bytes.length, rejectedBytes)
    rejectedBytes += bytes.length
    waiting = []
    waitingChars = 0
  }

  function flush(): void {
    flushRejected()
    const rowsRead = judge.counts.rows - cursor.counts.rows
    const sending = importing
      .importRows({
        rows: packer.take(),
        fresh,
        merges: choices.duplicatesInBook === 'update',
        cursor: JSON.stringify({ row: lastRow, counts: judge.counts, rejectedBytes } satisfies Cursor),
        rowsRead,
        rowsAhead: shareRead === 0 ? 0 : lastRow / shareRead - lastRow,
        nowMs: order.nowMs,
      })
      .then(valueOf)
      .catch((error: unknown) => (failure ??= error))
      .then(() => void underWay.delete(sending))
    underWay.add(sending)
    fresh = 0
  }

  const room = async (limit: number) => {
    while (underWay.size > limit) await Promise.race(underWay)
    if (failure) throw failure
  }
  const passes = choices.duplicatesInFile === 'keep-last' ? 2 : 1
  try {
    if (passes === 2)
      await readTable(order.file, choices.format, judge.foresee, async (done, total) => {
        control.progress(done / 2, total)
        await control.checkpoint()
      })
    await readTable(
      order.file,
      choices.format,
      (row) => {
        const judgement = judge.judge(row)
        if (!judgement) return
        lastRow = row.rowNumber
        const { store, outcome } = judgement
        if (store) {
          if (store.id === 0) fresh++
          packer.add(store)
        } else if (outcome !== 'unchanged') {
          const line = toLine(toJudgedRow(row, judgement))
          waiting.push(line)
          waitingChars += line.length
        }
        if (packer.count === batchRows || waitingChars > rejectedChars) flush()
      },
      async (done, total) => {
        shareRead = done / total
        control.progress(passes === 2 ? (total + done) / 2 : done, total, { ...judge.counts })
        await room(batchesAhead)
        if (control.isPaused) {
          flush()
          await room(0)
          valueOf(await importing.releaseImport())
        }
        await control.checkpoint()
      },
    )
    flush()
    await room(0)
    return { counts: judge.counts }
  } catch (error) {
    // What was read until it was cancelled is kept, so that what is told is what is there.
    if (error instanceof JobCancelled) {
      flush()
      await room(0)
      control.tell({ ...judge.counts })
    }
    throw error
  } finally {
    closeSync(rejected)
    close()
    // What was stored until now stays, whatever ended it.
    await room(0).catch(() => {})
    const ended = await importing.closeImport()
    if (!failure) valueOf(ended)
  }
}

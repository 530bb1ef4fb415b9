import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { AppError } from '../../contract/errors.ts'
import { openReader } from '../../database/open.ts'
import type { BookAnswer, ImportBatch, ImportedBatch, ImportRow } from '../book/protocol.ts'
import { loadNumbers } from '../table/number-set.ts'
import { readTable } from '../table/read-table.ts'
import type { JobControl } from './job-control.ts'
import { createRowJudge, noCounts } from './judge-rows.ts'
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

/** Rows per commit of the book. */
const batchRows = 2_000
/** Batches under way: enough to keep the book busy while the next rows are read. */
const batchesAhead = 4
const problemsMax = 100

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
        const { judged } = judge.judge(row)!
        const known = samples.get(judged.outcome) ?? []
        if (known.length < order.samplesPerOutcome) known.push(judged)
        samples.set(judged.outcome, known)
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

/** Stores an import's rows in the book, or goes on where an earlier run stopped. */
export async function runImport(
  order: Extract<JobOrder, { job: 'import' }>,
  control: JobControl,
  importRows: (batch: ImportBatch) => Promise<BookAnswer<ImportedBatch>>,
): Promise<JobResults['import']> {
  const { book, close, dnc, held } = openJudgement(order)
  const saved = book
    .prepare<[string], string>('SELECT cursor FROM imports WHERE id = ?')
    .pluck()
    .get(order.importId)
  const cursor: Cursor = saved
    ? (JSON.parse(saved) as Cursor)
    : { row: 0, counts: noCounts(), rejectedBytes: 0 }
  const rejected = openSync(order.rejectedFile, cursor.rejectedBytes > 0 ? 'r+' : 'w', 0o600)
  ftruncateSync(rejected, cursor.rejectedBytes)
  try {
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
    let rows: ImportRow[] = []
    let lastRow = cursor.row
    let failure: unknown = null
    const underWay = new Set<Promise<void>>()

    function flushRejected(): void {
      if (waiting.length === 0) return
      const bytes = Buffer.from(waiting.join(''))
      writeSync(rejected, bytes, 0, bytes.length, rejectedBytes)
      rejectedBytes += bytes.length
      waiting = []
    }

    function flush(): void {
      flushRejected()
      const batch: ImportBatch = {
        importId: order.importId,
        rows,
        cursor: JSON.stringify({ row: lastRow, counts: judge.counts, rejectedBytes } satisfies Cursor),
        nowMs: order.nowMs,
      }
      rows = []
      const sending = importRows(batch).then((answer) => {
        underWay.delete(sending)
        if (!answer.ok) failure ??= new AppError(answer.code, answer.data)
      })
      underWay.add(sending)
    }

    const room = async (limit: number) => {
      while (underWay.size > limit) await Promise.race(underWay)
      if (failure) throw failure
    }
    const passes = choices.duplicatesInFile === 'keep-last' ? 2 : 1
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
        const { judged, store } = judgement
        if (store) rows.push(store)
        else if (judged.outcome !== 'unchanged') waiting.push(`${JSON.stringify(judged)}\n`)
        if (rows.length >= batchRows) flush()
      },
      async (done, total) => {
        control.progress(passes === 2 ? (total + done) / 2 : done, total, { ...judge.counts })
        await room(batchesAhead)
        await control.checkpoint()
      },
    )
    flush()
    await room(0)
    return { counts: judge.counts }
  } finally {
    closeSync(rejected)
    close()
  }
}

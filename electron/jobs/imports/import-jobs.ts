import { closeSync, fdatasyncSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../contract/errors.ts'
import { openReader } from '../../database/open.ts'
import { createRowPacker } from '../contact-store/packed-rows.ts'
import type { StoreAnswer } from '../contact-store/protocol.ts'
import { loadBlocked } from '../table/blocked-numbers.ts'
import { readTable } from '../table/read-table.ts'
import { committed, correctionOf, type ImportCursor, sumOf } from './import-progress.ts'
import type { ConsentColumn } from '../table/consent-words.ts'
import { type ConsentFound, findConsent, type Refusals } from './find-consent.ts'
import type { ImportCalls } from './import-calls.ts'
import { JobCancelled, type JobControl, type JobFiles } from '../run/job-control.ts'
import { jsonLine } from '../run/target-file.ts'
import { createRowJudge, noCounts, toJudgedRow, toDisplayRow } from './judge-rows.ts'
import type { JudgedRow, RowOutcome, RowProblem } from '../table/rejected-rows.ts'
import type { ImportChoices, ImportCounts } from './import-types.ts'

/** Rows per message to the contact store. */
const batchRows = 4_000
/** Batches in transit: enough to keep the contact store busy while rows are read. */
const batchesAhead = 8
/** Rejected rows are written at this many characters, to bound memory. */
const rejectedChars = 1 << 20

export interface PreviewOrder extends JobFiles {
  consent: readonly ConsentColumn[]
  header?: readonly string[]
  file: string
  choices: ImportChoices
  /** Outcome column of a saved list of rejected rows. */
  outcomeAt: number | null
  samples: number
}

export interface PreviewResult {
  counts: ImportCounts
  samples: { outcome: RowOutcome; rows: JudgedRow[] }[]
  /** First rows with each problem. */
  problems: { problem: RowProblem; rows: JudgedRow[] }[]
  consent: ConsentFound[]
  /** Numbers that the import would put on hold by what the file says. */
  toHold: number
}

/** Counts what an import would do, with sample rows. Stores nothing. */
export async function previewImport(order: PreviewOrder, control: JobControl): Promise<PreviewResult> {
  const { db: contactsDb, close } = openReader(order.contactsFile)
  try {
    const refusals = await findConsent(order, control)
    const judge = createRowJudge({
      refusals,
      header: order.header,
      choices: order.choices,
      outcomeAt: order.outcomeAt,
      contactsDb,
      blocked: loadBlocked(order),
    })
    const samples = new Map<RowOutcome, JudgedRow[]>()
    const problems = new Map<RowProblem, JudgedRow[]>()
    function keep<Kind>(kept: Map<Kind, JudgedRow[]>, kind: Kind, row: () => JudgedRow): void {
      const known = kept.get(kind) ?? []
      if (known.length < order.samples) known.push(row())
      kept.set(kind, known)
    }
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
        const judgement = judge.judge(row)!
        const shown = () => toDisplayRow(toJudgedRow(row, judgement))
        keep(samples, judgement.outcome, shown)
        for (const problem of judgement.problems) keep(problems, problem, shown)
      },
      between(passes),
    )
    return {
      counts: judge.counts,
      samples: [...samples].map(([outcome, rows]) => ({ outcome, rows })),
      problems: [...problems].map(([problem, rows]) => ({ problem, rows })),
      consent: refusals.columns,
      toHold: refusals.holds.digits.length,
    }
  } finally {
    close()
  }
}

function valueOf<T>(answer: StoreAnswer<T>): T {
  if (answer.ok) return answer.value
  throw new AppError(answer.code, answer.data)
}

/** How often a waiting job checks for cancel. */
const checkEveryMs = 100

/** Waits, but reacts to pause and cancel. Throws `JobCancelled`. */
async function withCancellation<T>(work: Promise<T>, control: JobControl): Promise<T> {
  let isOver = false
  const over = () => void (isOver = true)
  const end = work.then(over, over)
  while (!isOver) {
    await Promise.race([end, wait(checkEveryMs, undefined, { ref: false })])
    await control.checkpoint()
  }
  return work
}

/** Counts shown during a task. */
function shownCounts({ counts, correction }: ReturnType<typeof committed>): Record<string, number> {
  const { problems: _, ...shown } = sumOf(counts, correction)
  return shown
}

export interface ImportOrder extends JobFiles {
  header?: readonly string[]
  /** Those to hold are on hold already. */
  refusals: Pick<Refusals, 'holds' | 'skips' | 'shared'>
  file: string
  choices: ImportChoices
  /** As for the preview. */
  outcomeAt: number | null
  importId: string
  rejectedFile: string
  nowMs: number
}

/** Stores an import's rows, or resumes an earlier run. */
export async function runImport(
  order: ImportOrder,
  control: JobControl,
  importing: ImportCalls,
): Promise<{ counts: ImportCounts }> {
  const { size: totalBytes } = statSync(order.file)
  // Open first: the store then records changes while the file is compared.
  valueOf(await withCancellation(importing.openImport(order.importId), control))
  const { db: contactsDb, close } = openReader(order.contactsFile)
  const cursor = committed(contactsDb, order.importId)
  const rejected = openSync(order.rejectedFile, cursor.rejectedBytes > 0 ? 'r+' : 'w', 0o600)
  ftruncateSync(rejected, cursor.rejectedBytes)
  const { choices } = order
  const judge = createRowJudge({
    choices,
    refusals: order.refusals,
    header: order.header,
    outcomeAt: order.outcomeAt,
    contactsDb,
    blocked: loadBlocked(order),
    upToRow: cursor.row,
    counts: sumOf(cursor.counts, noCounts()),
  })
  let rejectedBytes = cursor.rejectedBytes
  let waiting: string[] = []
  let waitingChars = 0
  const packer = createRowPacker(batchRows)
  let fresh = 0
  let lastRow = cursor.row
  let shareRead = 0
  let doneBytes = cursor.doneBytes ?? 0
  /** Of the rows that the store has taken; it commits them within seconds. */
  let takenBytes = doneBytes
  let failure: unknown = null
  /** Corrections of the judge's counts from the contact store's results. */
  let { correction } = cursor
  const underWay = new Set<Promise<void>>()

  /** Must be on disk before the cursor with the file's length. */
  function flushRejected(): void {
    if (waiting.length === 0) return
    const bytes = Buffer.from(waiting.join(''))
    // A call may write only part.
    for (let at = 0; at < bytes.length;)
      at += writeSync(rejected, bytes, at, bytes.length - at, rejectedBytes + at)
    fdatasyncSync(rejected)
    rejectedBytes += bytes.length
    waiting = []
    waitingChars = 0
  }

  function flush(): void {
    flushRejected()
    const rowsRead = judge.counts.rows - cursor.counts.rows
    const judged = { new: fresh, update: packer.count - fresh }
    const upToBytes = doneBytes
    const sending = importing
      .importRows({
        rows: packer.take(),
        fresh,
        merges: choices.duplicatesInContacts === 'update',
        cursor: JSON.stringify({
          row: lastRow,
          counts: judge.counts,
          rejectedBytes,
          doneBytes,
        } satisfies ImportCursor),
        rowsRead,
        rowsAhead: shareRead === 0 ? 0 : lastRow / shareRead - lastRow,
        nowMs: order.nowMs,
      })
      .then((answer) => {
        correction = sumOf(correction, correctionOf(valueOf(answer), judged))
        takenBytes = upToBytes
      })
      .catch((error: unknown) => (failure ??= error))
      .then(() => void underWay.delete(sending))
    underWay.add(sending)
    fresh = 0
  }

  const room = async (limit: number) => {
    while (underWay.size > limit) await Promise.race(underWay)
    if (failure) throw failure
  }

  /** Waits for the store, unless cancelled. */
  async function roomUnlessCancelled(limit: number): Promise<void> {
    let isOver = false
    const cancel = control.cancelled.then(() => {
      if (!isOver) throw new JobCancelled()
    })
    await Promise.race([room(limit).finally(() => (isOver = true)), cancel])
  }

  async function pausePoint(): Promise<void> {
    await control.yieldToMessages()
    if (!control.isPaused) return
    flush()
    await roomUnlessCancelled(0)
    valueOf(await importing.releaseImport())
    await control.checkpoint()
    // Numbers may have been listed or held meanwhile.
    judge.renew(loadBlocked(order))
  }

  /** Always keeps what was stored. */
  async function end(): Promise<void> {
    await room(0).catch(() => {})
    const answer = await importing.closeImport()
    if (failure) throw failure
    valueOf(answer)
  }

  const passes = choices.duplicatesInFile === 'keep-last' ? 2 : 1

  /** The first pass is half of the work. */
  const inLastPass = (bytes: number) => (passes === 2 ? (totalBytes + bytes) / 2 : bytes)

  /** The contact store may have rolled back the last rows, so report only the committed ones. */
  function reportEnd(): void {
    const kept = committed(contactsDb, order.importId)
    ftruncateSync(rejected, kept.rejectedBytes)
    control.tell(inLastPass(kept.doneBytes ?? 0), shownCounts(kept))
  }

  try {
    if (passes === 2)
      await readTable(order.file, choices.format, judge.foresee, async (done) => {
        control.progress(done / 2, totalBytes)
        await pausePoint()
      })
    await readTable(
      order.file,
      choices.format,
      (row, readBytes) => {
        const judgement = judge.judge(row)
        if (!judgement) return
        doneBytes = readBytes
        lastRow = row.rowNumber
        const { store, digits, others, outcome, isPartial } = judgement
        if (store) {
          if (store.id === 0) fresh++
          packer.add(store)
        } else if (others.length > 0) packer.addOthers(digits!, others)
        if (isPartial || (!store && outcome !== 'unchanged')) {
          const line = `${jsonLine(toJudgedRow(row, judgement))}\n`
          waiting.push(line)
          waitingChars += line.length
        }
        if (packer.isFull || waitingChars > rejectedChars) flush()
      },
      async (done) => {
        shareRead = done / totalBytes
        // Bytes move with each batch, counts with each commit.
        const kept = committed(contactsDb, order.importId)
        control.progress(inLastPass(takenBytes), totalBytes, shownCounts(kept))
        if (underWay.size > batchesAhead || failure) await roomUnlessCancelled(batchesAhead)
        await pausePoint()
      },
    )
    flush()
    await end()
    reportEnd()
    control.progress(totalBytes, totalBytes)
    return { counts: sumOf(judge.counts, correction) }
  } catch (error) {
    // On cancel, keeps what was read. Reports the first error.
    try {
      if (error instanceof JobCancelled) flush()
    } finally {
      await end().catch(() => {})
    }
    reportEnd()
    throw error
  } finally {
    closeSync(rejected)
    close()
  }
}

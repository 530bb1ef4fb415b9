import { closeSync, fdatasyncSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openReader } from '../../database/open.ts'
import type { ImportBatch, ImportCalls } from '../contact-store/protocol.ts'
import type { ImportRow } from '../contact-store/store-types.ts'
import { loadBlocked } from '../table/blocked-numbers.ts'
import { readTable } from '../table/read-table.ts'
import { committed, type ImportCursor } from './import-progress.ts'
import type { Refusals } from '../table/find-consent.ts'
import { JobCancelled, type JobControl, type JobFiles } from '../run/job-control.ts'
import { jsonLine } from '../run/target-file.ts'
import { createRowJudge, toJudgedRow } from './judge-rows.ts'
import type { ImportChoices, ImportCounts } from '../../contract/people/imports.ts'

/** Rows per message to the contact store. */
const batchRows = 4_000
/** Batches in transit: enough to keep the contact store busy while rows are read. */
const batchesAhead = 8
/** Rejected rows are written at this many characters, to bound memory. */
const rejectedChars = 1 << 20

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
function shownCounts({ stored }: ReturnType<typeof committed>): Record<string, number> {
  const { problems: _, ...shown } = stored
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

/** The file of rejected rows, from its committed length. */
function openRejected(file: string, committedBytes: number) {
  const fd = openSync(file, committedBytes > 0 ? 'r+' : 'w', 0o600)
  ftruncateSync(fd, committedBytes)
  let bytes = committedBytes
  let waiting: string[] = []
  let chars = 0
  return {
    get isFull() {
      return chars > rejectedChars
    },
    add(line: string): void {
      waiting.push(line)
      chars += line.length
    },
    /** Returns the file's length. It is on disk before the cursor that has it. */
    flush(): number {
      if (waiting.length === 0) return bytes
      const added = Buffer.from(waiting.join(''))
      // A call may write only part.
      for (let at = 0; at < added.length;) at += writeSync(fd, added, at, added.length - at, bytes + at)
      fdatasyncSync(fd)
      waiting = []
      chars = 0
      return (bytes += added.length)
    },
    truncate: (toBytes: number) => ftruncateSync(fd, toBytes),
    close: () => closeSync(fd),
  }
}

/** Batches on their way to the contact store. */
function createBatches(importing: ImportCalls, control: JobControl, doneBytes: number) {
  const underWay = new Set<Promise<void>>()
  let failure: unknown = null
  const batches = {
    /** Of the rows that the store has taken; it commits them within seconds. */
    takenBytes: doneBytes,
    get isFull() {
      return underWay.size > batchesAhead || failure !== null
    },
    send(batch: ImportBatch, upToBytes: number): void {
      const sending = importing
        .importRows(batch)
        .then(() => void (batches.takenBytes = upToBytes))
        .catch((error: unknown) => (failure ??= error))
        .then(() => void underWay.delete(sending))
      underWay.add(sending)
    },
    /** Waits until at most this many are on their way, unless cancelled. */
    async room(limit: number): Promise<void> {
      let isOver = false
      const cancel = control.cancelled.then(() => {
        if (!isOver) throw new JobCancelled()
      })
      await Promise.race([settled(limit).finally(() => (isOver = true)), cancel])
    },
    /** Ends the import. Always keeps what was stored. */
    async close(): Promise<void> {
      await settled(0).catch(() => {})
      await importing.closeImport().catch((error: unknown) => (failure ??= error))
      if (failure) throw failure
    },
  }
  async function settled(limit: number): Promise<void> {
    while (underWay.size > limit) await Promise.race(underWay)
    if (failure) throw failure
  }
  return batches
}

/** Stores an import's rows, or resumes an earlier run. */
export async function runImport(
  order: ImportOrder,
  control: JobControl,
  importing: ImportCalls,
): Promise<{ counts: ImportCounts }> {
  const { size: totalBytes } = statSync(order.file)
  // Open first: the store then records changes while the file is compared.
  await withCancellation(importing.openImport(order.importId), control)
  const { db: contactsDb, close } = openReader(order.contactsFile)
  const cursor = committed(contactsDb, order.importId)
  const rejected = openRejected(order.rejectedFile, cursor.rejectedBytes)
  const batches = createBatches(importing, control, cursor.doneBytes)
  const { choices } = order
  const judge = createRowJudge({
    choices,
    refusals: order.refusals,
    header: order.header,
    outcomeAt: order.outcomeAt,
    contactsDb,
    blocked: loadBlocked(order),
    upToRow: cursor.row,
    counts: { ...cursor.counts, problems: { ...cursor.counts.problems } },
  })
  let rows: ImportRow[] = []
  let others: [number, number][] = []
  let fresh = 0
  /** How far the file is read: its share is known now and then. */
  const read = { row: cursor.row, bytes: cursor.doneBytes, share: 0 }

  function flush(): void {
    const reached: ImportCursor = {
      row: read.row,
      counts: judge.counts,
      rejectedBytes: rejected.flush(),
      doneBytes: read.bytes,
    }
    const batch = {
      rows,
      others,
      fresh,
      merges: choices.duplicatesInContacts === 'update',
      cursor: JSON.stringify(reached),
      rowsRead: judge.counts.rows - cursor.counts.rows,
      rowsAhead: read.share === 0 ? 0 : read.row / read.share - read.row,
      nowMs: order.nowMs,
    }
    batches.send(batch, read.bytes)
    rows = []
    others = []
    fresh = 0
  }

  async function pausePoint(): Promise<void> {
    await control.yieldToMessages()
    if (!control.isPaused) return
    flush()
    await batches.room(0)
    await importing.releaseImport()
    await control.checkpoint()
    // Numbers may have been listed or held meanwhile.
    judge.renew(loadBlocked(order))
  }

  const passes = choices.duplicatesInFile === 'keep-last' ? 2 : 1

  /** The first pass is half of the work. */
  const inLastPass = (bytes: number) => (passes === 2 ? (totalBytes + bytes) / 2 : bytes)

  /** The contact store may have rolled back the last rows, so report only the committed ones. */
  function reportEnd(): { counts: ImportCounts } {
    const kept = committed(contactsDb, order.importId)
    rejected.truncate(kept.rejectedBytes)
    control.tell(inLastPass(kept.doneBytes), shownCounts(kept))
    return { counts: kept.stored }
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
        read.bytes = readBytes
        read.row = row.rowNumber
        const { store, digits, outcome, isPartial } = judgement
        if (store) {
          if (store.id === 0) fresh++
          rows.push(store)
        } else for (const other of judgement.others) others.push([digits!, other])
        if (isPartial || (!store && outcome !== 'unchanged'))
          rejected.add(`${jsonLine(toJudgedRow(row, judgement))}\n`)
        if (rows.length === batchRows || others.length >= batchRows || rejected.isFull) flush()
      },
      async (done) => {
        read.share = done / totalBytes
        // Bytes move with each batch, counts with each commit.
        const kept = committed(contactsDb, order.importId)
        control.progress(inLastPass(batches.takenBytes), totalBytes, shownCounts(kept))
        if (batches.isFull) await batches.room(batchesAhead)
        await pausePoint()
      },
    )
    flush()
    await batches.close()
    const end = reportEnd()
    control.progress(totalBytes, totalBytes)
    return end
  } catch (error) {
    // On cancel, keeps what was read. Reports the first error.
    try {
      if (error instanceof JobCancelled) flush()
    } finally {
      await batches.close().catch(() => {})
    }
    reportEnd()
    throw error
  } finally {
    rejected.close()
    close()
  }
}

import type { Database } from 'better-sqlite3'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import { type EventSums, summedColumns, type SummedEvent, type SumsBatch } from './event-sums.ts'

/** Rows examined per transaction, each with a journal look-up: about 10 ms of the core thread. */
const rowsPerStep = 1_000

/** A stored event, and the journal seq its fields come from. */
type StoredEvent = SummedEvent & { sourceSeq: number }

export type StartOver = ReturnType<typeof createStartOver>

/**
 * Deletes what the journal can restore and keeps the rest: an event stays when its first delivery, the source of
 * its fields or one of its duplicates is missing there. Sums are rebuilt from the kept events. The `projector`
 * row is deleted first and written last, so that an interrupted rebuild starts again.
 */
export function createStartOver(db: Database, sums: EventSums, journal: Pick<JournalReader, 'read'>) {
  const forgetState = db.prepare('DELETE FROM projector')
  const nextCopies = db
    .prepare<[number, number], number>(
      'SELECT journal_seq FROM copies WHERE journal_seq > ? ORDER BY journal_seq LIMIT ?',
    )
    .pluck()
  const dropCopy = db.prepare<[number]>('DELETE FROM copies WHERE journal_seq = ?')
  const nextEvents = db.prepare<[number, number], StoredEvent>(
    `SELECT ${summedColumns}, source_seq AS sourceSeq FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
  )
  const countCopies = db.prepare<[number], number>('SELECT count(*) FROM copies WHERE event_seq = ?').pluck()
  const keepEvent = db.prepare<[number, number]>('UPDATE events SET copies = ? WHERE seq = ?')
  const dropEvent = db.prepare<[number]>('DELETE FROM events WHERE seq = ?')
  const writeState = db.prepare<[number]>(
    'INSERT INTO projector (id, watermark, stored_total) VALUES (1, 0, ?)',
  )
  const inJournal = (seq: number) => journal.read(seq) !== null

  /** Each stage returns its position, or null when done. Position 0 is before the first row. */
  const stages: ((after: number) => number | null)[] = [
    () => {
      forgetState.run()
      return sums.clear(rowsPerStep) > 0 ? 0 : null
    },
    (after) => {
      const copies = nextCopies.all(after, rowsPerStep)
      for (const seq of copies) if (inJournal(seq)) dropCopy.run(seq)
      return copies.at(-1) ?? null
    },
    (after) => {
      const events = nextEvents.all(after, rowsPerStep)
      const batch = sums.batch()
      for (const event of events) if (!drop(event)) keep(event, batch)
      batch.write()
      return events.at(-1)?.seq ?? null
    },
  ]
  let stage = 0
  let after = 0
  let kept = 0
  let keptInBatch = 0

  /** Only duplicates missing in the journal are left by now. */
  function drop({ seq, sourceSeq }: StoredEvent): boolean {
    if (!inJournal(seq) || (sourceSeq !== seq && !inJournal(sourceSeq)) || countCopies.get(seq)! > 0)
      return false
    dropEvent.run(seq)
    return true
  }

  function keep(event: StoredEvent, batch: SumsBatch): void {
    keepEvent.run(1 + countCopies.get(event.seq)!, event.seq)
    batch.add(event)
    keptInBatch++
  }

  const work = db.transaction((): number | null => {
    keptInBatch = 0
    const position = stages[stage]!(after)
    if (position === null && stage === stages.length - 1) writeState.run(kept)
    return position
  })

  return {
    /** Runs one transaction. @returns the number of events kept after the last one, null before. */
    step(): number | null {
      const position = work.immediate()
      // After the commit: a failed transaction is repeated from its start.
      kept += keptInBatch
      after = position ?? 0
      if (position === null) stage++
      return stage === stages.length ? kept : null
    },
  }
}

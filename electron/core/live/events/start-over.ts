import type { Database } from 'better-sqlite3'
import type { JournalReader } from '../../../listener/journal.ts'
import { type EventSums, summedColumns, type SummedEvent, type SumsBatch } from './event-sums.ts'

/** Rows looked at in one transaction, each with a look into the journal: about 10 ms of the core thread. */
const rowsPerStep = 1_000

/** A stored event, and the journal seq its fields were taken from. */
type StoredEvent = SummedEvent & { sourceSeq: number }

/** Begins again with the journal, in pieces. */
export interface StartOver {
  /** One transaction. @returns the number of events kept once the last one is done, null before. */
  step(): number | null
}

/**
 * Takes away what can be made of the journal again and keeps what it no longer has: an event stays when the delivery it
 * began with, the one its fields were taken from or one of its copies is missing there. The sums are made anew of what stays.
 * The row of `projector` goes first and comes back last, so that a start over that is broken off begins again.
 */
export function createStartOver(
  db: Database,
  sums: EventSums,
  journal: Pick<JournalReader, 'read'>,
): StartOver {
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

  /** Each answers how far it came, or null when nothing is left; position 0 is before the first row. */
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
  let keptNow = 0

  /** The copies that are left are those the journal has lost. */
  function drop({ seq, sourceSeq }: StoredEvent): boolean {
    if (!inJournal(seq) || (sourceSeq !== seq && !inJournal(sourceSeq)) || countCopies.get(seq)! > 0)
      return false
    dropEvent.run(seq)
    return true
  }

  function keep(event: StoredEvent, batch: SumsBatch): void {
    keepEvent.run(1 + countCopies.get(event.seq)!, event.seq)
    batch.add(event)
    keptNow++
  }

  const work = db.transaction((): number | null => {
    keptNow = 0
    const position = stages[stage]!(after)
    if (position === null && stage === stages.length - 1) writeState.run(kept)
    return position
  })

  return {
    step() {
      const position = work.immediate()
      // Only now: a transaction that failed is done again from where it began.
      kept += keptNow
      after = position ?? 0
      if (position === null) stage++
      return stage === stages.length ? kept : null
    },
  }
}

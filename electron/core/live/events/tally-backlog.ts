import type { Database } from 'better-sqlite3'
import { type EventSums, summedColumns, type SummedEvent } from './event-sums.ts'

/** Events counted in one transaction: about 5 ms of the core thread. */
const eventsPerStep = 200

/** Counts, piece by piece, the events that were stored before there were tallies. */
export interface TallyBacklog {
  /** One transaction. @returns false when nothing was left. */
  step(): boolean
}

export function createTallyBacklog(db: Database, sums: EventSums): TallyBacklog {
  const nextEvents = db.prepare<[number, number, number], SummedEvent>(
    `SELECT ${summedColumns} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const work = db.transaction((): boolean => {
    const backlog = sums.backlog()
    if (!backlog) return false
    const events = nextEvents.all(backlog.afterSeq, backlog.upToSeq, eventsPerStep)
    const batch = sums.batch()
    for (const event of events) batch.tally(event)
    batch.write()
    sums.moveBacklog(events.length < eventsPerStep ? backlog.upToSeq : events.at(-1)!.seq)
    return true
  })
  return { step: () => work.immediate() }
}

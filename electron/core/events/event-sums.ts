import type { Database } from 'better-sqlite3'
import type { createArrivalCount } from './arrival-count.ts'
import { isFinal, rankOf } from './message-status.ts'

/** What a delivery report says of its message. */
export interface MessageReport {
  messageId: string
  status: string
  /** The service's time as it was sent. */
  serviceTime: string | null
}

/** The tables that hold sums over the events. Both calls belong into the transaction that changes the events. */
export interface EventSums {
  /** Moves a message on to the status of a report, if that is further along. */
  advance(report: MessageReport, receivedMs: number): void
  /** Adds what was counted. */
  addArrivals(arrivals: ReturnType<typeof createArrivalCount>): void
}

/** Milliseconds since the epoch of a service's time, 0 where it is absent or no time. */
function serviceMs(serviceTime: string | null): number {
  const parsed = serviceTime === null ? NaN : Date.parse(serviceTime)
  return Number.isNaN(parsed) ? 0 : parsed
}

export function createEventSums(db: Database): EventSums {
  const advanceMessage = db.prepare(
    `INSERT INTO messages (message_id, status, rank, final, service_ms, since_ms)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (message_id) DO UPDATE SET
       status = excluded.status, rank = excluded.rank, final = excluded.final,
       service_ms = excluded.service_ms, since_ms = excluded.since_ms
     WHERE (excluded.rank, excluded.service_ms, excluded.status) > (rank, service_ms, status)`,
  )
  const addArrival = db.prepare(
    `INSERT INTO arrivals (grain_ms, bucket_ms, name, count, first_seq, last_seq)
     VALUES (:grainMs, :bucketMs, :name, :count, :firstSeq, :lastSeq)
     ON CONFLICT (grain_ms, bucket_ms, name) DO UPDATE SET
       count = count + excluded.count,
       first_seq = min(first_seq, excluded.first_seq),
       last_seq = max(last_seq, excluded.last_seq)`,
  )
  return {
    advance({ messageId, status, serviceTime }, receivedMs) {
      const rank = rankOf(status)
      advanceMessage.run(messageId, status, rank, isFinal(rank) ? 1 : 0, serviceMs(serviceTime), receivedMs)
    },
    addArrivals(arrivals) {
      for (const arrival of arrivals.all()) addArrival.run(arrival)
    },
  }
}

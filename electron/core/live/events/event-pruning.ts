import type { OptOutSign } from '../../people/dnc/possible-opt-outs.ts'
import type { Database } from 'better-sqlite3'
import { createMessageRows } from './message-rows.ts'

/** Events examined per transaction: about 10 ms of the core thread. */
const eventsPerStep = 250

/** Events to delete: up to `upToSeq`, without any delivery at or after `beforeMs`. */
export interface PruneRange {
  upToSeq: number
  /** Milliseconds since the Unix epoch. */
  beforeMs: number
  /** At most this many, oldest first. */
  maxEvents?: number
}

/** A deleted event. */
export interface PrunedEvent {
  seq: number
  kind: string
  /** The other party's number, as received. */
  number: string | null
  optOut: OptOutSign | null
}

interface Candidate extends PrunedEvent {
  sourceSeq: number
  messageId: string | null
  messageHash: number
  receivedMs: number
  newestCopyMs: number | null
  /** It may be an opt-out and waits for an answer. */
  isAsked: 0 | 1
}

const selectCandidates = `
  SELECT seq, source_seq AS sourceSeq, kind, number, opt_out AS optOut, message_id AS messageId, message_hash AS messageHash,
    received_ms AS receivedMs, (SELECT max(received_ms) FROM copies WHERE event_seq = events.seq) AS newestCopyMs,
    EXISTS (SELECT 1 FROM possible_opt_outs WHERE seq = events.seq AND answer IS NULL) AS isAsked
  FROM events`

type Forget = (events: readonly PrunedEvent[]) => void

/** Deletes old events in pieces. */
export function createEventPruning(db: Database) {
  const candidates = db.prepare<[number, number, number], Candidate>(
    `${selectCandidates} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const candidate = db.prepare<[number], Candidate>(`${selectCandidates} WHERE seq = ?`)
  const dropCopies = db.prepare<[number]>('DELETE FROM copies WHERE event_seq = ?')
  const dropEvent = db.prepare<[number]>('DELETE FROM events WHERE seq = ?')
  const countDown = db.prepare<[number]>('UPDATE projector SET stored_total = stored_total - ?')
  const messages = createMessageRows(db)
  const takenUpTo = db.prepare<[], number>('SELECT seq FROM holds_progress').pluck()
  const isNewer = ({ receivedMs, newestCopyMs }: Candidate, beforeMs: number) =>
    receivedMs >= beforeMs || (newestCopyMs !== null && newestCopyMs >= beforeMs)

  /** Call within a transaction. */
  function dropAll(deleted: readonly Candidate[], beforeMs: number, forget: Forget): void {
    for (const { seq, newestCopyMs } of deleted) {
      if (newestCopyMs !== null) dropCopies.run(seq)
      dropEvent.run(seq)
    }
    messages.moveFrom(deleted, beforeMs)
    forget(deleted)
    countDown.run(deleted.length)
  }

  const dropThese = db.transaction((seqs: readonly number[], forget: Forget) => {
    const found = seqs.flatMap((seq) => candidate.get(seq) ?? [])
    dropAll(found, 0, forget)
    return found.length
  })

  const work = db.transaction((range: PruneRange, afterSeq: number, forget: Forget) => {
    const limit = Math.min(eventsPerStep, range.maxEvents ?? eventsPerStep)
    const found = candidates.all(afterSeq, range.upToSeq, limit)
    const takenSeq = takenUpTo.get() ?? 0
    // Keep an opt-out until its sender is on hold, and a possible one until someone answers.
    const old = found.filter(
      (event) =>
        !isNewer(event, range.beforeMs) &&
        !event.isAsked &&
        (event.optOut === null || event.sourceSeq <= takenSeq),
    )
    dropAll(old, range.beforeMs, forget)
    return { deleted: old.length, nextSeq: found.length < limit ? null : found.at(-1)!.seq }
  })
  return {
    /**
     * Processes the next piece after `afterSeq` in one transaction, and calls `forget` in it with the deleted
     * events. Sums stay, because they count what arrived, and so do messages without a final status.
     * @returns how many were deleted, and where the next piece begins; null at the end.
     */
    step: (
      range: PruneRange,
      afterSeq: number,
      forget: Forget,
    ): { deleted: number; nextSeq: number | null } => work.immediate(range, afterSeq, forget),
    /** Deletes these events in one transaction, regardless of age. @returns how many. */
    drop: (seqs: readonly number[], forget: Forget): number => dropThese.immediate(seqs, forget),
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventRow } from '../../../contract/live/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { CompiledFilter } from './event-filter.ts'
import type { ArrivalCount, EventsRepository } from './events.repository.ts'

/**
 * Seqs examined before yielding. A text filter reads each row: about 10 ms (measured at about 1 µs a row). A
 * filter with an index reads only matches.
 */
export const seqsPerTurn = 10_000

/** Filters whose count is cached. */
const countsKept = 32

/** Number of events of a filter up to a seq. */
interface Count {
  upToSeq: number
  count: number
}

/** How long a query may take. */
interface Patience {
  /** When true, the query ends with what it has found. */
  isOver?: () => boolean
  /** Rejects the query with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** An `isOver` that turns true after `afterMs`. */
export function overAfter(clock: Clock, afterMs: number): () => boolean {
  const overMs = clock.monotonic() + afterMs
  return () => clock.monotonic() >= overMs
}

export type EventScan = ReturnType<typeof createEventScan>

const never = () => false

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}

/** Scans stored events in pieces, so that queries over millions of them don't block the thread. */
export function createEventScan(repository: EventsRepository) {
  let counts = new Map<string, Count>()

  /** The part of (afterSeq, upToSeq] that can hold events of the filter's time. A short range isn't worth the query. */
  function narrowed(filter: CompiledFilter, afterSeq: number, upToSeq: number) {
    if (upToSeq - afterSeq <= seqsPerTurn) return { lowest: afterSeq, highest: upToSeq }
    const bounds = repository.seqBounds(filter.fromMs, filter.toMs)
    return bounds
      ? { lowest: Math.max(afterSeq, bounds.firstSeq - 1), highest: Math.min(upToSeq, bounds.lastSeq) }
      : { lowest: upToSeq, highest: upToSeq }
  }

  /** The cached count of a filter, advanced by any of its readers. */
  function countOf(filter: CompiledFilter): Count {
    const count = counts.get(filter.key) ?? { upToSeq: 0, count: 0 }
    counts.delete(filter.key)
    counts.set(filter.key, count)
    const oldest = counts.keys().next().value
    if (counts.size > countsKept && oldest !== undefined) counts.delete(oldest)
    return count
  }

  return {
    /**
     * The newest `limit` events up to `upToSeq`, newest first. `searchedToSeq` is the lowest seq examined when
     * time ran out, else null.
     */
    async newest(
      filter: CompiledFilter,
      upToSeq: number,
      limit: number,
      { isOver = never, signal }: Patience = {},
    ): Promise<{ rows: EventRow[]; searchedToSeq: number | null }> {
      const events = repository.select(filter)
      const { lowest, highest } = narrowed(filter, 0, upToSeq)
      const rows: EventRow[] = []
      // Taken before the first pause, so that a `forget` meanwhile stays in effect.
      const shared = countOf(filter)
      for (let high = highest; high > lowest && rows.length < limit; high -= seqsPerTurn) {
        if (high !== highest) {
          if (isOver()) return { rows, searchedToSeq: high }
          await pause(signal)
        }
        rows.push(...events.newest(Math.max(lowest, high - seqsPerTurn), high, limit - rows.length))
      }
      // All matches were found, so they are counted too.
      if (rows.length < limit && upToSeq > shared.upToSeq)
        Object.assign(shared, { upToSeq, count: rows.length })
      return { rows, searchedToSeq: null }
    },
    /** Number of events up to `upToSeq` that pass; null when time ran out. Later calls resume the count. */
    async count(
      filter: CompiledFilter,
      upToSeq: number,
      { isOver = never, signal }: Patience = {},
    ): Promise<number | null> {
      signal?.throwIfAborted()
      const events = repository.select(filter)
      const shared = countOf(filter)
      const { lowest, highest } = narrowed(filter, shared.upToSeq, upToSeq)
      while (shared.upToSeq < upToSeq) {
        const low = Math.max(shared.upToSeq, lowest)
        const high = Math.min(low + seqsPerTurn, highest)
        if (low < high) shared.count += events.count(low, high)
        shared.upToSeq = low < high && high < highest ? high : upToSeq
        if (shared.upToSeq >= upToSeq) break
        if (isOver()) return null
        await pause(signal)
      }
      // Another reader has advanced the count further.
      let { count } = shared
      for (let high = shared.upToSeq; high > upToSeq; high -= seqsPerTurn) {
        if (high !== shared.upToSeq) await pause(signal)
        count -= events.count(Math.max(upToSeq, high - seqsPerTurn), high)
      }
      return count
    },
    /** Events by name and bucket; a bucket may come in parts. */
    async arrivals(
      filter: CompiledFilter,
      upToSeq: number,
      bucketMs: number,
      signal?: AbortSignal,
    ): Promise<ArrivalCount[]> {
      const events = repository.select(filter)
      const { lowest, highest } = narrowed(filter, 0, upToSeq)
      const counts: ArrivalCount[] = []
      for (let low = lowest; low < highest; low += seqsPerTurn) {
        if (low !== lowest) await pause(signal)
        counts.push(...events.arrivals(low, Math.min(low + seqsPerTurn, highest), bucketMs))
      }
      return counts
    },
    /** Clears cached counts after events changed or were deleted. */
    forget(): void {
      counts = new Map()
    },
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventRow } from '../../contract/events.ts'
import type { CompiledFilter } from './event-filter.ts'
import type { EventsRepository } from './events.repository.ts'

/**
 * Seqs looked at before the thread does something else. A filter on a part of a text reads each row of them: about 10 ms
 * (measured at about 1 µs a row). A filter with an index reads only what matches.
 */
export const seqsPerTurn = 10_000

/** Filters whose count is remembered. */
const countsKept = 32

/** Both calls reject with the signal's reason once it aborts: nobody waits for the answer any more. */
export interface EventScan {
  /** The newest `limit` events of the filter up to `upToSeq`, newest first. */
  newest(filter: CompiledFilter, upToSeq: number, limit: number, signal?: AbortSignal): Promise<EventRow[]>
  /** How many events up to `upToSeq` pass the filter. Remembered, so that later calls only count what came since. */
  count(filter: CompiledFilter, upToSeq: number, signal?: AbortSignal): Promise<number>
  /** Forgets remembered counts: stored events were changed or thrown away. */
  forget(): void
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}

/** Walks the stored events in pieces, so that no question about millions of them holds up the thread. */
export function createEventScan(repository: EventsRepository): EventScan {
  let counts = new Map<string, { upToSeq: number; count: number }>()

  /** The part of (afterSeq, upToSeq] in which events of the filter's time can lie. */
  function narrowed(filter: CompiledFilter, afterSeq: number, upToSeq: number) {
    const bounds = repository.seqBounds(filter.fromMs, filter.toMs)
    return bounds
      ? { lowest: Math.max(afterSeq, bounds.firstSeq - 1), highest: Math.min(upToSeq, bounds.lastSeq) }
      : { lowest: 0, highest: 0 }
  }

  return {
    async newest(filter, upToSeq, limit, signal) {
      const events = repository.select(filter)
      const { lowest, highest } = narrowed(filter, 0, upToSeq)
      const rows: EventRow[] = []
      for (let high = highest; high > lowest && rows.length < limit; high -= seqsPerTurn) {
        if (high !== highest) await pause(signal)
        rows.push(...events.newest(Math.max(lowest, high - seqsPerTurn), high, limit - rows.length))
      }
      return rows
    },
    async count(filter, upToSeq, signal) {
      const generation = counts
      const remembered = generation.get(filter.key)
      const usable = remembered && remembered.upToSeq <= upToSeq ? remembered : { upToSeq: 0, count: 0 }
      const { lowest, highest } = narrowed(filter, usable.upToSeq, upToSeq)
      const events = repository.select(filter)
      let count = usable.count
      for (let low = lowest; low < highest; low += seqsPerTurn) {
        if (low !== lowest) await pause(signal)
        count += events.count(low, Math.min(low + seqsPerTurn, highest))
      }
      generation.delete(filter.key)
      generation.set(filter.key, { upToSeq, count })
      const oldest = generation.keys().next().value
      if (generation.size > countsKept && oldest !== undefined) generation.delete(oldest)
      return count
    },
    forget() {
      counts = new Map()
    },
  }
}

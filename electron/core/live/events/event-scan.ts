import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventRow } from '../../../contract/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { CompiledFilter } from './event-filter.ts'
import type { EventsRepository } from './events.repository.ts'

/**
 * Seqs looked at before the thread does something else. A filter on a part of a text reads each row of them: about 10 ms
 * (measured at about 1 µs a row). A filter with an index reads only what matches.
 */
export const seqsPerTurn = 10_000

/** Filters whose count is remembered. */
const countsKept = 32

/** Events of one filter up to a seq. */
interface Count {
  upToSeq: number
  count: number
}

/** How long a question may take. */
export interface Patience {
  /** Says that nobody waits longer: what was found by then is the answer. */
  isOver?: () => boolean
  /** Rejects the question with its reason: nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
}

/** An `isOver` that says so `afterMs` from now. */
export function overAfter(clock: Clock, afterMs: number): () => boolean {
  const overMs = clock.monotonic() + afterMs
  return () => clock.monotonic() >= overMs
}

export interface EventScan {
  /** The newest `limit` events of the filter up to `upToSeq`, newest first. `lookedToSeq` is what it came down to when it was over, else null. */
  newest(
    filter: CompiledFilter,
    upToSeq: number,
    limit: number,
    patience?: Patience,
  ): Promise<{ rows: EventRow[]; lookedToSeq: number | null }>
  /**
   * How many events up to `upToSeq` pass the filter; null when it is over before they are counted. Remembered: the next call goes on where
   * this one stopped, and later ones only count what came since.
   */
  count(filter: CompiledFilter, upToSeq: number, patience?: Patience): Promise<number | null>
  /** Forgets remembered counts: stored events were changed or thrown away. */
  forget(): void
}

const never = () => false

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}

/** Walks the stored events in pieces, so that no question about millions of them holds up the thread. */
export function createEventScan(repository: EventsRepository): EventScan {
  let counts = new Map<string, Count>()

  /** The part of (afterSeq, upToSeq] in which events of the filter's time can lie. A short range is not worth the question. */
  function narrowed(filter: CompiledFilter, afterSeq: number, upToSeq: number) {
    if (upToSeq - afterSeq <= seqsPerTurn) return { lowest: afterSeq, highest: upToSeq }
    const bounds = repository.seqBounds(filter.fromMs, filter.toMs)
    return bounds
      ? { lowest: Math.max(afterSeq, bounds.firstSeq - 1), highest: Math.min(upToSeq, bounds.lastSeq) }
      : { lowest: upToSeq, highest: upToSeq }
  }

  /** The count of a filter, shared by all who ask for it. Whoever is at work moves it on. */
  function countOf(filter: CompiledFilter): Count {
    const count = counts.get(filter.key) ?? { upToSeq: 0, count: 0 }
    counts.delete(filter.key)
    counts.set(filter.key, count)
    const oldest = counts.keys().next().value
    if (counts.size > countsKept && oldest !== undefined) counts.delete(oldest)
    return count
  }

  return {
    async newest(filter, upToSeq, limit, { isOver = never, signal } = {}) {
      const events = repository.select(filter)
      const { lowest, highest } = narrowed(filter, 0, upToSeq)
      const rows: EventRow[] = []
      // Taken before the first pause: what is forgotten meanwhile stays forgotten.
      const shared = countOf(filter)
      for (let high = highest; high > lowest && rows.length < limit; high -= seqsPerTurn) {
        if (high !== highest) {
          if (isOver()) return { rows, lookedToSeq: high }
          await pause(signal)
        }
        rows.push(...events.newest(Math.max(lowest, high - seqsPerTurn), high, limit - rows.length))
      }
      // It has seen them all: they need not be looked through again to be counted.
      if (rows.length < limit && upToSeq > shared.upToSeq)
        Object.assign(shared, { upToSeq, count: rows.length })
      return { rows, lookedToSeq: null }
    },
    async count(filter, upToSeq, { isOver = never, signal } = {}) {
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
      // Another one who asked was further already.
      let { count } = shared
      for (let high = shared.upToSeq; high > upToSeq; high -= seqsPerTurn) {
        if (high !== shared.upToSeq) await pause(signal)
        count -= events.count(Math.max(upToSeq, high - seqsPerTurn), high)
      }
      return count
    },
    forget() {
      counts = new Map()
    },
  }
}

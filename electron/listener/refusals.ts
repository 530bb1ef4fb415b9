import type { RefusalReason, RefusalSample } from './protocol.ts'

/** How many refused requests are remembered. */
const ringSize = 200

export interface RefusalRing {
  /** Counts a refusal and remembers it. */
  add(sample: RefusalSample): void
  /** Counts a refusal that has nothing to show. */
  count(reason: RefusalReason): void
  /** Newest first. */
  samples(): RefusalSample[]
  counts(): Partial<Record<RefusalReason, number>>
  total(): number
}

/** Remembers the last refused requests and counts all of them. Memory is bounded by the ring and the header limit. */
export function createRefusalRing(): RefusalRing {
  const ring: RefusalSample[] = []
  let next = 0
  const counts: Partial<Record<RefusalReason, number>> = {}
  let total = 0
  const count = (reason: RefusalReason) => {
    counts[reason] = (counts[reason] ?? 0) + 1
    total++
  }
  return {
    add(sample) {
      count(sample.reason)
      ring[next] = sample
      next = (next + 1) % ringSize
    },
    count,
    samples: () => [...ring.slice(next), ...ring.slice(0, next)].reverse(),
    counts: () => ({ ...counts }),
    total: () => total,
  }
}

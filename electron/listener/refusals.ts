import type { RefusalReason, RefusalSample } from './protocol.ts'

/** How many refused requests are remembered. */
const ringSize = 200

/** A refused request with all that was read of it. */
export interface KeptRefusal {
  sample: Omit<RefusalSample, 'id'>
  /** Without credentials of any kind. */
  headers: [name: string, value: string][]
  /** Null when it was not read. */
  body: Buffer | null
  receivedSignature: string | null
}

export interface RefusalRing {
  /** Counts a refusal and remembers it. */
  add(refusal: KeptRefusal): void
  /** Newest first. */
  samples(): RefusalSample[]
  /** One that is still remembered. */
  find(id: string): (KeptRefusal & { sample: RefusalSample }) | undefined
  counts(): Partial<Record<RefusalReason, number>>
  total(): number
}

/** Remembers the last refused requests and counts all of them. Memory is bounded: 200 bodies of at most the body's limit. */
export function createRefusalRing(): RefusalRing {
  const ring: (KeptRefusal & { sample: RefusalSample })[] = []
  let next = 0
  const counts: Partial<Record<RefusalReason, number>> = {}
  let total = 0
  return {
    add({ sample, headers, body, receivedSignature }) {
      counts[sample.reason] = (counts[sample.reason] ?? 0) + 1
      total++
      ring[next] = {
        sample: { id: `${sample.atMs}-${total}`, ...sample },
        headers,
        // A copy: what was read may be a small part of a large buffer.
        body: body && Buffer.from(body),
        receivedSignature,
      }
      next = (next + 1) % ringSize
    },
    samples: () => [...ring.slice(next), ...ring.slice(0, next)].map(({ sample }) => sample).reverse(),
    find: (id) => ring.find(({ sample }) => sample.id === id),
    counts: () => ({ ...counts }),
    total: () => total,
  }
}

import type { RefusalReason, RefusalSample } from './protocol.ts'

/** How many refused requests are remembered at most, and how many bytes of them. */
const rememberedMost = 2_000
const rememberedBytes = 16 * 1024 * 1024

/** About what a request costs beside its body and headers, bytes. */
const perRefusalBytes = 500

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

const bytesOf = ({ headers, body }: KeptRefusal): number =>
  headers.reduce((sum, [name, value]) => sum + 2 * (name.length + value.length), perRefusalBytes) +
  (body?.length ?? 0)

/** Remembers the last refused requests and counts all of them. Memory is bounded: 2,000 of them, and 16 MiB. */
export function createRefusalRing(): RefusalRing {
  /** By id, the oldest first. */
  const kept = new Map<string, KeptRefusal & { sample: RefusalSample }>()
  let keptBytes = 0
  const counts: Partial<Record<RefusalReason, number>> = {}
  let total = 0

  function dropOldest(): void {
    for (const [id, oldest] of kept) {
      if (kept.size <= rememberedMost && keptBytes <= rememberedBytes) return
      kept.delete(id)
      keptBytes -= bytesOf(oldest)
    }
  }

  return {
    add({ sample, headers, body, receivedSignature }) {
      counts[sample.reason] = (counts[sample.reason] ?? 0) + 1
      total++
      const id = `${sample.atMs}-${total}`
      const refusal = {
        sample: { id, ...sample },
        headers,
        // A copy: what was read may be a small part of a large buffer.
        body: body && Buffer.from(body),
        receivedSignature,
      }
      kept.set(id, refusal)
      keptBytes += bytesOf(refusal)
      dropOldest()
    },
    samples: () => [...kept.values()].map(({ sample }) => sample).reverse(),
    find: (id) => kept.get(id),
    counts: () => ({ ...counts }),
    total: () => total,
  }
}

import type { RefusalReason, RefusalSample } from './protocol.ts'

const maxRefusals = 2_000
const maxBytes = 16 * 1024 * 1024

/** Rough cost of a request beside its body and headers. */
const perRefusalBytes = 500

/** Whether another secret could have proved it. */
export const isUnproven = (reason: RefusalReason): boolean =>
  reason === 'signature-mismatch' || reason === 'no-secret'

export interface KeptRefusal {
  sample: Omit<RefusalSample, 'id'>
  /** Without credentials. */
  headers: [name: string, value: string][]
  /** Null when it was not read. */
  body: Buffer | null
  receivedSignature: string | null
}

const bytesOf = ({ headers, body }: KeptRefusal): number =>
  headers.reduce((sum, [name, value]) => sum + 2 * (name.length + value.length), perRefusalBytes) +
  (body?.length ?? 0)

/** Keeps the latest 2,000 refusals, unproven ones longest, at most 16 MiB, and counts all. */
export function createRefusalRing() {
  /** By id, oldest first. `isStored`: the same body was stored from another delivery. */
  const kept = new Map<string, KeptRefusal & { sample: RefusalSample; isStored: boolean }>()
  let keptBytes = 0
  const counts: Partial<Record<RefusalReason, number>> = {}
  let total = 0
  let dropped = 0

  const isOpen = ({ sample, isStored }: { sample: RefusalSample; isStored: boolean }) =>
    isUnproven(sample.reason) && !isStored

  function dropOldest(): void {
    // Requests that no secret could have proved go first: anyone may send any number of them.
    for (const areOpen of [false, true])
      for (const [id, oldest] of kept) {
        if (kept.size <= maxRefusals && keptBytes <= maxBytes) return
        if (isOpen(oldest) !== areOpen) continue
        kept.delete(id)
        if (areOpen) dropped++
        keptBytes -= bytesOf(oldest)
      }
  }

  /** The deliveries that no secret proved and whose bodies weren't stored, oldest first. */
  const unproven = () => [...kept.values()].filter(isOpen)

  return {
    add(refusal: KeptRefusal, isStored = false): void {
      const { sample, body } = refusal
      counts[sample.reason] = (counts[sample.reason] ?? 0) + 1
      total++
      const id = `${sample.atMs}-${total}`
      // The body is copied: it may be a small slice of a large buffer.
      kept.set(id, { ...refusal, sample: { id, ...sample }, body: body && Buffer.from(body), isStored })
      keptBytes += bytesOf(refusal)
      dropOldest()
    },
    /** Newest first. */
    samples: () => [...kept.values()].map(({ sample }) => sample).reverse(),
    find: (id: string) => kept.get(id),
    unproven,
    /** How many of them were dropped. */
    droppedUnproven: () => dropped,
    /** A body was stored. Returns how many unproven deliveries had the same. */
    stored(body: Uint8Array): number {
      const same = unproven().filter((one) => one.body?.equals(body))
      for (const one of same) one.isStored = true
      return same.length
    },
    /** It was accepted after all. The counts stay. */
    forget(id: string): void {
      const found = kept.get(id)
      if (found && kept.delete(id)) keptBytes -= bytesOf(found)
    },
    counts: () => ({ ...counts }),
    total: () => total,
  }
}

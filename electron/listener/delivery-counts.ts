import { hash } from 'node:crypto'
import type { Delivery } from './journal.ts'
import type { ListenerStats, RefusalReason } from './protocol.ts'
import { createRefusalRing, isUnproven, type KeptRefusal } from './refusals.ts'

/** A service that delivers an event to two subscriptions does so within seconds, so few bodies need to be remembered. */
const rememberedMax = 2_000

type Stored = Pick<Delivery, 'secretId' | 'receivedMs' | 'body'>

/** What one listener has received and refused since it was created. */
export function createDeliveryCounts(onChange: () => void) {
  const refusals = createRefusalRing()
  const bySecret = new Map<string, { count: number; lastMs: number }>()
  let accepted = 0
  let unsigned = 0
  let verified = 0
  let notStored = 0
  let lastDeliveryMs: number | null = null
  let lastRefusalReason: RefusalReason | null = null
  /** Rejected deliveries that no secret proved, unless the same body was stored from another one. */
  let unproven = 0
  /** Digests of the last stored bodies. */
  const storedBodies = new Set<string>()

  function note({ secretId, receivedMs, body }: Stored): void {
    storedBodies.add(hash('sha256', body, 'base64'))
    for (const oldest of storedBodies) {
      if (storedBodies.size <= rememberedMax) break
      storedBodies.delete(oldest)
    }
    if (unproven > 0) unproven -= refusals.stored(body)
    lastDeliveryMs = Math.max(lastDeliveryMs ?? 0, receivedMs)
    if (secretId === null) return
    const known = bySecret.get(secretId) ?? { count: 0, lastMs: 0 }
    bySecret.set(secretId, { count: known.count + 1, lastMs: Math.max(known.lastMs, receivedMs) })
  }

  return {
    refusals,
    accepted(delivery: Delivery): void {
      accepted++
      if (delivery.secretId === null) unsigned++
      else verified++
      note(delivery)
      onChange()
    },
    notStored(): void {
      notStored++
      onChange()
    },
    refused(refusal: KeptRefusal): void {
      const { sample, body } = refusal
      const isStored = body !== null && storedBodies.has(hash('sha256', body, 'base64'))
      refusals.add(refusal, isStored)
      lastRefusalReason = sample.reason
      if (isUnproven(sample.reason) && !isStored) unproven++
      onChange()
    },
    /** Stored, but acknowledged by the relay, or not at all. `isLive`: as they arrived there. */
    stored(deliveries: readonly Stored[], isLive = false): void {
      for (const delivery of deliveries) note(delivery)
      if (isLive) verified += deliveries.filter(({ secretId }) => secretId !== null).length
      onChange()
    },
    /** What the new secrets prove was stored and forgotten. What was dropped can't be proved any longer. */
    secretsChanged(): void {
      unproven = refusals.unproven().length + refusals.droppedUnproven()
      onChange()
    },
    read: (): Omit<ListenerStats, 'storing'> => ({
      accepted,
      unsigned,
      verified,
      bySecret: Object.fromEntries(bySecret),
      notStored,
      refused: refusals.counts(),
      refusedTotal: refusals.total(),
      lastRefusalReason,
      unproven,
      lastDeliveryMs,
    }),
  }
}

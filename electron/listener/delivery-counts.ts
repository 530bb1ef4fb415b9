import type { Delivery } from './journal.ts'
import { createLatencyHistogram } from './latency.ts'
import type { ListenerStats, RefusalReason } from './protocol.ts'
import { createRefusalRing, isUnproven, type KeptRefusal } from './refusals.ts'

/** What one listener has received and refused since it was created. */
export function createDeliveryCounts(onChange: () => void) {
  const refusals = createRefusalRing()
  const latency = createLatencyHistogram()
  const bySecret = new Map<string, { count: number; lastMs: number }>()
  let accepted = 0
  let unsigned = 0
  let notStored = 0
  let lastDeliveryMs: number | null = null
  let lastRefusalReason: RefusalReason | null = null
  let unproven = 0

  function note({ secretId, receivedMs }: Pick<Delivery, 'secretId' | 'receivedMs'>): void {
    lastDeliveryMs = Math.max(lastDeliveryMs ?? 0, receivedMs)
    if (secretId === null) return
    const known = bySecret.get(secretId) ?? { count: 0, lastMs: 0 }
    bySecret.set(secretId, { count: known.count + 1, lastMs: Math.max(known.lastMs, receivedMs) })
  }

  return {
    refusals,
    accepted(delivery: Delivery, tookMs: number): void {
      accepted++
      if (delivery.secretId === null) unsigned++
      note(delivery)
      latency.record(tookMs)
      onChange()
    },
    notStored(): void {
      notStored++
      onChange()
    },
    refused(refusal: KeptRefusal): void {
      refusals.add(refusal)
      lastRefusalReason = refusal.sample.reason
      if (isUnproven(refusal.sample.reason)) unproven++
      onChange()
    },
    /** Stored, but acknowledged by the relay, or not at all. */
    stored(deliveries: readonly Pick<Delivery, 'secretId' | 'receivedMs'>[]): void {
      for (const delivery of deliveries) note(delivery)
      onChange()
    },
    /** What the new secrets prove was stored and forgotten. */
    secretsChanged(): void {
      unproven = refusals.unproven().length
      onChange()
    },
    read: (): Omit<ListenerStats, 'openSockets' | 'storing'> => ({
      accepted,
      unsigned,
      bySecret: Object.fromEntries(bySecret),
      notStored,
      refused: refusals.counts(),
      refusedTotal: refusals.total(),
      lastRefusalReason,
      unproven,
      lastDeliveryMs,
      ackLatency: latency.summary(),
    }),
  }
}

/** Bucket widths for counting arrivals, in milliseconds: a second, a minute, an hour. */
export const arrivalGrainsMs = [1_000, 60_000, 3_600_000] as const

/** Events of one name in one bucket, with the first and last seq among them. */
export interface Arrival {
  bucketMs: number
  name: string
  count: number
  firstSeq: number
  lastSeq: number
}

/** Counts arrivals in memory, so that a batch costs one write per bucket instead of one per event. */
export function createArrivalCount() {
  const [secondMs, ...widerMs] = arrivalGrainsMs
  const seconds = new Map<string, Map<number, Arrival>>()

  function add(buckets: Map<number, Arrival>, bucketMs: number, more: Omit<Arrival, 'bucketMs'>): void {
    const arrival = buckets.get(bucketMs)
    if (arrival) {
      arrival.count += more.count
      arrival.firstSeq = Math.min(arrival.firstSeq, more.firstSeq)
      arrival.lastSeq = Math.max(arrival.lastSeq, more.lastSeq)
    } else buckets.set(bucketMs, { ...more, bucketMs })
  }

  return {
    add(name: string, receivedMs: number, seq: number): void {
      let buckets = seconds.get(name)
      if (!buckets) seconds.set(name, (buckets = new Map()))
      const bucketMs = receivedMs - (receivedMs % secondMs)
      add(buckets, bucketMs, { name, count: 1, firstSeq: seq, lastSeq: seq })
    },
    /** All non-empty buckets of every width. */
    *all(): Generator<Arrival & { grainMs: number }> {
      for (const buckets of seconds.values()) {
        for (const arrival of buckets.values()) yield { grainMs: secondMs, ...arrival }
        for (const grainMs of widerMs) {
          const wider = new Map<number, Arrival>()
          for (const arrival of buckets.values())
            add(wider, Math.floor(arrival.bucketMs / grainMs) * grainMs, arrival)
          for (const arrival of wider.values()) yield { grainMs, ...arrival }
        }
      }
    },
  }
}

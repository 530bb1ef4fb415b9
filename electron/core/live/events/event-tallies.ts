import type { Database } from 'better-sqlite3'

/**
 * Counted per hour and day:
 *
 * - `outcome`: messages by their furthest status.
 * - `destination`: messages by calling code and furthest status: `44 delivered`; the code is empty if unknown.
 * - `latency`: messages by the bin of the time between the arrivals of their first `submitted` and first
 *   `delivered`.
 * - `error`: delivery reports by error code.
 *
 * A message counts in the hour of its first report, a report in the hour of its arrival.
 */
export type TallySubject = 'outcome' | 'destination' | 'latency' | 'error'

/** Bucket widths in milliseconds: an hour and a UTC day. */
export const tallyGrainsMs = { hour: 3_600_000, day: 86_400_000 } as const

const startOf = (timeMs: number, grainMs: number) => Math.floor(timeMs / grainMs) * grainMs

interface Change {
  subject: TallySubject
  bucketMs: number
  name: string
  by: number
}

/** Counts in memory, so that a batch costs one write per bucket and name instead of one per event. */
export function createTallyCount() {
  const changes = new Map<string, Change>()

  function add(subject: TallySubject, timeMs: number, name: string, by: number): void {
    const bucketMs = startOf(timeMs, tallyGrainsMs.hour)
    const key = `${subject} ${bucketMs} ${name}`
    const change = changes.get(key)
    if (change) change.by += by
    else changes.set(key, { subject, bucketMs, name, by })
  }

  return {
    add,
    /** All changes of both widths that don't cancel out. */
    *all(): Generator<Change & { grainMs: number }> {
      const days = new Map<string, Change>()
      for (const change of changes.values()) {
        if (change.by === 0) continue
        yield { grainMs: tallyGrainsMs.hour, ...change }
        const bucketMs = startOf(change.bucketMs, tallyGrainsMs.day)
        const key = `${change.subject} ${bucketMs} ${change.name}`
        const day = days.get(key)
        if (day) day.by += change.by
        else days.set(key, { ...change, bucketMs })
      }
      for (const day of days.values()) if (day.by !== 0) yield { grainMs: tallyGrainsMs.day, ...day }
    },
  }
}
export type TallyCount = ReturnType<typeof createTallyCount>

/** Writes tallies. Call it in the transaction that changes the events. */
export function createTallyWriter(db: Database) {
  const change = db.prepare(
    `INSERT INTO tallies (subject, grain_ms, bucket_ms, name, count)
     VALUES (:subject, :grainMs, :bucketMs, :name, :by)
     ON CONFLICT (subject, grain_ms, bucket_ms, name) DO UPDATE SET count = count + excluded.count`,
  )
  const dropEmpty = db.prepare(
    `DELETE FROM tallies
     WHERE subject = :subject AND grain_ms = :grainMs AND bucket_ms = :bucketMs AND name = :name AND count = 0`,
  )
  const clear = db.prepare<[number]>(
    `DELETE FROM tallies WHERE (subject, grain_ms, bucket_ms, name) IN
       (SELECT subject, grain_ms, bucket_ms, name FROM tallies LIMIT ?)`,
  )
  return {
    write(tallies: TallyCount): void {
      for (const one of tallies.all()) {
        change.run(one)
        if (one.by < 0) {
          const { by: _by, ...key } = one
          dropEmpty.run(key)
        }
      }
    },
    /** Deletes at most `limit` rows. @returns how many. */
    clear: (limit: number): number => clear.run(limit).changes,
  }
}

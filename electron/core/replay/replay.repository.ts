import type { Database } from 'better-sqlite3'
import { arrivalGrainsMs } from '../live/events/arrival-count.ts'
import type { ArrivalCount } from '../live/events/events.repository.ts'
import { type Tile, tilesOf } from './span-tiles.ts'

/** A delivery that was stored: an event's first copy, or a further one. */
export interface StoredArrival {
  seq: number
  receivedMs: number
  isEvent: boolean
}

/** The SQL of a replay. Times are whole seconds, spans [fromMs, toMs). No call reads more rows of events than a second holds, or than its limit. */
export interface ReplayRepository {
  /** The seq of the first event that arrived in the span, or null. */
  firstSeq(fromMs: number, toMs: number): number | null
  /** The seq of the last event that arrived in the span, or null. */
  lastSeq(fromMs: number, toMs: number): number | null
  /** Looks which part of the record was deleted for its age or size; to be called before counts that should know of it. */
  findDeleted(): void
  /** Events that arrived in the span, whether or not they are still kept. */
  arrived(fromMs: number, toMs: number): number
  /** Events of the span that are kept, with a seq up to `upToSeq`. */
  count(fromMs: number, toMs: number, upToSeq: number): number
  /** Deliveries in (afterSeq, upToSeq], in order of seq, at most `limit`. */
  arrivals(afterSeq: number, upToSeq: number, limit: number): StoredArrival[]
  /** Events of the span by name and bucket. */
  series(fromMs: number, toMs: number, bucketMs: number): ArrivalCount[]
  /** When the further copies of an event arrived that have a seq up to `upToSeq`, oldest first, milliseconds since the epoch. */
  copies(seq: number, upToSeq: number, limit: number): number[]
  copyCount(seq: number, upToSeq: number): number
}

const [, , hourMs] = arrivalGrainsMs

interface Bucket {
  bucketMs: number
  count: number
  firstSeq: number
  lastSeq: number
}

export function createReplayRepository(db: Database): ReplayRepository {
  const ofTile = 'grain_ms = :grainMs AND bucket_ms >= :fromMs AND bucket_ms < :toMs'
  const selectBuckets = db.prepare<[Tile], Bucket>(
    `SELECT bucket_ms AS bucketMs, sum(count) AS count, min(first_seq) AS firstSeq, max(last_seq) AS lastSeq
     FROM arrivals WHERE ${ofTile} GROUP BY bucket_ms`,
  )
  const selectEnds = db.prepare<[Tile], { firstSeq: number | null; lastSeq: number | null }>(
    `SELECT min(first_seq) AS firstSeq, max(last_seq) AS lastSeq FROM arrivals WHERE ${ofTile}`,
  )
  const selectSeries = db.prepare<[Tile & { widthMs: number }], ArrivalCount>(
    `SELECT name, CAST(bucket_ms / :widthMs AS INTEGER) * :widthMs AS bucketMs, sum(count) AS count
     FROM arrivals WHERE ${ofTile} GROUP BY name, CAST(bucket_ms / :widthMs AS INTEGER)`,
  )
  const countRows = db
    .prepare<[number, number, number, number], number>(
      'SELECT count(*) FROM events NOT INDEXED WHERE seq >= ? AND seq <= ? AND received_ms >= ? AND received_ms < ?',
    )
    .pluck()
  const selectEvents = db.prepare<[number, number, number], { seq: number; receivedMs: number }>(
    'SELECT seq, received_ms AS receivedMs FROM events NOT INDEXED WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  const selectCopies = db.prepare<[number, number, number], { seq: number; receivedMs: number }>(
    `SELECT journal_seq AS seq, received_ms AS receivedMs FROM copies NOT INDEXED
     WHERE journal_seq > ? AND journal_seq <= ? ORDER BY journal_seq LIMIT ?`,
  )
  const selectCopiesOf = db
    .prepare<[number, number, number], number>(
      'SELECT received_ms FROM copies WHERE event_seq = ? AND journal_seq <= ? ORDER BY journal_seq LIMIT ?',
    )
    .pluck()
  const countCopiesOf = db
    .prepare<[number, number], number>('SELECT count(*) FROM copies WHERE event_seq = ? AND journal_seq <= ?')
    .pluck()

  const ends = (fromMs: number, toMs: number) => tilesOf(fromMs, toMs).map((tile) => selectEnds.get(tile)!)

  const selectStored = db.prepare<[], number>('SELECT stored_total FROM projector WHERE id = 1').pluck()
  /** Sums tell what arrived. From here on they also tell what is kept: the oldest events go first. */
  let keptFromMs = -Infinity

  /** Whole buckets count by their sums; one that `upToSeq` lies in is looked at in narrower ones, and at last in its rows. */
  function countIn(tiles: readonly Tile[], upToSeq: number): number {
    let total = 0
    for (const tile of tiles) {
      const narrowerMs = arrivalGrainsMs.findLast((grainMs) => grainMs < tile.grainMs)
      for (const { bucketMs, count, firstSeq, lastSeq } of selectBuckets.all(tile)) {
        const endMs = bucketMs + tile.grainMs
        if (firstSeq > upToSeq) continue
        // There are few rows where events were deleted.
        if (bucketMs < keptFromMs)
          total += countRows.get(firstSeq, Math.min(lastSeq, upToSeq), bucketMs, endMs) ?? 0
        else if (lastSeq <= upToSeq) total += count
        else if (narrowerMs === undefined) total += countRows.get(firstSeq, upToSeq, bucketMs, endMs) ?? 0
        else total += countIn([{ grainMs: narrowerMs, fromMs: bucketMs, toMs: endMs }], upToSeq)
      }
    }
    return total
  }

  return {
    firstSeq(fromMs, toMs) {
      const first = Math.min(...ends(fromMs, toMs).map(({ firstSeq }) => firstSeq ?? Infinity))
      return Number.isFinite(first) ? first : null
    },
    lastSeq(fromMs, toMs) {
      const last = Math.max(...ends(fromMs, toMs).map(({ lastSeq }) => lastSeq ?? -Infinity))
      return Number.isFinite(last) ? last : null
    },
    findDeleted() {
      const hours = selectBuckets.all({ grainMs: hourMs, fromMs: -8.64e15, toMs: 8.64e15 })
      const arrived = hours.reduce((sum, { count }) => sum + count, 0)
      const missing = arrived - (selectStored.get() ?? arrived)
      keptFromMs = missing > 0 ? Infinity : -Infinity
      let passed = 0
      for (const { bucketMs, count, firstSeq, lastSeq } of hours) {
        if (missing <= 0) return
        passed += count
        if (passed < missing || countRows.get(firstSeq, lastSeq, bucketMs, bucketMs + hourMs) !== count)
          continue
        keptFromMs = bucketMs
        return
      }
    },
    arrived: (fromMs, toMs) =>
      tilesOf(fromMs, toMs).reduce(
        (sum, tile) => selectBuckets.all(tile).reduce((more, { count }) => more + count, sum),
        0,
      ),
    count: (fromMs, toMs, upToSeq) => countIn(tilesOf(fromMs, toMs), upToSeq),
    arrivals(afterSeq, upToSeq, limit) {
      const events = selectEvents.all(afterSeq, upToSeq, limit)
      // Copies beyond the last event that was read belong to the next piece.
      const highest = events.length === limit ? events.at(-1)!.seq : upToSeq
      const copies = selectCopies.all(afterSeq, highest, limit)
      const lowest = copies.length === limit ? copies.at(-1)!.seq : highest
      return [
        ...events.map((event) => ({ ...event, isEvent: true })),
        ...copies.map((copy) => ({ ...copy, isEvent: false })),
      ]
        .filter(({ seq }) => seq <= lowest)
        .sort((a, b) => a.seq - b.seq)
    },
    series(fromMs, toMs, bucketMs) {
      const counts = new Map<string, ArrivalCount>()
      for (const tile of tilesOf(fromMs, toMs, bucketMs)) {
        for (const arrival of selectSeries.all({ ...tile, widthMs: bucketMs })) {
          const key = `${arrival.bucketMs} ${arrival.name}`
          const known = counts.get(key)
          if (known) known.count += arrival.count
          else counts.set(key, arrival)
        }
      }
      return [...counts.values()]
    },
    copies: (seq, upToSeq, limit) => selectCopiesOf.all(seq, upToSeq, limit),
    copyCount: (seq, upToSeq) => countCopiesOf.get(seq, upToSeq) ?? 0,
  }
}

import type { OptOutSign } from '../../people/dnc/possible-opt-outs.ts'
import { saidOf } from '../../../contract/phrases.ts'
import type { Database } from 'better-sqlite3'
import type { EventDetail, EventRow } from '../../../contract/live/events.ts'
import { hash48 } from '../../../lib/hash48.ts'
import { addTextFunctions } from '../../../database/text-functions.ts'
import type { CompiledFilter } from './event-filter.ts'
import { arrivalGrainsMs } from './arrival-count.ts'
import { createMessageRows } from './message-rows.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** Longest mo text in a list, in characters, so that 500 stay within a few hundred KiB; `find` returns all of it. */
export const listContentMax = 2_000

/** Filters whose statements are cached. */
const selectionsKept = 32

/** Before and after any valid time (JavaScript dates end at ±8.64e15 ms). */
const beforeAllMs = -8.64e15
const afterAllMs = 8.64e15

interface Bounds {
  firstSeq: number | null
  lastSeq: number | null
}

type StoredRow = Omit<EventRow, 'receivedAt' | 'quarantineReason' | 'optOut'> & {
  receivedMs: number
  reason: string | null
  optOut: OptOutSign | null
}

/** A message is stored under one of its events. */
const latency = `CASE WHEN kind = 'dlr' AND status <> 'submitted' THEN (
    SELECT events.received_ms - m.submitted_ms FROM events one CROSS JOIN messages m ON m.seq = one.seq
    WHERE one.message_hash = events.message_hash AND m.message_id = events.message_id
      AND m.submitted_ms <= events.received_ms) END`
const columns = (content: string) =>
  `seq, kind, message_id AS messageId, status, error_code AS errorCode, number, own_number AS ownNumber, ${content} AS content,
   service_time AS serviceTime, received_ms AS receivedMs, copies, ${latency} AS latencyMs, verdict,
   quarantine_reason AS reason, opt_out AS optOut`
const listColumns = columns(`substr(content, 1, ${listContentMax})`)

const toRow = ({ receivedMs, reason, optOut, ...row }: StoredRow): EventRow => ({
  ...row,
  receivedAt: isoTime(receivedMs),
  quarantineReason: reason === null ? null : saidOf(reason),
  optOut: optOut === 'keyword',
})

/** Events of one filter. Seq ranges are (after, upTo]; no call reads beyond its range. */
export interface FilteredEvents {
  /** Newest first. */
  newest(afterSeq: number, upToSeq: number, limit: number): EventRow[]
  /** Oldest first. */
  oldest(afterSeq: number, upToSeq: number, limit: number): EventRow[]
  count(afterSeq: number, upToSeq: number): number
  /** By name and bucket. `bucketMs` is a whole number of seconds. */
  arrivals(afterSeq: number, upToSeq: number, bucketMs: number): ArrivalCount[]
  /** Events up to `afterSeq` with a duplicate that arrived in the range. */
  changed(afterSeq: number, upToSeq: number): EventRow[]
}

export interface ArrivalCount {
  name: string
  bucketMs: number
  count: number
}

export type EventsRepository = ReturnType<typeof createEventsRepository>

/** Reads what the projector wrote. */
export function createEventsRepository(db: Database) {
  addTextFunctions(db)
  const findEvent = db.prepare<[number], StoredRow & { sourceSeq: number }>(
    `SELECT ${columns('content')}, source_seq AS sourceSeq FROM events WHERE seq = ?`,
  )
  const findCopies = db
    .prepare<[number, number], number>(
      'SELECT received_ms FROM copies WHERE event_seq = ? ORDER BY journal_seq LIMIT ?',
    )
    .pluck()
  const findTimeline = db.prepare<[number, string, number], StoredRow>(
    `SELECT ${listColumns} FROM events WHERE message_hash = ? AND message_id = ? ORDER BY seq LIMIT ?`,
  )
  const messages = createMessageRows(db)
  const findRecovered = db.prepare<[string], { status: string | null; readMs: number }>(
    `SELECT status, read_ms AS readMs FROM recovered WHERE message_id = ? AND outcome <> 'unreadable'
     ORDER BY read_ms DESC LIMIT 1`,
  )
  const findReferred = db
    .prepare<{ afterSeq: number; upToSeq: number; limit: number }, number>(
      `SELECT seq FROM events WHERE seq > :afterSeq AND seq <= :upToSeq
       UNION SELECT journal_seq FROM copies WHERE journal_seq > :afterSeq AND journal_seq <= :upToSeq
       ORDER BY 1 LIMIT :limit`,
    )
    .pluck()
  const findNthCopy = db
    .prepare<[number, number, number], number>(
      'SELECT journal_seq FROM copies WHERE journal_seq > ? AND journal_seq <= ? ORDER BY journal_seq LIMIT 1 OFFSET ?',
    )
    .pluck()
  const sumArrivals = db.prepare<
    { grainMs: number; fromMs: number; toMs: number; bucketMs: number },
    ArrivalCount
  >(
    `SELECT name, CAST(bucket_ms / :bucketMs AS INTEGER) * :bucketMs AS bucketMs, sum(count) AS count FROM arrivals
     WHERE grain_ms = :grainMs AND bucket_ms >= :fromMs AND bucket_ms < :toMs
     GROUP BY name, CAST(bucket_ms / :bucketMs AS INTEGER) ORDER BY bucketMs`,
  )
  const [, minuteMs, hourMs] = arrivalGrainsMs
  const findLastReport = db
    .prepare<[number], number | null>(
      `SELECT max(last_seq) FROM arrivals WHERE grain_ms = ${hourMs} AND bucket_ms >= ? AND name NOT IN ('mo', 'quarantined')`,
    )
    .pluck()
  const findFirstAfter = {
    any: db
      .prepare<[number], number>('SELECT received_ms FROM events WHERE seq > ? ORDER BY seq LIMIT 1')
      .pluck(),
    dlr: db
      .prepare<[number], number>(
        "SELECT received_ms FROM events NOT INDEXED WHERE seq > ? AND kind = 'dlr' ORDER BY seq LIMIT 1",
      )
      .pluck(),
  }
  const findEnds = db.prepare<[], Bounds>(
    'SELECT (SELECT min(seq) FROM events) AS firstSeq, (SELECT max(seq) FROM events) AS lastSeq',
  )
  const findBounds = db.prepare<Record<'from' | 'fromHour' | 'toHour' | 'to', number>, Bounds>(
    `SELECT min(first_seq) AS firstSeq, max(last_seq) AS lastSeq FROM (
       SELECT first_seq, last_seq FROM arrivals
         WHERE grain_ms = ${hourMs} AND bucket_ms >= :fromHour AND bucket_ms < :toHour
       UNION ALL
       SELECT first_seq, last_seq FROM arrivals
         WHERE grain_ms = ${minuteMs} AND bucket_ms > :from - ${minuteMs} AND bucket_ms < min(:fromHour, :to)
       UNION ALL
       SELECT first_seq, last_seq FROM arrivals
         WHERE grain_ms = ${minuteMs} AND bucket_ms >= max(:toHour, :fromHour) AND bucket_ms < :to)`,
  )
  const selections = new Map<string, ReturnType<typeof prepareSelection>>()

  function prepareSelection(filter: CompiledFilter) {
    const inRange = `FROM events ${filter.access} WHERE seq > ? AND seq <= ?${filter.terms}`
    const list = (order: 'ASC' | 'DESC') =>
      db.prepare<(string | number)[], StoredRow>(
        `SELECT ${listColumns} ${inRange} ORDER BY seq ${order} LIMIT ?`,
      )
    return {
      newest: list('DESC'),
      oldest: list('ASC'),
      count: db.prepare<(string | number)[], number>(`SELECT count(*) ${inRange}`).pluck(),
      arrivals: db.prepare<(string | number)[], ArrivalCount>(
        `SELECT iif(kind = 'dlr', status, kind) AS name, CAST(received_ms / ? AS INTEGER) * ? AS bucketMs, count(*) AS count
         ${inRange} GROUP BY 1, 2`,
      ),
      changed: db.prepare<(string | number)[], StoredRow>(
        `SELECT ${listColumns} FROM events
         WHERE seq IN (SELECT event_seq FROM copies WHERE journal_seq > ? AND journal_seq <= ?)
           AND seq <= ?${filter.terms}
         ORDER BY seq`,
      ),
    }
  }

  /** The prepared statements of a filter, shared by filters that differ only in their values. */
  function selectionOf(filter: CompiledFilter) {
    const key = filter.access + filter.terms
    const selection = selections.get(key) ?? prepareSelection(filter)
    selections.delete(key)
    selections.set(key, selection)
    const oldest = selections.keys().next().value
    if (selections.size > selectionsKept && oldest !== undefined) selections.delete(oldest)
    return selection
  }

  return {
    select(filter: CompiledFilter): FilteredEvents {
      const { newest, oldest, count, arrivals, changed } = selectionOf(filter)
      return {
        newest: (afterSeq, upToSeq, limit) =>
          newest.all(afterSeq, upToSeq, ...filter.params, limit).map(toRow),
        oldest: (afterSeq, upToSeq, limit) =>
          oldest.all(afterSeq, upToSeq, ...filter.params, limit).map(toRow),
        count: (afterSeq, upToSeq) => count.get(afterSeq, upToSeq, ...filter.params) ?? 0,
        arrivals: (afterSeq, upToSeq, bucketMs) =>
          arrivals.all(bucketMs, bucketMs, afterSeq, upToSeq, ...filter.params),
        changed: (afterSeq, upToSeq) => changed.all(afterSeq, upToSeq, afterSeq, ...filter.params).map(toRow),
      }
    },
    /** The seqs that enclose all events in [fromMs, toMs) (null: unbounded); null without events. */
    seqBounds(fromMs: number | null, toMs: number | null): { firstSeq: number; lastSeq: number } | null {
      const fromHour = fromMs === null ? beforeAllMs : Math.ceil(fromMs / hourMs) * hourMs
      const toHour = toMs === null ? afterAllMs : Math.floor(toMs / hourMs) * hourMs
      const row =
        fromMs === null && toMs === null
          ? findEnds.get()
          : findBounds.get({ from: fromMs ?? beforeAllMs, fromHour, toHour, to: toMs ?? afterAllMs })
      return row && row.firstSeq !== null && row.lastSeq !== null
        ? { firstSeq: row.firstSeq, lastSeq: row.lastSeq }
        : null
    },
    /** Journal seqs in (afterSeq, upToSeq] referred to by events or duplicates, in order, at most `limit`. */
    referred: (afterSeq: number, upToSeq: number, limit: number): number[] =>
      findReferred.all({ afterSeq, upToSeq, limit }),
    /** The journal seq of the `count`-th duplicate in (afterSeq, upToSeq]; null when there are fewer. */
    nthCopy: (afterSeq: number, upToSeq: number, count: number): number | null =>
      findNthCopy.get(afterSeq, upToSeq, count - 1) ?? null,
    /** The event with its whole text, and the journal seq its fields come from. */
    find(seq: number): { event: EventRow; sourceSeq: number } | null {
      const found = findEvent.get(seq)
      if (!found) return null
      const { sourceSeq, ...row } = found
      return { event: toRow(row), sourceSeq }
    },
    /** Arrivals of the duplicates, oldest first, in milliseconds since the epoch. */
    copiesOf: (seq: number, limit: number): number[] => findCopies.all(seq, limit),
    /** All events with this message id, oldest first. */
    timeline: (messageId: string, limit: number): EventRow[] =>
      findTimeline.all(hash48(messageId), messageId, limit).map(toRow),
    messageStatus: (messageId: string): string | null => messages.find(messageId)?.row.status ?? null,
    /** What the service last said about a message that was re-read because of a gap. */
    recovered(messageId: string): EventDetail['recovered'] {
      const row = findRecovered.get(messageId)
      return row ? { status: row.status, readAt: isoTime(row.readMs) } : null
    },
    /** Journal seq of the newest delivery report of about a day; 0 without one. */
    lastReport: (nowMs: number): number => findLastReport.get(nowMs - 24 * hourMs) ?? 0,
    /** When the first event, or delivery report, with a higher seq arrived; null without one. */
    firstAfter: (seq: number, kind: 'any' | 'dlr'): number | null => findFirstAfter[kind].get(seq) ?? null,
    /** Events by name and bucket in [fromMs, toMs). `bucketMs` is a whole number of seconds. */
    arrivals(fromMs: number, toMs: number, bucketMs: number): ArrivalCount[] {
      const grainMs = arrivalGrainsMs.findLast((grain) => bucketMs % grain === 0 && fromMs % grain === 0)
      if (grainMs === undefined) throw new Error(`No arrivals are counted in steps of ${bucketMs} ms`)
      return sumArrivals.all({ grainMs, fromMs, toMs, bucketMs })
    },
  }
}

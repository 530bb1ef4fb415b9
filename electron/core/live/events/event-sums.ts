import type { Database } from 'better-sqlite3'
import { instantMs } from '../../../lib/iso-time.ts'
import { callingCodeOf } from '../../../lib/phone/numbering-plans.ts'
import { createArrivalCount } from './arrival-count.ts'
import { createTallyCount, createTallyWriter, type TallyCount } from './event-tallies.ts'
import { latencyBinOf } from './latency-bins.ts'
import { createMessageRows, type FoundMessage, type MessageRow } from './message-rows.ts'
import { rankOf } from './message-status.ts'

/** The fields of an event that sums use. */
export interface SummedEvent {
  seq: number
  kind: string
  messageId: string | null
  /** Hash of the message id. */
  messageHash: number
  status: string | null
  errorCode: number | null
  /** The other party's number, as received. */
  number: string | null
  /** The service's time, as sent. */
  serviceTime: string | null
  receivedMs: number
  /** True when no event of its message was stored before, so no look-up is needed. */
  isFirst?: boolean
}

/** The columns of `events` for a `SummedEvent`. */
export const summedColumns = `seq, kind, message_id AS messageId, message_hash AS messageHash, status, error_code AS errorCode, number,
  service_time AS serviceTime, received_ms AS receivedMs`

/** The changes of one transaction. */
export interface SumsBatch {
  /** Counts a new event. A report also advances its message if its status is further along. */
  add(event: SummedEvent): void
  /** Moves the counts of an event to its replaced fields. */
  replace(event: SummedEvent, by: Pick<SummedEvent, 'errorCode' | 'number'>): void
  /** Writes the counts. Ends the batch. */
  write(): void
}

/** The calling code of an international number; null without a plus or 00, because the country is unknown. */
function callingCode(number: string | null): string | null {
  const compact = number?.replace(/[^\d+]/g, '') ?? ''
  const digits = compact.startsWith('+') ? compact.slice(1) : compact.startsWith('00') ? compact.slice(2) : ''
  return callingCodeOf(digits)?.code ?? null
}

const earliest = (known: number | null, timeMs: number) => (known === null ? timeMs : Math.min(known, timeMs))

/** Whether a report is further along: by rank, then by service time, then alphabetically. */
function isFurther(report: Pick<MessageRow, 'rank' | 'service_ms' | 'status'>, than: MessageRow): boolean {
  if (report.rank !== than.rank) return report.rank > than.rank
  if (report.service_ms !== than.service_ms) return report.service_ms > than.service_ms
  return report.status > than.status
}

/** Adds or subtracts a message's share of the tallies, by its row alone: the order of reports doesn't matter. */
function tallyMessage(tallies: TallyCount, row: MessageRow | undefined, by: 1 | -1): void {
  if (!row || row.first_ms === null) return
  const { first_ms: firstMs, submitted_ms: submittedMs, delivered_ms: deliveredMs, status } = row
  tallies.add('outcome', firstMs, status, by)
  tallies.add('destination', firstMs, `${row.calling_code ?? ''} ${status}`, by)
  // A `submitted` that arrived after its `delivered` gives no latency.
  if (submittedMs !== null && deliveredMs !== null && deliveredMs >= submittedMs)
    tallies.add('latency', firstMs, String(latencyBinOf(deliveredMs - submittedMs)), by)
}

export type EventSums = ReturnType<typeof createEventSums>

/** The tables of sums over the events. */
export function createEventSums(db: Database) {
  const messageRows = createMessageRows(db)
  const addArrival = db.prepare(
    `INSERT INTO arrivals (grain_ms, bucket_ms, name, count, first_seq, last_seq)
     VALUES (:grainMs, :bucketMs, :name, :count, :firstSeq, :lastSeq)
     ON CONFLICT (grain_ms, bucket_ms, name) DO UPDATE SET
       count = count + excluded.count,
       first_seq = min(first_seq, excluded.first_seq),
       last_seq = max(last_seq, excluded.last_seq)`,
  )
  const clearArrivals = db.prepare<[number]>(
    `DELETE FROM arrivals WHERE (grain_ms, bucket_ms, name) IN
       (SELECT grain_ms, bucket_ms, name FROM arrivals LIMIT ?)`,
  )
  const tallyWriter = createTallyWriter(db)

  /** The messages of one batch: each is read and written once, however many reports it has. */
  function createMessages() {
    const hasKept = messageRows.hasKept()
    const loaded = new Map<
      string,
      { found: FoundMessage | undefined; row: MessageRow | undefined; eventSeq: number }
    >()

    function load(messageId: string, { messageHash, seq, isFirst }: SummedEvent) {
      let message = loaded.get(messageId)
      if (!message) {
        const found =
          (isFirst ? undefined : messageRows.underEvent(messageId, messageHash)) ??
          (hasKept ? messageRows.kept(messageId) : undefined)
        loaded.set(messageId, (message = { found, row: found?.row, eventSeq: seq }))
      }
      return message
    }

    return {
      load,
      write(tallies: TallyCount): void {
        for (const [messageId, { found, row, eventSeq }] of loaded) {
          const before = found?.row
          if (!row || row === before || (before && isSame(before, row))) continue
          messageRows.put(messageId, row, found, eventSeq)
          tallyMessage(tallies, before, -1)
          tallyMessage(tallies, row, 1)
        }
      },
    }
  }

  function createBatch(): SumsBatch {
    const arrivals = createArrivalCount()
    const tallies = createTallyCount()
    const messages = createMessages()

    function advance(event: SummedEvent, messageId: string, status: string): void {
      const { receivedMs } = event
      const message = messages.load(messageId, event)
      const report = { status, rank: rankOf(status), service_ms: instantMs(event.serviceTime) ?? 0 }
      const known = message.row ?? { ...report, since_ms: receivedMs, ...uncounted }
      const furthest = isFurther(report, known) ? report : known
      message.row = {
        status: furthest.status,
        rank: furthest.rank,
        service_ms: furthest.service_ms,
        since_ms: furthest === known ? known.since_ms : receivedMs,
        first_ms: earliest(known.first_ms, receivedMs),
        submitted_ms: status === 'submitted' ? earliest(known.submitted_ms, receivedMs) : known.submitted_ms,
        delivered_ms: status === 'delivered' ? earliest(known.delivered_ms, receivedMs) : known.delivered_ms,
        calling_code: known.calling_code ?? callingCode(event.number),
      }
    }

    return {
      add(event) {
        const { kind, messageId, status, errorCode, receivedMs, seq } = event
        arrivals.add(kind === 'dlr' && status !== null ? status : kind, receivedMs, seq)
        if (kind !== 'dlr' || messageId === null || status === null) return
        advance(event, messageId, status)
        if (errorCode !== null) tallies.add('error', receivedMs, String(errorCode), 1)
      },
      replace(event, by) {
        if (event.kind !== 'dlr' || event.messageId === null) return
        if (event.errorCode !== null) tallies.add('error', event.receivedMs, String(event.errorCode), -1)
        if (by.errorCode !== null) tallies.add('error', event.receivedMs, String(by.errorCode), 1)
        const message = messages.load(event.messageId, event)
        const code = callingCode(by.number)
        if (message.row && code !== null) message.row = { ...message.row, calling_code: code }
      },
      write() {
        messages.write(tallies)
        for (const arrival of arrivals.all()) addArrival.run(arrival)
        tallyWriter.write(tallies)
      },
    }
  }

  return {
    /** Open and write it within the transaction that changes the events. */
    batch: createBatch,
    /** Deletes at most `limit` rows of each sum. @returns how many. */
    clear: (limit: number) =>
      messageRows.clear(limit) + clearArrivals.run(limit).changes + tallyWriter.clear(limit),
  }
}

const uncounted = { first_ms: null, submitted_ms: null, delivered_ms: null, calling_code: null }

const isSame = (a: MessageRow, b: MessageRow) =>
  a.status === b.status &&
  a.service_ms === b.service_ms &&
  a.since_ms === b.since_ms &&
  a.first_ms === b.first_ms &&
  a.submitted_ms === b.submitted_ms &&
  a.delivered_ms === b.delivered_ms &&
  a.calling_code === b.calling_code

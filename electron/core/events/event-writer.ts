import type { Database } from 'better-sqlite3'
import type { JournalRow } from '../../listener/journal.ts'
import { isSame, keyOf, type KnownEvent } from './event-key.ts'
import { isFinal, rankOf } from './message-status.ts'
import { type DeliveryReport, parseDelivery, type ParsedDelivery } from './parse-delivery.ts'

/** Widths of the buckets in which arrivals are counted, milliseconds: a second, a minute, an hour. */
export const arrivalGrainsMs = [1_000, 60_000, 3_600_000] as const

/** What one call of `write` did. */
export interface WriteResult {
  /** New events. */
  added: number
  /** Further deliveries of known events. */
  copies: number
  /** Known unsigned events whose fields were replaced by those of a signed copy. */
  replaced: number
  /** New events that are quarantined. */
  quarantined: number
  /** New inbound messages whose whole text is a stop word. */
  stopWords: number
}

export interface ProjectorState {
  /** The highest journal seq that was read. */
  watermark: number
  storedTotal: number
}

export interface EventWriter {
  /** Null when there is none: a new file, or one that was salvaged. */
  state(): ProjectorState | null
  /** Empties everything that is made from the journal. */
  reset(): void
  /** Writes the deliveries and the watermark in one transaction: all of it or nothing. */
  write(deliveries: readonly JournalRow[], isStopWord: (text: string) => boolean): WriteResult
}

const digitsIn = (text: string | null) => text?.replace(/\D/g, '') ?? ''

function digitsOf(parsed: ParsedDelivery): string | null {
  if (parsed.kind === 'quarantined') return null
  const own = parsed.kind === 'mo' ? digitsIn(parsed.ownNumber) : ''
  const digits = `${digitsIn(parsed.number)} ${own}`.trim()
  return digits === '' ? null : digits
}

/** Milliseconds since the epoch of a service's time, 0 where it is absent or no time. */
function serviceMs(serviceTime: string | null): number {
  const parsed = serviceTime === null ? NaN : Date.parse(serviceTime)
  return Number.isNaN(parsed) ? 0 : parsed
}

interface Arrival {
  grainMs: number
  bucketMs: number
  name: string
  count: number
  firstSeq: number
  lastSeq: number
}

/** Counts arrivals in memory, so that a batch costs one write per bucket and not one per event. */
function createArrivalCount() {
  const arrivals = new Map<string, Arrival>()
  return {
    add(name: string, receivedMs: number, seq: number): void {
      for (const grainMs of arrivalGrainsMs) {
        const bucketMs = Math.floor(receivedMs / grainMs) * grainMs
        const key = `${grainMs} ${bucketMs} ${name}`
        const arrival = arrivals.get(key)
        if (arrival) {
          arrival.count++
          arrival.lastSeq = seq
        } else arrivals.set(key, { grainMs, bucketMs, name, count: 1, firstSeq: seq, lastSeq: seq })
      }
    },
    all: () => arrivals.values(),
  }
}

/** The projector's half of state.db that writes. Nothing else writes these tables. */
export function createEventWriter(db: Database): EventWriter {
  const readState = db.prepare<[], { watermark: number; stored_total: number }>(
    'SELECT watermark, stored_total FROM projector WHERE id = 1',
  )
  const writeState = db.prepare(
    `INSERT INTO projector (id, watermark, stored_total) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET watermark = excluded.watermark, stored_total = stored_total + excluded.stored_total`,
  )
  const findByKey = db.prepare<[number, number], KnownEvent & { seq: number; verdict: string }>(
    `SELECT seq, kind, message_id, status, body_hash, verdict FROM events
     WHERE message_hash = ? AND key_hash = ?`,
  )
  const insertEvent = db.prepare(
    `INSERT INTO events (seq, source_seq, kind, message_id, status, error_code, number, own_number, digits, content,
       service_time, received_ms, verdict, quarantine_reason, stop_word, body_hash, message_hash, key_hash)
     VALUES (:seq, :seq, :kind, :messageId, :status, :errorCode, :number, :ownNumber, :digits, :content,
       :serviceTime, :receivedMs, :verdict, :reason, :stopWord, :bodyHash, :messageHash, :keyHash)`,
  )
  const replaceFields = db.prepare(
    `UPDATE events SET source_seq = :seq, error_code = :errorCode, number = :number, own_number = :ownNumber,
       digits = :digits, content = :content, service_time = :serviceTime, verdict = :verdict, stop_word = :stopWord
     WHERE seq = :eventSeq`,
  )
  const countCopy = db.prepare('UPDATE events SET copies = copies + 1 WHERE seq = ?')
  const insertCopy = db.prepare('INSERT INTO copies (journal_seq, event_seq, received_ms) VALUES (?, ?, ?)')
  const advanceMessage = db.prepare(
    `INSERT INTO messages (message_id, status, rank, final, service_ms, since_ms)
     VALUES (:messageId, :status, :rank, :final, :serviceMs, :receivedMs)
     ON CONFLICT (message_id) DO UPDATE SET
       status = excluded.status, rank = excluded.rank, final = excluded.final,
       service_ms = excluded.service_ms, since_ms = excluded.since_ms
     WHERE (excluded.rank, excluded.service_ms, excluded.status) > (rank, service_ms, status)`,
  )
  const addArrivals = db.prepare(
    `INSERT INTO arrivals (grain_ms, bucket_ms, name, count, first_seq, last_seq)
     VALUES (:grainMs, :bucketMs, :name, :count, :firstSeq, :lastSeq)
     ON CONFLICT (grain_ms, bucket_ms, name) DO UPDATE SET
       count = count + excluded.count,
       first_seq = min(first_seq, excluded.first_seq),
       last_seq = max(last_seq, excluded.last_seq)`,
  )

  function advance(report: DeliveryReport, receivedMs: number): void {
    advanceMessage.run({
      messageId: report.messageId,
      status: report.status,
      rank: rankOf(report.status),
      final: isFinal(report.status) ? 1 : 0,
      serviceMs: serviceMs(report.serviceTime),
      receivedMs,
    })
  }

  function fieldsOf(parsed: ParsedDelivery, isStopWord: (text: string) => boolean) {
    return {
      errorCode: parsed.kind === 'dlr' ? parsed.errorCode : null,
      number: parsed.kind === 'quarantined' ? null : parsed.number,
      ownNumber: parsed.kind === 'mo' ? parsed.ownNumber : null,
      digits: digitsOf(parsed),
      content: parsed.kind === 'mo' ? parsed.content : null,
      serviceTime: parsed.kind === 'quarantined' ? null : parsed.serviceTime,
      stopWord: parsed.kind === 'mo' && isStopWord(parsed.content) ? 1 : 0,
    }
  }

  const write = db.transaction(
    (deliveries: readonly JournalRow[], isStopWord: (text: string) => boolean): WriteResult => {
      const result: WriteResult = { added: 0, copies: 0, replaced: 0, quarantined: 0, stopWords: 0 }
      const arrivals = createArrivalCount()
      for (const delivery of deliveries) {
        const { seq, receivedMs, verdict } = delivery
        const parsed = parseDelivery(delivery.body)
        const key = keyOf(parsed, delivery.body)
        const known = findByKey
          .all(key.messageHash, key.keyHash)
          .find((candidate) => isSame(candidate, parsed, key))
        const fields = fieldsOf(parsed, isStopWord)

        if (known) {
          countCopy.run(known.seq)
          insertCopy.run(seq, known.seq, receivedMs)
          result.copies++
          // Anyone could have sent the unsigned one: what is signed takes the place of what it said.
          if (known.verdict === 'unsigned' && verdict === 'signed') {
            replaceFields.run({ ...fields, seq, verdict, eventSeq: known.seq })
            result.replaced++
          }
          continue
        }

        insertEvent.run({
          ...fields,
          ...key,
          seq,
          receivedMs,
          verdict,
          kind: parsed.kind,
          messageId: parsed.messageId,
          status: parsed.kind === 'dlr' ? parsed.status : null,
          reason: parsed.kind === 'quarantined' ? parsed.reason : null,
        })
        if (parsed.kind === 'dlr') advance(parsed, receivedMs)
        arrivals.add(parsed.kind === 'dlr' ? parsed.status : parsed.kind, receivedMs, seq)
        result.added++
        result.quarantined += parsed.kind === 'quarantined' ? 1 : 0
        result.stopWords += fields.stopWord
      }
      for (const arrival of arrivals.all()) addArrivals.run(arrival)
      const last = deliveries.at(-1)
      if (last) writeState.run(last.seq, result.added)
      return result
    },
  )

  const reset = db.transaction(() => {
    for (const table of ['events', 'copies', 'messages', 'arrivals', 'projector'])
      db.exec(`DELETE FROM ${table}`)
    writeState.run(0, 0)
  })

  return {
    state() {
      const row = readState.get()
      return row ? { watermark: row.watermark, storedTotal: row.stored_total } : null
    },
    reset: () => reset.immediate(),
    write: (deliveries, isStopWord) => write.immediate(deliveries, isStopWord),
  }
}

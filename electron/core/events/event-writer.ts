import type { Database } from 'better-sqlite3'
import type { JournalRow } from '../../listener/journal.ts'
import { createArrivalCount } from './arrival-count.ts'
import { type EventKey, isSame, keyOf, type KnownEvent } from './event-key.ts'
import { isFinal, rankOf } from './message-status.ts'
import { type DeliveryReport, parseDelivery, type ParsedDelivery } from './parse-delivery.ts'

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
  write(rows: readonly JournalRow[], isStopWord: (text: string) => boolean): WriteResult
}

const digitsIn = (text: string | null) => text?.replace(/\D/g, '') ?? ''

/** The digits of both numbers, a space between them. */
const digitsOf = (parsed: ParsedDelivery): string =>
  parsed.ownNumber === null
    ? digitsIn(parsed.number)
    : `${digitsIn(parsed.number)} ${digitsIn(parsed.ownNumber)}`

/** Milliseconds since the epoch of a service's time, 0 where it is absent or no time. */
function serviceMs(serviceTime: string | null): number {
  const parsed = serviceTime === null ? NaN : Date.parse(serviceTime)
  return Number.isNaN(parsed) ? 0 : parsed
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
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const replaceFields = db.prepare(
    `UPDATE events SET source_seq = ?, error_code = ?, number = ?, own_number = ?, digits = ?, content = ?,
       service_time = ?, verdict = ?, stop_word = ?
     WHERE seq = ?`,
  )
  const countCopy = db.prepare('UPDATE events SET copies = copies + 1 WHERE seq = ?')
  const insertCopy = db.prepare('INSERT INTO copies (journal_seq, event_seq, received_ms) VALUES (?, ?, ?)')
  const advanceMessage = db.prepare(
    `INSERT INTO messages (message_id, status, rank, final, service_ms, since_ms)
     VALUES (?, ?, ?, ?, ?, ?)
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
    const { messageId, status, serviceTime } = report
    const rank = rankOf(status)
    advanceMessage.run(messageId, status, rank, isFinal(rank) ? 1 : 0, serviceMs(serviceTime), receivedMs)
  }

  function add(row: JournalRow, parsed: ParsedDelivery, key: EventKey, stopWord: boolean): void {
    insertEvent.run(
      row.seq,
      row.seq,
      parsed.kind,
      parsed.messageId,
      parsed.status,
      parsed.errorCode,
      parsed.number,
      parsed.ownNumber,
      digitsOf(parsed),
      parsed.content,
      parsed.serviceTime,
      row.receivedMs,
      row.verdict,
      parsed.reason,
      stopWord ? 1 : 0,
      key.bodyHash,
      key.messageHash,
      key.keyHash,
    )
    if (parsed.kind === 'dlr') advance(parsed, row.receivedMs)
  }

  /** Anyone could have sent the unsigned one: what is signed takes the place of what it said. */
  function replace(eventSeq: number, row: JournalRow, parsed: ParsedDelivery, stopWord: boolean): void {
    replaceFields.run(
      row.seq,
      parsed.errorCode,
      parsed.number,
      parsed.ownNumber,
      digitsOf(parsed),
      parsed.content,
      parsed.serviceTime,
      row.verdict,
      stopWord ? 1 : 0,
      eventSeq,
    )
  }

  const write = db.transaction(
    (rows: readonly JournalRow[], isStopWord: (text: string) => boolean): WriteResult => {
      const result: WriteResult = { added: 0, copies: 0, replaced: 0, quarantined: 0, stopWords: 0 }
      const arrivals = createArrivalCount()
      for (const row of rows) {
        const parsed = parseDelivery(row.body)
        const key = keyOf(parsed, row.body)
        const stopWord = parsed.kind === 'mo' && isStopWord(parsed.content)
        const known = findByKey.all(key.messageHash, key.keyHash).find((event) => isSame(event, parsed, key))
        if (known) {
          countCopy.run(known.seq)
          insertCopy.run(row.seq, known.seq, row.receivedMs)
          result.copies++
          if (known.verdict === 'unsigned' && row.verdict === 'signed') {
            replace(known.seq, row, parsed, stopWord)
            result.replaced++
          }
        } else {
          add(row, parsed, key, stopWord)
          arrivals.add(parsed.kind === 'dlr' ? parsed.status : parsed.kind, row.receivedMs, row.seq)
          result.added++
          if (parsed.kind === 'quarantined') result.quarantined++
          if (stopWord) result.stopWords++
        }
      }
      for (const arrival of arrivals.all()) addArrivals.run(arrival)
      const last = rows.at(-1)
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
    write: (rows, isStopWord) => write.immediate(rows, isStopWord),
  }
}

import type { Database } from 'better-sqlite3'
import type { JournalRow } from '../../listener/journal.ts'
import { type EventKey, isSame, keyOf, type KnownEvent } from './event-key.ts'
import type { EventSums, SummedEvent, SumsBatch } from './event-sums.ts'
import { parseDelivery, type ParsedDelivery } from './parse-delivery.ts'

/** What one call of `write` did. */
export interface WriteResult {
  /** New events. */
  added: number
  /** Further deliveries of known events. */
  copies: number
  /** Known unsigned events whose fields were replaced by those of a signed copy. */
  replaced: number
  /** Of those, inbound messages. */
  replacedInbound: number
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
  /** True when nothing was ever made of the journal. */
  isEmpty(): boolean
  /** The highest journal seq that an event or a copy has, 0 when there is none. */
  highestSeq(): number
  /** Moves the watermark alone. */
  moveTo(watermark: number): void
  /** Writes the deliveries and the watermark in one transaction: all of it or nothing. */
  write(rows: readonly JournalRow[], isStopWord: (text: string) => boolean): WriteResult
}

const digitsIn = (text: string | null) => text?.replace(/\D/g, '') ?? ''

/** The digits of both numbers, a space between them. */
const digitsOf = (parsed: ParsedDelivery): string =>
  parsed.ownNumber === null
    ? digitsIn(parsed.number)
    : `${digitsIn(parsed.number)} ${digitsIn(parsed.ownNumber)}`

/** What an event takes over from one delivery. */
const fieldsOf = (row: JournalRow, parsed: ParsedDelivery, stopWord: boolean) => ({
  sourceSeq: row.seq,
  errorCode: parsed.errorCode,
  number: parsed.number,
  ownNumber: parsed.ownNumber,
  digits: digitsOf(parsed),
  content: parsed.content,
  serviceTime: parsed.serviceTime,
  verdict: row.verdict,
  stopWord: stopWord ? 1 : 0,
})

/** The projector's half of state.db that writes. Nothing else writes these tables. */
export function createEventWriter(db: Database, sums: EventSums): EventWriter {
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
     VALUES (:seq, :sourceSeq, :kind, :messageId, :status, :errorCode, :number, :ownNumber, :digits, :content,
       :serviceTime, :receivedMs, :verdict, :reason, :stopWord, :bodyHash, :messageHash, :keyHash)
     ON CONFLICT (seq) DO NOTHING`,
  )
  const findSummed = db.prepare<[number], SummedEvent>(
    `SELECT seq, kind, message_id AS messageId, status, error_code AS errorCode, number, service_time AS serviceTime,
       received_ms AS receivedMs
     FROM events WHERE seq = ?`,
  )
  const replaceFields = db.prepare(
    `UPDATE events SET source_seq = :sourceSeq, error_code = :errorCode, number = :number, own_number = :ownNumber,
       digits = :digits, content = :content, service_time = :serviceTime, verdict = :verdict, stop_word = :stopWord
     WHERE seq = :eventSeq`,
  )
  const countCopy = db.prepare('UPDATE events SET copies = copies + 1 WHERE seq = ?')
  const insertCopy = db.prepare('INSERT INTO copies (journal_seq, event_seq, received_ms) VALUES (?, ?, ?)')
  const findAny = db
    .prepare<[], number>(
      `SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM copies)
         OR EXISTS (SELECT 1 FROM messages) OR EXISTS (SELECT 1 FROM arrivals)`,
    )
    .pluck()
  const findHighest = db
    .prepare<[], number>(
      `SELECT max((SELECT coalesce(max(seq), 0) FROM events), (SELECT coalesce(max(journal_seq), 0) FROM copies))`,
    )
    .pluck()

  /** False when the event is there: kept, since the journal has lost a part of it. */
  function add(
    row: JournalRow,
    parsed: ParsedDelivery,
    key: EventKey,
    stopWord: boolean,
    batch: SumsBatch,
  ): boolean {
    const added = insertEvent.run({
      ...fieldsOf(row, parsed, stopWord),
      seq: row.seq,
      kind: parsed.kind,
      messageId: parsed.messageId,
      status: parsed.status,
      receivedMs: row.receivedMs,
      reason: parsed.reason,
      bodyHash: key.bodyHash,
      messageHash: key.messageHash,
      keyHash: key.keyHash,
    })
    if (added.changes === 0) return false
    batch.add({ ...parsed, seq: row.seq, receivedMs: row.receivedMs })
    return true
  }

  /** Anyone could have sent the unsigned one: what is signed takes the place of what it said. */
  function replace(
    eventSeq: number,
    row: JournalRow,
    parsed: ParsedDelivery,
    stopWord: boolean,
    batch: SumsBatch,
  ): void {
    batch.replace(findSummed.get(eventSeq)!, parsed)
    replaceFields.run({ ...fieldsOf(row, parsed, stopWord), eventSeq })
  }

  const write = db.transaction(
    (rows: readonly JournalRow[], isStopWord: (text: string) => boolean): WriteResult => {
      const result: WriteResult = {
        added: 0,
        copies: 0,
        replaced: 0,
        replacedInbound: 0,
        quarantined: 0,
        stopWords: 0,
      }
      const batch = sums.batch()
      for (const row of rows) {
        const parsed = parseDelivery(row.body)
        const key = keyOf(parsed, row.body)
        const stopWord = parsed.kind === 'mo' && isStopWord(parsed.content)
        const known = findByKey.all(key.messageHash, key.keyHash).find((event) => isSame(event, parsed, key))
        if (known?.seq === row.seq) {
          // An event that was kept at a start over meets the delivery it began with.
          continue
        }
        if (known) {
          countCopy.run(known.seq)
          insertCopy.run(row.seq, known.seq, row.receivedMs)
          result.copies++
          if (known.verdict === 'unsigned' && row.verdict === 'signed') {
            replace(known.seq, row, parsed, stopWord, batch)
            result.replaced++
            if (parsed.kind === 'mo') result.replacedInbound++
          }
        } else if (add(row, parsed, key, stopWord, batch)) {
          result.added++
          if (parsed.kind === 'quarantined') result.quarantined++
          if (stopWord) result.stopWords++
        }
      }
      batch.write()
      const last = rows.at(-1)
      if (last) writeState.run(last.seq, result.added)
      return result
    },
  )

  return {
    state() {
      const row = readState.get()
      return row ? { watermark: row.watermark, storedTotal: row.stored_total } : null
    },
    isEmpty: () => findAny.get() === 0,
    highestSeq: () => findHighest.get() ?? 0,
    moveTo: (watermark) => void writeState.run(watermark, 0),
    write: (rows, isStopWord) => write.immediate(rows, isStopWord),
  }
}

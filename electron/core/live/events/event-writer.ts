import type { Database } from 'better-sqlite3'
import type { OptOutSign } from '../../people/dnc/possible-opt-outs.ts'
import { isErased, type StoredBody } from '../../../listener/journal-reader.ts'
import { isSame, keyOf, type KnownEvent, type EventKey } from './event-key.ts'
import { type EventSums, summedColumns, type SummedEvent, type SumsBatch } from './event-sums.ts'
import { parseDelivery, type ParsedDelivery } from './parse-delivery.ts'
import { storedText } from '../../../contract/phrases.ts'
import { digitsToFind } from '../../../lib/phone/number-digits.ts'

const digitsIn = (text: string | null) => (text === null ? '' : digitsToFind(text))

/** The digits of both numbers, separated by a space. */
const digitsOf = (parsed: ParsedDelivery): string =>
  parsed.ownNumber === null
    ? digitsIn(parsed.number)
    : `${digitsIn(parsed.number)} ${digitsIn(parsed.ownNumber)}`

/**
 * Adds rows to `events`, one per statement: SQLite copies each page that a statement of several rows changes. Positional
 * values take half the time of named ones.
 */
function createEventRows(db: Database) {
  const insert = db.prepare(
    `INSERT INTO events (seq, source_seq, kind, message_id, status, error_code, number, own_number, digits, content,
       service_time, received_ms, verdict, quarantine_reason, opt_out, body_hash, message_hash, key_hash)
     VALUES (${Array(18).fill('?').join(', ')})
     ON CONFLICT (seq) DO NOTHING`,
  )
  return {
    /** False when this seq exists: a rebuild kept its event, because the journal lost part of it. */
    add(row: StoredBody, parsed: ParsedDelivery, key: EventKey, optOut: OptOutSign | null): boolean {
      const { seq, receivedMs, verdict } = row
      const { kind, messageId, status, errorCode, number, ownNumber, content, serviceTime, reason } = parsed
      const { messageHash, keyHash, bodyHash } = key
      // oxfmt-ignore
      const values = [
        seq, seq, kind, messageId, status, errorCode, number, ownNumber, digitsOf(parsed), content, serviceTime,
        receivedMs, verdict, reason && storedText(reason), optOut, bodyHash, messageHash, keyHash,
      ]
      return insert.run(values).changes > 0
    },
  }
}

/** The result of one `write`. */
export interface WriteResult {
  added: number
  /** Duplicates of known events. */
  copies: number
  /** Known unsigned events whose fields were replaced by those of a signed duplicate. */
  replaced: number
  /** Inbound messages among them. */
  replacedInbound: number
  quarantined: number
  /** Opt-outs and possible ones, new or replaced, and reports of messages that opt-outs name. */
  optOuts: number
}

/** The result of writing nothing. */
export const nothingWritten: WriteResult = {
  added: 0,
  copies: 0,
  replaced: 0,
  replacedInbound: 0,
  quarantined: 0,
  optOuts: 0,
}

export interface ProjectorState {
  /** The highest journal seq read. */
  watermark: number
  storedTotal: number
}

/** The fields an event takes from a delivery. */
const fieldsOf = (row: StoredBody, parsed: ParsedDelivery, optOut: OptOutSign | null) => ({
  sourceSeq: row.seq,
  errorCode: parsed.errorCode,
  number: parsed.number,
  ownNumber: parsed.ownNumber,
  digits: digitsOf(parsed),
  content: parsed.content,
  serviceTime: parsed.serviceTime,
  verdict: row.verdict,
  optOut,
})

/** The only writer of the projector's tables in state.db. */
export function createEventWriter(db: Database, sums: EventSums) {
  const readState = db.prepare<[], { watermark: number; stored_total: number }>(
    'SELECT watermark, stored_total FROM projector WHERE id = 1',
  )
  const writeState = db.prepare(
    `INSERT INTO projector (id, watermark, stored_total) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET watermark = excluded.watermark, stored_total = stored_total + excluded.stored_total`,
  )
  const eventRows = createEventRows(db)
  /** Saves a second query: most reports are the first of their message. */
  const isMessageKnown = db
    .prepare<[number], 1>('SELECT 1 FROM events WHERE message_hash = ? LIMIT 1')
    .pluck()
  const isOptOutNamed = db
    .prepare<[number], 1>(
      "SELECT 1 FROM events WHERE message_hash = ? AND opt_out IS NOT NULL AND kind = 'dlr' AND number IS NULL LIMIT 1",
    )
    .pluck()
  const findByKey = db.prepare<[number, number], KnownEvent & { seq: number }>(
    `SELECT seq, kind, message_id, status, number, content, body_hash, verdict FROM events
     WHERE message_hash = ? AND key_hash = ?`,
  )
  const findSummed = db.prepare<[number], SummedEvent>(`SELECT ${summedColumns} FROM events WHERE seq = ?`)
  const replaceFields = db.prepare(
    `UPDATE events SET source_seq = :sourceSeq, error_code = :errorCode, number = :number, own_number = :ownNumber,
       digits = :digits, content = :content, service_time = :serviceTime, verdict = :verdict, opt_out = :optOut
     WHERE seq = :eventSeq`,
  )
  const forgetAnswer = db.prepare<[number]>('DELETE FROM possible_opt_outs WHERE seq = ?')
  const countCopy = db.prepare('UPDATE events SET copies = copies + 1 WHERE seq = ?')
  const insertCopy = db.prepare('INSERT INTO copies (journal_seq, event_seq, received_ms) VALUES (?, ?, ?)')
  const findAny = db
    .prepare<[], number>(
      `SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM copies)
         OR EXISTS (SELECT 1 FROM messages) OR EXISTS (SELECT 1 FROM kept_messages) OR EXISTS (SELECT 1 FROM arrivals)`,
    )
    .pluck()
  const findHighest = db
    .prepare<[], number>(
      `SELECT max((SELECT coalesce(max(seq), 0) FROM events), (SELECT coalesce(max(journal_seq), 0) FROM copies))`,
    )
    .pluck()

  /** Anyone could have sent the unsigned delivery, so the signed one replaces its fields. */
  function replace(
    eventSeq: number,
    row: StoredBody,
    parsed: ParsedDelivery,
    optOut: OptOutSign | null,
    batch: SumsBatch,
  ): void {
    batch.replace(findSummed.get(eventSeq)!, parsed)
    replaceFields.run({ ...fieldsOf(row, parsed, optOut), eventSeq })
  }

  const write = db.transaction(
    (rows: readonly StoredBody[], optOutSign: (text: string) => OptOutSign | null): WriteResult => {
      const result = { ...nothingWritten }
      const batch = sums.batch()
      for (const row of rows) {
        if (isErased(row)) continue
        const parsed = parseDelivery(row.body)
        const key = keyOf(parsed, row.body)
        const optOut = parsed.isOptOut ? 'keyword' : parsed.kind === 'mo' ? optOutSign(parsed.content) : null
        const isFirst = !isMessageKnown.get(key.messageHash)
        const known = isFirst
          ? undefined
          : findByKey
              .all(key.messageHash, key.keyHash)
              .find((event) => isSame(event, parsed, key, row.verdict))
        // A rebuild kept this event, and this is its own delivery.
        if (known?.seq === row.seq) continue
        const isOfOptOut =
          optOut !== null || (!isFirst && parsed.kind === 'dlr' && isOptOutNamed.get(key.messageHash) === 1)
        if (known) {
          countCopy.run(known.seq)
          insertCopy.run(row.seq, known.seq, row.receivedMs)
          result.copies++
          if (known.verdict === 'unsigned' && row.verdict === 'signed') {
            replace(known.seq, row, parsed, optOut, batch)
            result.replaced++
            if (parsed.kind === 'mo') result.replacedInbound++
            if (isOfOptOut) result.optOuts++
            // What an operator said of the unsigned text says nothing of this one.
            if (known.content !== parsed.content || known.number !== parsed.number)
              forgetAnswer.run(known.seq)
          }
        } else if (eventRows.add(row, parsed, key, optOut)) {
          const { seq, receivedMs } = row
          batch.add({ ...parsed, isFirst, seq, receivedMs, messageHash: key.messageHash })
          result.added++
          if (parsed.kind === 'quarantined') result.quarantined++
          if (isOfOptOut) result.optOuts++
        }
      }
      batch.write()
      const last = rows.at(-1)
      if (last) writeState.run(last.seq, result.added)
      return result
    },
  )

  return {
    /** Null for a new or salvaged file. */
    state(): ProjectorState | null {
      const row = readState.get()
      return row ? { watermark: row.watermark, storedTotal: row.stored_total } : null
    },
    /** Whether nothing was ever projected. */
    isEmpty: (): boolean => findAny.get() === 0,
    /** The highest journal seq of an event or duplicate; 0 if there is none. */
    highestSeq: (): number => findHighest.get() ?? 0,
    /** Moves only the watermark. */
    moveTo: (watermark: number): void => void writeState.run(watermark, 0),
    /** Writes the deliveries and the watermark in one transaction. */
    write: (rows: readonly StoredBody[], optOutSign: (text: string) => OptOutSign | null): WriteResult =>
      write.immediate(rows, optOutSign),
  }
}

import { storedText } from '../../../contract/phrases.ts'
import type { Database } from 'better-sqlite3'
import type { StoredBody } from '../../../listener/journal-reader.ts'
import type { EventKey } from './event-key.ts'
import type { ParsedDelivery } from './parse-delivery.ts'

const digitsIn = (text: string | null) => text?.replace(/\D/g, '') ?? ''

/** The digits of both numbers, separated by a space. */
export const digitsOf = (parsed: ParsedDelivery): string =>
  parsed.ownNumber === null
    ? digitsIn(parsed.number)
    : `${digitsIn(parsed.number)} ${digitsIn(parsed.ownNumber)}`

/** Most events are reports: several go into one statement, with only the columns that differ. */
const reportsPerInsert = 8

const insertInto = `INSERT INTO events (seq, source_seq, kind, message_id, status, error_code, number, own_number, digits, content,
       service_time, received_ms, verdict, quarantine_reason, stop_word, body_hash, message_hash, key_hash) VALUES`

/** Positional values take half the time of named ones. */
type Value = string | number | Buffer | null

/**
 * A report: seq twice, message id, status, error code, number, digits, service time, arrival, verdict, both
 * hashes.
 */
const reportColumns = 12
const reportPlaceholders = "(?, ?, 'dlr', ?, ?, ?, ?, NULL, ?, NULL, ?, ?, ?, NULL, 0, NULL, ?, ?)"

const insertReportsSql = (count: number) =>
  `${insertInto} ${Array(count).fill(reportPlaceholders).join(', ')}`

/** Two keys may share a value; that costs one extra flush. */
const mixed = (key: EventKey) => key.messageHash + key.keyHash

/** Adds rows to `events`. Use and flush it within the transaction that reads the deliveries. */
export function createEventRows(db: Database) {
  const insertReports = db.prepare(insertReportsSql(reportsPerInsert))
  const insertReport = db.prepare(insertReportsSql(1))
  const insertAny = db.prepare(
    `${insertInto} (${Array(18).fill('?').join(', ')})
     ON CONFLICT (seq) DO NOTHING`,
  )
  const isAnyFrom = db.prepare<[number], 0 | 1>('SELECT EXISTS (SELECT 1 FROM events WHERE seq >= ?)').pluck()
  /** Events kept in a rebuild may already have a seq. */
  let mayMeetKept = false
  let waiting: Value[] = []
  const waitingKeys = new Set<number>()

  function flush(): void {
    const perInsert = reportsPerInsert * reportColumns
    let at = 0
    for (; at + perInsert <= waiting.length; at += perInsert)
      insertReports.run(waiting.slice(at, at + perInsert))
    for (; at < waiting.length; at += reportColumns) insertReport.run(waiting.slice(at, at + reportColumns))
    waiting = []
    waitingKeys.clear()
  }

  return {
    /** Call before the first row of a transaction. Drops what a failed one left behind. */
    begin(firstSeq: number): void {
      waiting = []
      waitingKeys.clear()
      mayMeetKept = isAnyFrom.get(firstSeq) === 1
    },
    /** False when an event with this seq exists, kept because the journal has lost part of it. */
    add(row: StoredBody, parsed: ParsedDelivery, key: EventKey, stopWord: boolean): boolean {
      const { seq, receivedMs, verdict } = row
      const { kind, messageId, status, errorCode, number, serviceTime } = parsed
      const { messageHash, keyHash } = key
      const digits = digitsOf(parsed)
      if (kind === 'dlr' && !mayMeetKept) {
        // prettier-ignore
        waiting.push(seq, seq, messageId, status, errorCode, number, digits, serviceTime, receivedMs, verdict, messageHash, keyHash)
        waitingKeys.add(mixed(key))
        return true
      }
      const { ownNumber, content, reason } = parsed
      const { bodyHash } = key
      // prettier-ignore
      const values = [
        seq, seq, kind, messageId, status, errorCode, number, ownNumber, digits, content, serviceTime, receivedMs, verdict,
        reason && storedText(reason), stopWord ? 1 : 0, bodyHash, messageHash, keyHash,
      ]
      return insertAny.run(values).changes > 0
    },
    /** Whether an unwritten row may have this key. */
    isWaiting: (key: EventKey): boolean => waitingKeys.has(mixed(key)),
    /** Writes the pending rows. */
    flush,
  }
}

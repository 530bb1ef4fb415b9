import type { Database } from 'better-sqlite3'
import type { StoredBody } from '../../../listener/journal.ts'
import type { EventKey } from './event-key.ts'
import type { ParsedDelivery } from './parse-delivery.ts'

/** Adds rows to `events`. To be used, and flushed, within the transaction that reads the deliveries. */
export interface EventRows {
  /** To be called before the first row of a transaction: what an earlier one, which failed, left behind is dropped. */
  begin(firstSeq: number): void
  /** False when there is an event with this seq already: kept, since the journal has lost a part of it. */
  add(row: StoredBody, parsed: ParsedDelivery, key: EventKey, stopWord: boolean): boolean
  /** True when a row that was added and not written yet may have this key. */
  isWaiting(key: EventKey): boolean
  /** Writes what waits. */
  flush(): void
}

const digitsIn = (text: string | null) => text?.replace(/\D/g, '') ?? ''

/** The digits of both numbers, a space between them. */
export const digitsOf = (parsed: ParsedDelivery): string =>
  parsed.ownNumber === null
    ? digitsIn(parsed.number)
    : `${digitsIn(parsed.number)} ${digitsIn(parsed.ownNumber)}`

/** Most events are reports: they go in by so many at a time, and only with the columns that differ. */
const reportsPerInsert = 8

const insertInto = `INSERT INTO events (seq, source_seq, kind, message_id, status, error_code, number, own_number, digits, content,
       service_time, received_ms, verdict, quarantine_reason, stop_word, body_hash, message_hash, key_hash) VALUES`

/** Values by place and not by name: half the time of what every event costs. */
type Value = string | number | Buffer | null

/** A report: seq twice, message id, status, error code, number, digits, service time, arrival, verdict, both hashes. */
const reportColumns = 12
const reportPlaceholders = "(?, ?, 'dlr', ?, ?, ?, ?, NULL, ?, NULL, ?, ?, ?, NULL, 0, NULL, ?, ?)"

const insertReportsSql = (count: number) =>
  `${insertInto} ${Array(count).fill(reportPlaceholders).join(', ')}`

/** Two keys may give one number; that costs a flush too many. */
const mixed = (key: EventKey) => key.messageHash + key.keyHash

export function createEventRows(db: Database): EventRows {
  const insertReports = db.prepare(insertReportsSql(reportsPerInsert))
  const insertReport = db.prepare(insertReportsSql(1))
  const insertAny = db.prepare(
    `${insertInto} (${Array(18).fill('?').join(', ')})
     ON CONFLICT (seq) DO NOTHING`,
  )
  const isAnyFrom = db.prepare<[number], 0 | 1>('SELECT EXISTS (SELECT 1 FROM events WHERE seq >= ?)').pluck()
  /** Events were kept at a start over, so a seq may be there already. */
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
    begin(firstSeq) {
      waiting = []
      waitingKeys.clear()
      mayMeetKept = isAnyFrom.get(firstSeq) === 1
    },
    add(row, parsed, key, stopWord) {
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
        seq, seq, kind, messageId, status, errorCode, number, ownNumber, digits, content, serviceTime, receivedMs, verdict, reason,
        stopWord ? 1 : 0, bodyHash, messageHash, keyHash,
      ]
      return insertAny.run(values).changes > 0
    },
    isWaiting: (key) => waitingKeys.has(mixed(key)),
    flush,
  }
}

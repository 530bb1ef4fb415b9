import { storedText } from '../../../contract/phrases.ts'
import type { Database } from 'better-sqlite3'
import type { OptOutSign } from '../../people/dnc/possible-opt-outs.ts'
import { digitsToFind } from '../../../lib/phone/number-digits.ts'
import type { StoredBody } from '../../../listener/journal-reader.ts'
import type { EventKey } from './event-key.ts'
import type { ParsedDelivery } from './parse-delivery.ts'

const digitsIn = (text: string | null) => (text === null ? '' : digitsToFind(text))

/** The digits of both numbers, separated by a space. */
export const digitsOf = (parsed: ParsedDelivery): string =>
  parsed.ownNumber === null
    ? digitsIn(parsed.number)
    : `${digitsIn(parsed.number)} ${digitsIn(parsed.ownNumber)}`

/**
 * Adds rows to `events`, one per statement: SQLite copies each page that a statement of several rows changes. Positional
 * values take half the time of named ones.
 */
export function createEventRows(db: Database) {
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

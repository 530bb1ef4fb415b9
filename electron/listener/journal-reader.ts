import { mapSqliteError } from '../database/errors.ts'
import { fileRoom } from '../database/file-room.ts'
import { openReader } from '../database/open.ts'
import { readRelays, type RelayRecord } from './journal-relays.ts'
import { erasedVerdict, type JournalRow, lastSeqOf, type Span } from './journal.ts'

/** What events are made of. */
export type StoredBody = Pick<JournalRow, 'seq' | 'receivedMs' | 'verdict' | 'body'>

export const isErased = ({ verdict }: { verdict: string }): boolean => verdict === erasedVerdict

export type JournalReader = ReturnType<typeof openJournalReader>

/** Opens the journal for reading beside its writer. Each call sees the latest commit. Throws `STORAGE_*` errors. */
export function openJournalReader(file: string) {
  const { db, close } = openReader(file)
  const columns = `seq, received_ms AS receivedMs, verdict, secret_id AS secretId, remote, headers_json AS headersJson, body`
  const after = db.prepare<[number, number], JournalRow>(
    `SELECT ${columns} FROM deliveries WHERE seq > ? ORDER BY seq LIMIT ?`,
  )
  const bodies = db.prepare<[number, number], StoredBody>(
    'SELECT seq, received_ms AS receivedMs, verdict, body FROM deliveries WHERE seq > ? ORDER BY seq LIMIT ?',
  )
  const one = db.prepare<[number], JournalRow>(`SELECT ${columns} FROM deliveries WHERE seq = ?`)
  const spans = db.prepare<[number], Span>(
    `SELECT id, started_ms AS startedMs, alive_ms AS aliveMs, ended_ms AS endedMs, end_reason AS endReason, port, first_delivery_ms AS firstDeliveryMs
     FROM spans WHERE ended_ms IS NULL OR ended_ms >= ? ORDER BY id`,
  )
  const mapped = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw mapSqliteError(error, { file })
    }
  }
  return {
    /** The next deliveries with a higher seq, only what events are made of: half the cost of `readAfter`. */
    bodiesAfter: (seq: number, limit: number) => mapped(() => bodies.all(seq, limit)),
    readAfter: (seq: number, limit: number) => mapped(() => after.all(seq, limit)),
    read: (seq: number) => mapped(() => one.get(seq) ?? null),
    /** Highest seq stored, 0 when empty. */
    lastSeq: () => mapped(() => lastSeqOf(db)),
    room: () => mapped(() => fileRoom(db)),
    /** Spans running or ended since `sinceMs`, oldest first. */
    spans: (sinceMs: number) => mapped(() => spans.all(sinceMs)),
    relays: (): RelayRecord => mapped(() => readRelays(db)),
    close,
  }
}

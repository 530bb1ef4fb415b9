import { AppError } from '../../contract/errors.ts'
import type { Database } from '../../database/open.ts'
import { keyOf } from '../live/events/event-key.ts'
import { createEventRows } from '../live/events/event-rows.ts'
import { createEventSums } from '../live/events/event-sums.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** What one transaction writes at most, in events, in events and copies, and in bytes of lines: 10 to 20 ms of the core thread. */
const eventsPerTurn = 200
const rowsPerTurn = 2_000
const bytesPerTurn = 512 * 1024

/** An event and where it stands in its file. */
interface PlacedEvent extends RecordedEvent {
  /** Counted from 1. */
  line: number
  lineBytes: number
}

/** Writes recorded events into the tables that the projector fills, and their deliveries into those of the listener. */
export interface RecordingWriter {
  /** Takes an event, the seqs of which rise. True when so much waits that it is to be written. */
  add(event: PlacedEvent): boolean
  /** Writes what waits. Throws RECORDING_UNREADABLE where a copy has the seq of another, and what SQLite throws. */
  write(): void
}

export function createRecordingWriter(state: Database, journal: Database): RecordingWriter {
  const rows = createEventRows(state)
  const sums = createEventSums(state)
  const setCopies = state.prepare<[number, number]>('UPDATE events SET copies = ? WHERE seq = ?')
  const insertCopy = state.prepare<[number, number, number]>(
    `INSERT INTO copies (journal_seq, event_seq, received_ms) VALUES (?, ?, ?)
     ON CONFLICT (journal_seq) DO NOTHING`,
  )
  const insertDelivery = journal.prepare<[number, number, string, string, string, Uint8Array]>(
    `INSERT INTO deliveries (seq, received_ms, verdict, secret_id, remote, headers_json, body)
     VALUES (?, ?, ?, NULL, ?, ?, ?)`,
  )
  let waiting: PlacedEvent[] = []
  let waitingRows = 0
  let waitingBytes = 0

  function writeCopies({ row, copies, further, line }: PlacedEvent): void {
    if (copies > 0) setCopies.run(copies + 1, row.seq)
    for (const copy of further) {
      const { changes } = insertCopy.run(copy.seq, row.seq, copy.receivedMs)
      if (changes === 0) throw new AppError('RECORDING_UNREADABLE', { line })
    }
  }

  const writeEvents = state.transaction(() => {
    const batch = sums.batch()
    rows.begin(waiting[0]?.row.seq ?? 0)
    for (const { row, parsed, stopWord } of waiting) {
      const key = keyOf(parsed, row.body)
      rows.add(row, parsed, key, stopWord)
      const { messageHash } = key
      batch.add({ ...parsed, messageHash, seq: row.seq, receivedMs: row.receivedMs })
    }
    rows.flush()
    waiting.forEach(writeCopies)
    batch.write()
  })
  const writeDeliveries = journal.transaction(() => {
    for (const { row, delivery } of waiting)
      if (delivery)
        insertDelivery.run(
          row.seq,
          row.receivedMs,
          row.verdict,
          delivery.remote,
          delivery.headersJson,
          row.body,
        )
  })

  return {
    add(event) {
      waiting.push(event)
      waitingRows += 1 + event.further.length
      waitingBytes += event.lineBytes
      return waiting.length >= eventsPerTurn || waitingRows >= rowsPerTurn || waitingBytes >= bytesPerTurn
    },
    write() {
      writeEvents()
      writeDeliveries()
      waiting = []
      waitingRows = waitingBytes = 0
    },
  }
}

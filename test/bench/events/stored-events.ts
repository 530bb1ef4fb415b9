import type { Database } from 'better-sqlite3'
import { hash48 } from '#electron/lib/hash48.ts'
import { createEventSums, type SummedEvent } from '#electron/core/live/events/event-sums.ts'
import { seededRandom } from '#electron/lib/random.ts'

/** An event to store, with the text of an inbound message. */
export type StoredEvent = Omit<SummedEvent, 'messageHash'> & { content?: string | null }

const days = 60
const eventsPerTransaction = 5_000

export const dayMs = 86_400_000
export const hourMs = 3_600_000
/** Midnight UTC, so that periods are whole days. */
export const endMs = Date.parse('2026-11-01T00:00:00Z')
const firstMs = endMs - days * dayMs

const numbers = [
  '+49151',
  '+44207',
  '+1202555',
  '+33612',
  '+358401',
  '+8190',
  '+55119',
  '+27821',
  '+971501',
  '+6591',
]
const outcomes = [
  ...Array<string>(93).fill('delivered'),
  ...Array<string>(4).fill('failed'),
  'expired',
  'expired',
  'buffered',
]

/** Interleaved reports of many messages: each `submitted` is followed, some messages later, by its outcome. */
export function* reports(events: number): Generator<StoredEvent> {
  const random = seededRandom(23)
  const waiting: { id: string; number: string; dueMs: number }[] = []
  let message = 0
  for (let seq = 1; seq <= events; seq++) {
    const receivedMs = firstMs + Math.floor(((seq - 1) / events) * days * dayMs)
    const oldest = waiting[0]
    const isDue = oldest !== undefined && oldest.dueMs <= receivedMs
    if (isDue) waiting.shift()
    else waiting.push(begin(receivedMs))
    const { id, number } = isDue ? oldest : waiting.at(-1)!
    const status = isDue ? outcomes[Math.floor(random() * outcomes.length)]! : 'submitted'
    const errorCode = status === 'failed' ? 1 + Math.floor(random() * 12) : null
    yield { seq, kind: 'dlr', messageId: id, status, errorCode, number, serviceTime: null, receivedMs }
  }

  function begin(receivedMs: number) {
    const number = `${numbers[Math.floor(random() * random() * numbers.length)]}${1_000_000 + (message % 9_000_000)}`
    return { id: `m-${(message++).toString(36)}`, number, dueMs: receivedMs + 500 + random() ** 4 * 90_000 }
  }
}

/** Stores all events with their sums, as the projector’s transactions would. @returns microseconds per event spent on the sums. */
export function fillEvents(db: Database, all: Iterable<StoredEvent>): number {
  const insert = db.prepare(
    `INSERT INTO events (seq, source_seq, kind, message_id, status, error_code, number, digits, content,
       received_ms, verdict, message_hash, key_hash)
     VALUES (:seq, :seq, :kind, :messageId, :status, :errorCode, :number, substr(:number, 2), :content,
       :receivedMs, 'signed', :messageHash, 1)`,
  )
  const sums = createEventSums(db)
  let sumsMs = 0
  let count = 0
  const store = db.transaction((stored: readonly StoredEvent[]) => {
    const some = stored.map((event) => ({ ...event, messageHash: hash48(event.messageId ?? '') }))
    for (const { serviceTime: _time, ...event } of some) insert.run({ content: null, ...event })
    const startedMs = performance.now()
    const batch = sums.batch()
    for (const event of some) batch.add(event)
    batch.write()
    sumsMs += performance.now() - startedMs
  })
  let some: StoredEvent[] = []
  for (const event of all) {
    count++
    some.push(event)
    if (some.length < eventsPerTransaction) continue
    store(some)
    some = []
  }
  store(some)
  return (sumsMs / count) * 1_000
}

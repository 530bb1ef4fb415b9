import { fold } from '../lib/fold.ts'
import { hash48 } from '../lib/hash48.ts'
import type { Database } from 'better-sqlite3'

/** SQL function `contains_folded(text, part)`: SQLite's `lower` handles only ASCII. */
export const containsFolded = 'contains_folded'

/** SQL function `message_hash(id)`: how events are indexed by their message. */
export const messageHash = 'message_hash'

/** SQL function `fold(text)`: SQLite's own `lower` knows ASCII only. */
export function addFold(db: Database): void {
  db.function('fold', { deterministic: true, directOnly: true }, (text: unknown) =>
    typeof text === 'string' ? fold(text) : text,
  )
}

export function addTextFunctions(db: Database): void {
  db.function(containsFolded, { deterministic: true }, (text: unknown, part: unknown) =>
    typeof text === 'string' && text.toLowerCase().includes(String(part)) ? 1 : 0,
  )
  db.function(messageHash, { deterministic: true }, (id: unknown) =>
    typeof id === 'string' ? hash48(id) : null,
  )
}

import { hash48 } from '../lib/hash48.ts'
import type { Database } from './open.ts'

/** SQL function `contains_folded(text, part)`: SQLite's `lower` handles only ASCII. */
export const containsFolded = 'contains_folded'

/** SQL function `message_hash(id)`: how events are indexed by their message. */
export const messageHash = 'message_hash'

export function addTextFunctions(db: Database): void {
  db.function(containsFolded, { deterministic: true }, (text: unknown, part: unknown) =>
    typeof text === 'string' && text.toLowerCase().includes(String(part)) ? 1 : 0,
  )
  db.function(messageHash, { deterministic: true }, (id: unknown) =>
    typeof id === 'string' ? hash48(id) : null,
  )
}

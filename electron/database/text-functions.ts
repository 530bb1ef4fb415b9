import type { Database } from './open.ts'

/** SQL function `contains_folded(text, part)`: SQLite's `lower` handles only ASCII. */
export const containsFolded = 'contains_folded'

export function addTextFunctions(db: Database): void {
  db.function(containsFolded, { deterministic: true }, (text: unknown, part: unknown) =>
    typeof text === 'string' && text.toLowerCase().includes(String(part)) ? 1 : 0,
  )
}

import type { Database } from './open.ts'

/** Name of the SQL function for texts that are not ASCII, which SQLite's own `lower` leaves alone: `contains_folded(text, part)`. */
export const containsFolded = 'contains_folded'

/** Gives a connection the functions that conditions on texts use. */
export function addTextFunctions(db: Database): void {
  db.function(containsFolded, { deterministic: true }, (text: unknown, part: unknown) =>
    typeof text === 'string' && text.toLowerCase().includes(String(part)) ? 1 : 0,
  )
}

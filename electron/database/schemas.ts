import type { Migration } from './migrate.ts'
import { migrations as book } from './migrations/book.ts'
import { migrations as cache } from './migrations/cache.ts'
import { migrations as console } from './migrations/console.ts'
import { migrations as journal } from './migrations/journal.ts'
import { migrations as search } from './migrations/search.ts'
import { migrations as state } from './migrations/state.ts'
import type { PragmaOptions } from './pragmas.ts'

/**
 * The kinds of database there are: `console` (one per profile: connections, settings), and one folder per connection with
 * `state` (what only we know), `book` (the contacts), `search` (their index), `cache` (what can be fetched again) and `journal` (the
 * deliveries as they came in).
 */
export type SchemaName = 'console' | 'state' | 'cache' | 'journal' | 'book' | 'search'

export interface Schema extends PragmaOptions {
  migrations: readonly Migration[]
  /** What becomes of the rows of a damaged file: read out as far as possible, or dropped because they can be fetched again. */
  whenDamaged: 'salvage' | 'rebuild'
  /** A sentence for the operator on what is done about lost rows. */
  afterSalvage?: string
}

/** How each kind of database is kept. Timeouts: a waiting statement stops its whole thread. */
export const schemas: Record<SchemaName, Schema> = {
  console: {
    migrations: console,
    whenDamaged: 'salvage',
    busyTimeoutMs: 2000,
    walAutocheckpointPages: 1000,
  },
  state: {
    migrations: state,
    whenDamaged: 'salvage',
    afterSalvage: 'Events are made again of the deliveries in the journal; those it no longer has are kept.',
    busyTimeoutMs: 2000,
    walAutocheckpointPages: 2000,
  },
  // Written by the book thread alone. Large commits: a checkpoint in the middle of an import would cost more than it frees.
  book: {
    migrations: book,
    whenDamaged: 'salvage',
    afterSalvage: 'What the outbox and the service know of these contacts is not lost.',
    busyTimeoutMs: 5000,
    walAutocheckpointPages: 10_000,
  },
  search: { migrations: search, whenDamaged: 'rebuild', busyTimeoutMs: 5000, walAutocheckpointPages: 10_000 },
  cache: { migrations: cache, whenDamaged: 'rebuild', busyTimeoutMs: 2000, walAutocheckpointPages: 2000 },
  // The listener must answer 503 within 4 s: it retries by itself instead of standing still inside SQLite.
  journal: { migrations: journal, whenDamaged: 'salvage', busyTimeoutMs: 20, walAutocheckpointPages: 4000 },
}

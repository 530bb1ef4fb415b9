import type { Migration } from './migrate.ts'
import { migrations as contacts } from './migrations/contacts.ts'
import { migrations as cache } from './migrations/cache.ts'
import { migrations as console } from './migrations/console.ts'
import { migrations as journal } from './migrations/journal.ts'
import { migrations as search } from './migrations/search.ts'
import { migrations as state } from './migrations/state.ts'
import type { PragmaOptions } from './pragmas.ts'

/**
 * `console`: one per profile (connections, settings). Per connection: `state` (data only Switchboard has), `contacts`, `search`
 * (their index), `cache` (what can be fetched again), `journal` (raw deliveries).
 */
export type SchemaName = 'console' | 'state' | 'cache' | 'journal' | 'contacts' | 'search'

export interface Schema extends PragmaOptions {
  migrations: readonly Migration[]
  /** Recover the readable rows of a damaged file, or start empty and fetch them again. */
  whenDamaged: 'salvage' | 'rebuild'
  /** For the operator: what happens to lost rows. */
  afterSalvage?: `salvage.${'events' | 'contacts'}`
}

/** A statement that waits blocks its whole thread, hence the timeouts. */
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
    afterSalvage: 'salvage.events',
    busyTimeoutMs: 2000,
    walAutocheckpointPages: 2000,
  },
  // Large commits: a checkpoint in the middle of an import would cost more than it frees.
  contacts: {
    migrations: contacts,
    whenDamaged: 'salvage',
    afterSalvage: 'salvage.contacts',
    busyTimeoutMs: 5000,
    walAutocheckpointPages: 10_000,
  },
  search: { migrations: search, whenDamaged: 'rebuild', busyTimeoutMs: 5000, walAutocheckpointPages: 10_000 },
  cache: { migrations: cache, whenDamaged: 'rebuild', busyTimeoutMs: 2000, walAutocheckpointPages: 2000 },
  // The listener must answer 503 within 4 s, so it retries itself instead of blocking in SQLite.
  journal: { migrations: journal, whenDamaged: 'salvage', busyTimeoutMs: 20, walAutocheckpointPages: 4000 },
}

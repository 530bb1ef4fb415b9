import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './journal/0001-deliveries.ts'
import { migration as m0002 } from './journal/0002-pruned.ts'

/** The steps of `journal.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001, m0002]

import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './search/0001-contacts.ts'

/** The steps of `search.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001]

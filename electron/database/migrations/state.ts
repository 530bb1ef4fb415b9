import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './state/0001-events.ts'
import { migration as m0002 } from './state/0002-tasks.ts'

/** The steps of `state.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001, m0002]

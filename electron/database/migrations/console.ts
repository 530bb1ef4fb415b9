import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './console/0001-connections.ts'
import { migration as m0002 } from './console/0002-alert-posts.ts'

/** The steps of `console.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001, m0002]

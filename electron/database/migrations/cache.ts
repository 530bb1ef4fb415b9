import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './cache/0001-answers.ts'

/** The steps of `cache.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001]

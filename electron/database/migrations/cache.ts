import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './cache/0001-answers.ts'
import { migration as m0002 } from './cache/0002-dnc.ts'
import { migration as m0003 } from './cache/0003-error-codes.ts'
import { migration as m0004 } from './cache/0004-times.ts'
import { migration as m0005 } from './cache/0005-covering-digits.ts'

/** The steps of `cache.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001, m0002, m0003, m0004, m0005]

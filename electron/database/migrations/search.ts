import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './search/0001-contacts.ts'
import { migration as m0002 } from './search/0002-progress.ts'
import { migration as m0003 } from './search/0003-hash-size.ts'
import { migration as m0004 } from './search/0004-sigma.ts'
import { migration as m0005 } from './search/0005-postings.ts'
import { migration as m0006 } from './search/0006-again-until.ts'
import { migration as m0007 } from './search/0007-generation.ts'
import { migration as m0008 } from './search/0008-letters.ts'

/** The steps of `search.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001, m0002, m0003, m0004, m0005, m0006, m0007, m0008]

import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './book/0001-contacts.ts'
import { migration as m0002 } from './book/0002-imports.ts'
import { migration as m0003 } from './book/0003-bulk-imports.ts'
import { migration as m0004 } from './book/0004-lean-indexes.ts'
import { migration as m0005 } from './book/0005-generation.ts'
import { migration as m0006 } from './book/0006-undo-counts.ts'
import { migration as m0007 } from './book/0007-tags.ts'

/** The steps of `book.db`, oldest first. */
export const migrations: readonly Migration[] = [m0001, m0002, m0003, m0004, m0005, m0006, m0007]

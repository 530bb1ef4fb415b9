import { sizeOnDisk } from '../../database/files.ts'
import { DamagedDatabase, type OpenedDatabase, openDatabase } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { damageOf, type StoreOpened } from './protocol.ts'
import { createSearchIndex } from './search-index.ts'

/** Both databases are about 100 kB without contacts. */
const emptyBytes = 1_000_000

/**
 * Creates or checks the databases of a store and closes them again. `isEmpty` if nothing in them needs a thread: no damage, no
 * contacts, no tags or texts of deleted ones.
 */
export function checkEmptyStore(
  files: { contactsFile: string; searchFile: string },
  { clock, log }: { clock: Clock; log: Log },
): { isEmpty: boolean; damage: StoreOpened['damage'] } {
  if (Object.values(files).some((file) => sizeOnDisk(file) > emptyBytes))
    return { isEmpty: false, damage: [] }
  const all: OpenedDatabase[] = []
  const open = (file: string, schema: 'contacts' | 'search') => {
    const opened = openDatabase({ file, schema, log, now: clock.now, leaveDamaged: true })
    all.push(opened)
    return opened.db
  }
  function isEmpty(): boolean {
    try {
      const contactsDb = open(files.contactsFile, 'contacts')
      const kept =
        'SELECT 1 FROM contacts UNION ALL SELECT 1 FROM tag_batches UNION ALL SELECT 1 FROM tag_sets WHERE id > 1'
      if (contactsDb.prepare(`${kept} LIMIT 1`).get()) return false
      const index = createSearchIndex(contactsDb, open(files.searchFile, 'search'))
      return !index.step() && !index.hasDeleted()
    } catch (error) {
      if (error instanceof DamagedDatabase) return false
      throw error
    }
  }
  try {
    return { isEmpty: isEmpty(), damage: all.flatMap(damageOf) }
  } finally {
    for (const { close } of all) close()
  }
}

import { join } from 'node:path'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog } from '#electron/lib/log.ts'
import type { JobFiles } from '#electron/jobs/run/job-control.ts'
import { usualChoices } from '../../helpers/contact-files.ts'
import type { ImportChoices } from '#electron/contract/people/imports.ts'

export const log = createLog((entry) => {
  if (entry.level === 'error' || entry.level === 'warn') console.error(entry.message, entry.data)
}, 'bench')

/** Where a connection’s databases are in its folder. */
export const filesIn = (folder: string): JobFiles => ({
  contactsFile: join(folder, 'contacts.db'),
  searchFile: join(folder, 'search.db'),
  cacheFile: join(folder, 'cache.db'),
  stateFile: join(folder, 'state.db'),
})

/** Creates a connection’s databases, with a DNC list of these numbers. */
export function prepareConnection(folder: string, dnc: Iterable<string>): void {
  const { cacheFile, contactsFile, stateFile } = filesIn(folder)
  const cache = openDatabase({ file: cacheFile, schema: 'cache', log, now: systemClock.now })
  const add = cache.db.prepare<[string, string, number]>(`
    INSERT INTO dnc_entries (key, phone_number, digits, reason, first_seen_ms, added_sync, seen_sync, seen_sweep)
    VALUES (?, ?, ?, 'asked to stop', 0, 1, 1, 1)`)
  cache.db
    .transaction(() => {
      for (const number of dnc) add.run(`id-${number}`, `+${number}`, Number(number))
    })
    .immediate()
  cache.close()
  openDatabase({ file: contactsFile, schema: 'contacts', log, now: systemClock.now }).close()
  openDatabase({ file: stateFile, schema: 'state', log, now: systemClock.now }).close()
}

/** How to read the table of `makePeople`. */
export const choices: ImportChoices = {
  format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
  columns: [{ to: 'name' }, { to: 'phone' }, { to: 'email' }, { to: 'tag', tagKey: 'city' }],
  defaultRegion: 'US',
  ...usualChoices,
}

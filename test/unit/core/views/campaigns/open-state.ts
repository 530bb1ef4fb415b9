import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '#electron/database/open.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

/** An empty `state.db` in its own folder. */
export function openState(): Database {
  const opened = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log: quietLog })
  onTestFinished(opened.close)
  return opened.db
}

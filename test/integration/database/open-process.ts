import { openDatabase } from '#electron/database/open.ts'
import { quietLog } from '../../helpers/quiet-log.ts'

/** Opens a journal in its own process, for tests that kill it. */
openDatabase({ file: process.argv[2]!, schema: 'journal', log: quietLog }).close()
process.disconnect()

import { openDatabase } from '#electron/database/open.ts'
import { quietLog } from '../../helpers/quiet-log.ts'

/** A process of its own that opens a journal, for tests that kill it meanwhile. */
openDatabase({ file: process.argv[2]!, schema: 'journal', log: quietLog }).close()
process.disconnect()

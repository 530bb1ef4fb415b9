import { join } from 'node:path'
import { startListenerThread } from '../../helpers/listener-thread.ts'
import { openEvents } from '../../helpers/open-events.ts'

/**
 * A process that receives deliveries in a listener thread and projects them, for tests that kill it: `node receiving-process.ts <folder>`.
 * It uses the secret of the test helpers.
 */
const journalFile = join(process.argv[2]!, 'journal.db')
let notify = (_lastSeq: number) => {}
const { port } = await startListenerThread({
  journalFile,
  secret: 'secret of the test',
  hears: { journalGrew: (lastSeq) => notify(lastSeq) },
})
notify = openEvents(journalFile).feature.projector.notify
process.send!({ port })

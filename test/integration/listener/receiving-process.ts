import { createBirpc } from 'birpc'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createEventsFeature } from '#electron/core/events/create-events-feature.ts'
import { defaultStopWords } from '#electron/core/events/stop-words.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { openJournalReader } from '#electron/listener/journal.ts'
import type { ListenerEvents, ListenerFunctions } from '#electron/listener/protocol.ts'
import { quietLog } from '../../helpers/quiet-log.ts'

/**
 * A process of its own that takes deliveries in a listener thread and makes events of them, for tests that kill it:
 * `node receiving-process.ts <folder>`. Its secret is that of the test helpers.
 */
const folder = process.argv[2]!
const journalFile = join(folder, 'journal.db')
const worker = new Worker(entryUrl('listener-thread'))
let notify = (_lastSeq: number) => {}
const listener = createBirpc<ListenerFunctions, ListenerEvents>(
  { journalGrew: (lastSeq) => notify(lastSeq), stats() {}, journalDamaged() {}, storing() {}, log() {} },
  { post: (data) => worker.postMessage(data), on: (receive) => void worker.on('message', receive) },
)
const started = await listener.start({
  journalFile,
  host: '127.0.0.1',
  port: 0,
  path: '/webhooks',
  allowUnsigned: false,
  secrets: [{ id: 'first', label: 'First', value: 'secret of the test' }],
})
const state = openDatabase({ file: join(folder, 'state.db'), schema: 'state', log: quietLog, now: Date.now })
const events = createEventsFeature({
  stateDb: state.db,
  journalReader: openJournalReader(journalFile),
  clock: systemClock,
  log: quietLog,
  stopWords: () => defaultStopWords,
  recovered: () => null,
  listening: () => 'yes',
})
notify = events.notifyJournalGrew
events.start()
process.send!(started)

import { createBirpc } from 'birpc'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createEventsFeature } from '#electron/core/events/create-events-feature.ts'
import { defaultStopWords } from '#electron/core/events/stop-words.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { createLog } from '#electron/lib/log.ts'
import { openJournalReader } from '#electron/listener/journal.ts'
import type { ListenerEvents, ListenerFunctions } from '#electron/listener/protocol.ts'
import { secret, serveParent } from './messages.ts'

/** The product's listener thread, and the projector that makes events of what it stores. */
const journalFile = process.argv[2]!
const worker = new Worker(entryUrl('listener-thread'))
let notify = (_lastSeq: number) => {}
const listener = createBirpc<ListenerFunctions, ListenerEvents>(
  {
    journalGrew: (lastSeq) => notify(lastSeq),
    stats() {},
    journalDamaged() {},
    storing() {},
    log: (_level, message, data) => console.error(message, data),
  },
  { post: (data) => worker.postMessage(data), on: (receive) => void worker.on('message', receive) },
)
const started = await listener.start({
  journalFile,
  host: '127.0.0.1',
  port: 0,
  path: '/webhooks',
  allowUnsigned: false,
  secrets: [{ id: 'bench', label: 'bench', value: secret }],
})
if (started.kind !== 'listening') throw new Error(`The listener refused: ${started.code}`)
const log = createLog(() => {}, 'bench', Date.now)
const state = openDatabase({
  file: join(dirname(journalFile), 'state.db'),
  schema: 'state',
  log,
  now: Date.now,
})
const events = createEventsFeature({
  stateDb: state.db,
  journalReader: openJournalReader(journalFile),
  clock: systemClock,
  log,
  stopWords: () => defaultStopWords,
  recovered: () => null,
  listening: () => 'yes',
})
notify = events.notifyJournalGrew
events.start()
serveParent(started.port, async () => {
  await listener.stop()
  await events.projector.caughtUp()
  return state.db.prepare<[], number>('SELECT coalesce(sum(copies), 0) FROM events').pluck().get()!
})

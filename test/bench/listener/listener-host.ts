import { createBirpc } from 'birpc'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { openJournalReader } from '#electron/listener/journal.ts'
import type { ListenerEvents, ListenerFunctions } from '#electron/listener/protocol.ts'
import { secret, serveParent } from './messages.ts'

/** The product's own listener thread in a process that does nothing else. */
const journalFile = process.argv[2]!
const worker = new Worker(entryUrl('listener-thread'))
const listener = createBirpc<ListenerFunctions, ListenerEvents>(
  {
    journalGrew() {},
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
serveParent(started.port, async () => {
  await listener.stop()
  const reader = openJournalReader(journalFile)
  let stored = 0
  let seq = 0
  for (;;) {
    const rows = reader.readAfter(seq, 5_000)
    if (rows.length === 0) return stored
    stored += rows.length
    seq = rows.at(-1)!.seq
  }
})

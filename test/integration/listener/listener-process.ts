import { createBirpc } from 'birpc'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '#electron/lib/entry-url.ts'
import type { ListenerEvents, ListenerFunctions } from '#electron/listener/protocol.ts'

/** A process of its own with a listener thread, for tests that kill it. Its secret is that of the test helpers. */
const worker = new Worker(entryUrl('listener-thread'))
const listener = createBirpc<ListenerFunctions, ListenerEvents>(
  { journalGrew() {}, stats() {}, journalDamaged() {}, storing() {}, log() {} },
  { post: (data) => worker.postMessage(data), on: (receive) => void worker.on('message', receive) },
)
const started = await listener.start({
  journalFile: process.argv[2]!,
  host: '127.0.0.1',
  port: 0,
  path: '/webhooks',
  allowUnsigned: false,
  secrets: [{ id: 'first', label: 'First', value: 'secret of the test' }],
})
process.send!(started)

import { englishText, type Said } from '../../../contract/phrases.ts'
import { createBirpc } from 'birpc'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../../lib/entry-url.ts'
import type { ListenerEvents, ListenerFunctions } from '../../../listener/protocol.ts'

/** The listener thread as the core sees it. `stop` also ends the thread. */
export type ListenerThread = {
  [Name in keyof ListenerFunctions]: (
    ...args: Parameters<ListenerFunctions[Name]>
  ) => Promise<Awaited<ReturnType<ListenerFunctions[Name]>>>
}

/** Events from the thread. `ended` is called when it stops unasked. */
export type ListenerThreadEvents = ListenerEvents & {
  ended: (detail: Said) => void
}

/** Starts a listener thread. It takes no requests before its `start` is called. */
export function startListenerThread(events: ListenerThreadEvents): ListenerThread {
  const worker = new Worker(entryUrl('listener-thread'), { name: 'listener' })
  let stopping = false
  let detail: Said = { key: 'listener.threadEnded' }
  const { ended, ...functions } = events
  const rpc = createBirpc<ListenerFunctions, ListenerEvents>(functions, {
    post: (data) => worker.postMessage(data),
    on: (receive) => void worker.on('message', receive),
    // `start` may check a large journal first; the caller decides how long to wait.
    timeout: -1,
  })
  worker.on('error', (error) => {
    detail = error instanceof Error ? error.message : String(error)
  })
  worker.on('exit', () => {
    rpc.$close(new Error(englishText(detail)))
    if (!stopping) ended(detail)
  })
  return {
    start: (config) => rpc.start(config),
    reconfigure: (place) => rpc.reconfigure(place),
    suspend: () => rpc.suspend(),
    wake: () => rpc.wake(),
    setSecrets: (secrets, secretsUnread) => rpc.setSecrets(secrets, secretsUnread),
    stats: () => rpc.stats(),
    prune: (range) => rpc.prune(range),
    erase: (seqs) => rpc.erase(seqs),
    truncateLog: () => rpc.truncateLog(),
    refusals: () => rpc.refusals(),
    refusal: (id) => rpc.refusal(id),
    async stop(reason) {
      stopping = true
      await rpc.stop(reason)
      await worker.terminate()
    },
  }
}

import { englishText, type Said } from '../../../contract/phrases.ts'
import { createBirpc } from 'birpc'
import { MessageChannel, Worker } from 'node:worker_threads'
import { entryUrl } from '../../../lib/entry-url.ts'
import type { Log } from '../../../lib/log.ts'
import {
  type JournalLoss,
  type ListenerEvents,
  type ListenerFunctions,
  silentEvents,
} from '../../../listener/protocol.ts'

/** One listener as the core sees it. `stop` disconnects it. */
export type ListenerThread = {
  [Name in keyof ListenerFunctions]: (
    ...args: Parameters<ListenerFunctions[Name]>
  ) => Promise<Awaited<ReturnType<ListenerFunctions[Name]>>>
}

/** Events of one listener. `ended` is called when the thread stops unasked. */
type ListenerThreadEvents = ListenerEvents & { ended: (detail: Said) => void }

export type ListenerThreads = ReturnType<typeof createListenerThreads>

/** The one thread behind all listeners. It runs while any of them is connected. */
export function createListenerThreads() {
  let worker: Worker | null = null
  const ended = new Set<(detail: Said) => void>()

  function started(): Worker {
    if (worker) return worker
    const starting = new Worker(entryUrl('listener-thread'), { name: 'listener' })
    let detail: Said = { key: 'listener.threadEnded' }
    starting.on('error', (error) => {
      detail = error instanceof Error ? error.message : String(error)
    })
    starting.on('exit', () => {
      if (worker !== starting) return
      worker = null
      for (const tell of [...ended]) tell(detail)
    })
    return (worker = starting)
  }

  return {
    /** A listener in the thread. It takes no requests before its `start` is called. */
    connect({ ended: onThreadEnded, ...functions }: ListenerThreadEvents): ListenerThread {
      const { port1, port2 } = new MessageChannel()
      const rpc = createBirpc<ListenerFunctions, ListenerEvents>(functions, {
        post: (data) => port1.postMessage(data),
        on: (receive) => void port1.on('message', receive),
        // `start` may check a large journal first; the caller decides how long to wait.
        timeout: -1,
      })
      const onEnd = (detail: Said) => {
        ended.delete(onEnd)
        port1.close()
        rpc.$close(new Error(englishText(detail)))
        onThreadEnded(detail)
      }
      started().postMessage(port2, [port2])
      ended.add(onEnd)
      // Ended while it stops: only the stop itself still waits.
      const onEndAtStop = (detail: Said) => rpc.$close(new Error(englishText(detail)))
      return {
        start: (config) => rpc.start(config),
        repair: (config) => rpc.repair(config),
        reconfigure: (place) => rpc.reconfigure(place),
        suspend: () => rpc.suspend(),
        wake: () => rpc.wake(),
        setSecrets: (secrets, secretsUnread) => rpc.setSecrets(secrets, secretsUnread),
        setRelay: (relay) => rpc.setRelay(relay),
        retryRelay: () => rpc.retryRelay(),
        stats: () => rpc.stats(),
        prune: (range) => rpc.prune(range),
        erase: (seqs) => rpc.erase(seqs),
        truncateLog: () => rpc.truncateLog(),
        refusals: () => rpc.refusals(),
        refusal: (id) => rpc.refusal(id),
        async stop(reason) {
          if (!ended.delete(onEnd)) return
          ended.add(onEndAtStop)
          try {
            await rpc.stop(reason)
          } finally {
            ended.delete(onEndAtStop)
            port1.close()
          }
          if (ended.size > 0) return
          const idle = worker
          worker = null
          await idle?.terminate()
        },
      }
    },
  }
}

/**
 * Repairs a damaged journal in a thread of its own, because the shared one acknowledges deliveries of other connections.
 * Returns what was lost.
 */
export async function repairJournal(
  damaged: Parameters<ListenerFunctions['repair']>[0],
  log: Log,
): Promise<JournalLoss | null> {
  const repairing = createListenerThreads().connect({
    ...silentEvents,
    ended: () => {},
    log: (level, message, data) => log[level](message, data),
  })
  try {
    return await repairing.repair(damaged)
  } finally {
    await repairing.stop()
  }
}

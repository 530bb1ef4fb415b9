import { MessageChannel } from 'node:worker_threads'
import { AppError } from '../../../contract/errors.ts'
import type { Log } from '../../../lib/log.ts'
import {
  type JournalLoss,
  type ListenerEvents,
  type ListenerFunctions,
  silentEvents,
} from '../../../listener/protocol.ts'
import { connectCalls, type Remote } from '../../../threads/calls.ts'
import { type TakenThread, takeThread } from '../../../threads/kept-threads.ts'
import { startThread } from '../../../threads/own-thread.ts'

/** One listener as the core sees it. `stop` disconnects it. */
export type ListenerThread = Remote<ListenerFunctions>

export type ListenerThreads = ReturnType<typeof createListenerThreads>

/** The one thread behind all listeners, while any of them is connected. */
export function createListenerThreads() {
  let thread: TakenThread<object> | null = null
  const connected = new Set<{ end(cause: Error | null): void }>()

  function started(): TakenThread<object> {
    if (thread) return thread
    const taken = takeThread<object, object>(
      'listener',
      (none) => startThread('listener-thread', none, { name: 'listener' }),
      {},
    )
    void taken.ended.then((cause) => {
      if (thread === taken) thread = null
      for (const one of connected) one.end(cause)
    })
    return (thread = taken)
  }

  return {
    /** A listener in the thread. It takes no requests before its `start` is called. `onEnd` is called when the thread ends unasked. */
    connect(events: ListenerEvents, onEnd: (error: AppError) => void): ListenerThread {
      const { port1, port2 } = new MessageChannel()
      const { calls, close } = connectCalls<ListenerFunctions, ListenerEvents>(port1, events)
      started().hand({ port: port2 })
      let isStopping = false
      const self = {
        end(cause: Error | null) {
          const detail = cause?.message ?? { key: 'listener.threadEnded' as const }
          const error = new AppError('LISTENER_FAILED', { detail })
          connected.delete(self)
          port1.close()
          close(error)
          if (!isStopping) onEnd(error)
        },
      }
      connected.add(self)

      async function stop(reason?: 'closed' | 'switched' | 'restarted'): Promise<void> {
        if (isStopping || !connected.has(self)) return
        isStopping = true
        try {
          await calls.stop(reason)
        } finally {
          connected.delete(self)
          port1.close()
        }
        if (connected.size > 0 || !thread) return
        const left = thread
        thread = null
        await left.leave()
      }
      return new Proxy(calls, {
        get: (_, name: keyof ListenerThread) => (name === 'stop' ? stop : calls[name]),
      })
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
  const tell: ListenerEvents['log'] = (level, message, data) => log[level](message, data)
  const repairing = createListenerThreads().connect({ ...silentEvents, log: tell }, () => {})
  try {
    return await repairing.repair(damaged)
  } finally {
    await repairing.stop()
  }
}

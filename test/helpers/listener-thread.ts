import { MessageChannel, Worker } from 'node:worker_threads'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { connectCalls, type Remote } from '#electron/threads/calls.ts'
import {
  type ListenerEvents,
  type ListenerFunctions,
  type RelayFeedConfig,
  silentEvents,
} from '#electron/listener/protocol.ts'

/**
 * The console's own listener thread with one secret and the given callbacks: on a free port, or with `noPort` only for a
 * relay. Throws when it cannot start.
 */
export async function startListenerThread(options: {
  journalFile: string
  secret: string
  noPort?: boolean
  hears?: Partial<ListenerEvents>
}): Promise<{
  /** 0 without one. */
  port: number
  setRelay(relay: RelayFeedConfig): Promise<void>
  stop(): Promise<void>
  rpc: Remote<ListenerFunctions>
  worker: Worker
}> {
  const worker = new Worker(entryUrl('listener-thread'))
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ port: port2 }, [port2])
  const { calls: listener } = connectCalls<ListenerFunctions, ListenerEvents>(port1, {
    ...silentEvents,
    ...options.hears,
  })
  const started = await listener.start({
    journalFile: options.journalFile,
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    allowUnsigned: false,
    noPort: options.noPort ?? false,
    secrets: [{ id: 'first', label: 'First', value: options.secret }],
  })
  if (started.kind !== 'listening' && started.kind !== 'no-port')
    throw new Error(`The listener refused: ${JSON.stringify(started)}`)
  return {
    port: started.kind === 'listening' ? started.port : 0,
    setRelay: async (relay) => void (await listener.setRelay(relay)),
    stop: async () => void (await listener.stop()),
    rpc: listener,
    worker,
  }
}

import { VueQueryPlugin } from '@tanstack/vue-query'
import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, type EffectScope, shallowRef } from 'vue'
import {
  type Client,
  type Rpc,
  type RpcState,
  type StreamHandlers,
  rpcKey,
} from '../../renderer/src/rpc/rpc.ts'
import { createQueryClient } from '../../renderer/src/shared/query/query-client.ts'

/** Answers to calls, by feature. Other calls reject. */
export type FakeCalls = { [F in keyof Client]?: { [P in keyof Client[F]]?: (input: never) => unknown } }

/** A window without a page, in which stores work. */
export interface RendererApp {
  /** Runs `use` as a store or component of the app would. */
  run<T>(use: () => T): T
  /** Every call, in order. */
  calls: { name: string; input: unknown }[]
  /** The open streams. */
  streams: StreamHandlers<never>[]
  scope: EffectScope
}

/** An app with Pinia and queries whose calls to the core are answered by `fakes`. */
export function createRendererApp(fakes: FakeCalls): RendererApp {
  const calls: RendererApp['calls'] = []
  const streams: RendererApp['streams'] = []
  const scope = effectScope()
  const client = new Proxy({} as Client, {
    get: (_target, feature: string) =>
      new Proxy(
        {},
        {
          get: (_inner, procedure: string) => async (input: never) => {
            const name = `${feature}.${procedure}`
            calls.push({ name, input })
            const answer = (fakes as Record<string, Record<string, (input: never) => unknown>>)[feature]?.[
              procedure
            ]
            if (!answer) throw new Error(`${name} was not expected`)
            return await answer(input)
          },
        },
      ),
  })
  const rpc: Rpc = {
    client,
    state: shallowRef<RpcState>('open'),
    subscribe(_open, handlers) {
      streams.push(handlers as StreamHandlers<never>)
      return () => void streams.splice(streams.indexOf(handlers as StreamHandlers<never>), 1)
    },
    of: () => rpc,
    show() {},
    close() {},
  }
  const pinia = createPinia()
  const app = createApp({})
    .provide(rpcKey, rpc)
    .use(pinia)
    .use(VueQueryPlugin, { queryClient: createQueryClient(rpc) })
  setActivePinia(pinia)
  return { run: (use) => app.runWithContext(() => scope.run(use)!), calls, streams, scope }
}

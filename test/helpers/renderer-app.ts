import { VueQueryPlugin } from '@tanstack/vue-query'
import { tryOnScopeDispose } from '@vueuse/core'
import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, type EffectScope, reactive, shallowRef, ssrContextKey } from 'vue'
import { routeLocationKey, routerKey } from 'vue-router'
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
  /** The open streams, and how each was opened. */
  streams: (StreamHandlers<never> & { open: (client: Client, signal: AbortSignal) => unknown })[]
  scope: EffectScope
  /** The address. */
  route: { query: Record<string, string> }
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
    subscribe(open, handlers) {
      const stream = { ...handlers, open } as RendererApp['streams'][number]
      streams.push(stream)
      const stop = () => void streams.splice(streams.indexOf(stream), streams.includes(stream) ? 1 : 0)
      tryOnScopeDispose(stop)
      return stop
    },
    of: () => rpc,
    show() {},
    close() {},
  }
  const route = reactive<RendererApp['route']>({ query: {} })
  const pinia = createPinia()
  const app = createApp({})
    .provide(rpcKey, rpc)
    .provide(routeLocationKey, route as never)
    .provide(routerKey, {} as never)
    // Components are compiled for the server in tests.
    .provide(ssrContextKey, {})
    .use(pinia)
    .use(VueQueryPlugin, { queryClient: createQueryClient(rpc) })
  setActivePinia(pinia)
  return { run: (use) => app.runWithContext(() => scope.run(use)!), calls, streams, scope, route }
}

/** What the script of a component gives its template, as far as `T` names it, without drawing it. */
export const setupOf = <T>(component: unknown, props: object) =>
  (component as { setup(props: object, context: object): T }).setup(reactive(props), {
    expose() {},
    emit() {},
  })

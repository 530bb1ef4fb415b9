import type { ListenerMove, RelayOrder } from '#contract/live/listener.ts'
import { useQueryClient } from '@tanstack/vue-query'
import { promiseTimeout } from '@vueuse/core'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { listenerViewKey } from '../../shared/status/use-listener-view.ts'

/** The listener's address, relay and secrets. Secrets pass through: no mutation, which would keep its input. */
export function useListener() {
  const { client } = useRpc()
  const cache = useQueryClient()
  const keyOf = useQueryKey()

  /** Keeps the view that a change returns. After a failure the old one may be wrong. */
  async function keep(call: ReturnType<typeof client.listener.get>): Promise<void> {
    const queryKey = keyOf(...listenerViewKey)
    try {
      const answer = await call
      await cache.cancelQueries({ queryKey })
      cache.setQueryData(queryKey, answer)
      // The cache tells its readers in the next turn.
      await promiseTimeout(0)
    } catch (cause) {
      void cache.invalidateQueries({ queryKey })
      throw cause
    }
  }

  return {
    setPublicBase: (publicBase: string | null) => keep(client.listener.setPublicBase({ publicBase })),
    setRelay: (order: RelayOrder) => keep(client.listener.setRelay(order)),
    retryRelay: () => keep(client.listener.retryRelay()),
    configure: (move: ListenerMove) => keep(client.listener.configure(move)),
    /** Keeps earlier secrets forever unless it says for how long. */
    addSecret: (secret: Parameters<typeof client.listener.addSecret>[0]) =>
      keep(client.listener.addSecret(secret)),
    removeSecret: (id: string) => keep(client.listener.removeSecret({ id })),
    /** A free port to use instead of the configured one; null if none is known. */
    async freePort(): Promise<number | null> {
      const answer = await attempt(client.listener.freePort())
      return answer.ok ? answer.value.port : null
    },
    /** How many subscriptions deliver to `url`; null if unknown. */
    async subscriptionsAt(url: string): Promise<number | null> {
      const answer = await attempt(client.webhooks.list())
      return answer.ok ? answer.value.subscriptions.filter((one) => one.url === url).length : null
    },
  }
}

import { QueryClient, onlineManager } from '@tanstack/vue-query'
import { watch } from 'vue'
import type { Rpc } from '../../rpc/rpc.ts'

/**
 * The cache of everything the window reads. The core retries and waits for the network, so a query asks once. “Online” means connected to
 * the core: failed queries run again when the connection is back.
 */
export function createQueryClient(rpc: Pick<Rpc, 'state'>): QueryClient {
  onlineManager.setEventListener((setOnline) =>
    watch(rpc.state, (state) => setOnline(state === 'open'), { immediate: true, flush: 'sync' }),
  )
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: ({ state }) => (state.status === 'error' ? 'always' : false),
        shallow: true,
      },
      // A write that can’t be sent fails at once; it is not sent later.
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

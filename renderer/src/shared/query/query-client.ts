import type { Freshness } from '#contract/define.ts'
import { QueryClient, onlineManager, useQueryClient } from '@tanstack/vue-query'
import { watch } from 'vue'
import type { Rpc } from '../../rpc/rpc.ts'

interface Answer {
  freshness?: Freshness
  pages?: unknown
  /** How campaigns are read in the background. */
  watch?: { problem?: unknown }
}

/** A kept answer has an error, or none while the service is still asked. */
const isOld = (freshness: Freshness | undefined) =>
  freshness !== undefined && (freshness.source === 'cache' || freshness.error !== null)

/** Whether the last try failed, so that what is shown is not the service's current answer. */
function hasFailed({ state }: { state: { status: string; data?: unknown } }): boolean {
  const data = state.data as Answer | undefined
  const answers: (Answer | undefined)[] = Array.isArray(data?.pages) ? data.pages : [data]
  return (
    state.status === 'error' || answers.some((answer) => isOld(answer?.freshness) || answer?.watch?.problem)
  )
}

/** How often open answers that failed are asked for again while the service doesn't respond, milliseconds. */
const againMs = 10_000

/** Asks again for what failed while the service doesn't respond, and once it does (`reachable`). For the shell. */
export function useRecovery(reachable: () => boolean | null | undefined): void {
  const client = useQueryClient()
  const askAgain = (predicate: typeof hasFailed) =>
    void client.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false })
  watch(reachable, (now, before, onCleanup) => {
    if (now === true && before === false) askAgain(hasFailed)
    if (now !== false) return
    // Without an answer to keep, an error would turn into a skeleton and back.
    const timer = setInterval(
      () => askAgain((one) => hasFailed(one) && one.state.data !== undefined),
      againMs,
    )
    onCleanup(() => clearInterval(timer))
  })
}

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

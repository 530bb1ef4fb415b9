import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'

/** What the host can do, such as `window.tray`; null until the core says. */
export function useCapabilities() {
  const { client } = useRpc()
  // Of the window, so it is kept when the connection changes, unlike an answer of `useAnswer`.
  const { data } = useQuery({
    queryKey: ['about'],
    queryFn: () => client.settings.about(),
    staleTime: Infinity,
  })
  return computed(() => data.value?.capabilities ?? null)
}

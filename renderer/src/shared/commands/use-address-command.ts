import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/**
 * Runs what a command requests from a page through the query `name` of its address, once: the query is removed first, so that neither a
 * reload nor Back repeats it. No other page may use `name`.
 */
export function useAddressCommand(name: string, run: (value: string) => void): void {
  const route = useRoute()
  const router = useRouter()
  watch(
    () => route.query[name],
    async (value) => {
      if (value === undefined) return
      const query = Object.fromEntries(Object.entries(route.query).filter(([key]) => key !== name))
      await router.replace({ query })
      if (typeof value === 'string') run(value)
    },
    { immediate: true, flush: 'post' },
  )
}

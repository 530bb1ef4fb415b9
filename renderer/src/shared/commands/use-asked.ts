import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/**
 * Does what a command asks of a page by the query `name` of its address, once: it is taken out of the address first, so that neither a
 * reload nor the way back asks again. `name` is one that no other page has.
 */
export function useAsked(name: string, act: (asked: string) => void): void {
  const route = useRoute()
  const router = useRouter()
  watch(
    () => route.query[name],
    async (asked) => {
      if (asked === undefined) return
      const query = Object.fromEntries(Object.entries(route.query).filter(([key]) => key !== name))
      await router.replace({ query })
      if (typeof asked === 'string') act(asked)
    },
    { immediate: true, flush: 'post' },
  )
}

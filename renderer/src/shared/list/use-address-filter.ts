import { computed, type ComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import * as z from 'zod'

/** Text of the address, as long as a search may be. */
export const addressText = z.string().max(200).catch('')

/**
 * A page's filter, kept in the address. The schema reads it, with a default for each part that is missing or wrong; parts at
 * their default are left out of the address. Changes made before the address has followed add up.
 */
export function useAddressFilter<S extends z.ZodObject>(
  schema: S,
): { filter: ComputedRef<z.infer<S>>; change(part: Partial<z.infer<S>>): void } {
  const route = useRoute()
  const router = useRouter()
  const initial = schema.parse({}) as Record<string, unknown>
  const filter = computed(() => schema.parse(route.query))
  let pending: Partial<z.infer<S>> | null = null
  return {
    filter,
    change(part) {
      const changes = { ...pending, ...part }
      pending = changes
      const next = Object.entries({ ...filter.value, ...changes }).filter(
        ([name, value]) => value !== initial[name],
      )
      const query = Object.fromEntries(next.map(([name, value]) => [name, String(value)]))
      void router.replace({ query }).finally(() => {
        if (pending === changes) pending = null
      })
    },
  }
}

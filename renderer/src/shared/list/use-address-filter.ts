import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import * as z from 'zod'

/** Text in the address, up to the length limit of a search. */
export const addressText = z.string().max(200).catch('')

/** Some of the `known` words, separated by commas. */
export const addressWords = <Word extends string>(known: readonly Word[]) =>
  addressText.transform((text) => {
    const words = text.split(',')
    return known.filter((word) => words.includes(word))
  })

/** Words of an address that its filter lacks. */
export function invalidWords(filter: object, query: Record<string, unknown>): string[] {
  const words = (text: unknown) => String(text ?? '').split(',')
  return Object.entries(filter).flatMap(([name, value]) => {
    const read = words(value)
    return words(query[name]).filter((word) => word.trim() !== '' && !read.includes(word))
  })
}

/**
 * A page’s filter, stored in the address. The schema reads it, with a default for each missing or invalid part; parts at their default
 * are omitted. Changes made before the address is updated add up, and drop the `invalid` words.
 */
export function useAddressFilter<S extends z.ZodObject>(schema: S) {
  const route = useRoute()
  const router = useRouter()
  const initial = schema.parse({}) as Record<string, unknown>
  const filter = computed(() => schema.parse(route.query))
  let pending: Partial<z.infer<S>> | null = null
  return {
    filter,
    invalid: computed(() => invalidWords(filter.value, route.query)),
    change(part: Partial<z.infer<S>>): void {
      const changes = { ...pending, ...part }
      pending = changes
      const next = Object.entries({ ...filter.value, ...changes }).filter(
        ([name, value]) => String(value) !== String(initial[name]),
      )
      const query = Object.fromEntries(next.map(([name, value]) => [name, String(value)]))
      void router.replace({ query }).finally(() => {
        if (pending === changes) pending = null
      })
    },
  }
}

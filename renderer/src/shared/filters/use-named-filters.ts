import type { ErrorView } from '#contract/define.ts'
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { type ComputedRef, computed } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { useAttempt } from '../../rpc/use-attempt.ts'
import { useQueryKey } from '../query/use-query-key.ts'

interface Answer<T> {
  filters: T[]
  unreadable: string[]
}

/** The saved filters of a page, under the query key `name`. Null until they are read. */
export function useNamedFilters<T extends { name: string; by: string | null }>(
  name: string,
  calls: {
    list: () => Promise<Answer<T>>
    save: (filter: Omit<T, 'by'>) => Promise<Answer<T>>
    remove: (filter: { name: string }) => Promise<Answer<T>>
  },
) {
  const cache = useQueryClient()
  const queryKey = useQueryKey()(name)
  const query = useQuery({ queryKey, queryFn: () => calls.list() })
  const { error, run } = useAttempt()

  async function change(call: Promise<Answer<T>>): Promise<boolean> {
    const answer = await run(call)
    if (answer.ok) cache.setQueryData(queryKey, answer.value)
    return answer.ok
  }

  const answer = computed(() => query.data.value as Answer<T> | undefined)
  const problem: ComputedRef<ErrorView | null> = computed(
    () => error.value ?? (query.error.value && toErrorView(query.error.value)),
  )
  return {
    find: (wanted: string) => answer.value?.filters.find((filter) => filter.name === wanted),
    /** What `NamedFilters` shows. */
    shown: computed(() => ({
      names: answer.value?.filters.map((filter) => filter.name) ?? null,
      authors: Object.fromEntries(
        (answer.value?.filters ?? []).flatMap(({ name: of, by }) => (by === null ? [] : [[of, by]])),
      ),
      unreadable: answer.value?.unreadable ?? [],
      problem: problem.value,
    })),
    save: (filter: Omit<T, 'by'>) => change(calls.save(filter)),
    /** Also one that can't be read. */
    remove: (removed: string) => change(calls.remove({ name: removed })),
  }
}

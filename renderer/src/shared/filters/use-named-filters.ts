import { computed } from 'vue'
import { useAttempt } from '../../rpc/use-attempt.ts'
import { useAnswer } from '../query/use-answer.ts'

interface Answer<F> {
  filters: { name: string; filter: F; by: string | null }[]
  unreadable: string[]
}

/** The saved filters of a page, from its `calls`, kept under `key`. */
export function useNamedFilters<F>(
  key: string,
  calls: {
    savedFilters: () => Promise<Answer<F>>
    saveFilter: (saved: { name: string; filter: F }) => Promise<Answer<F>>
    removeFilter: (saved: { name: string }) => Promise<Answer<F>>
  },
) {
  const query = useAnswer(
    () => [key],
    () => calls.savedFilters(),
  )
  const { error, run } = useAttempt()

  const change = async (call: Promise<Answer<F>>) => (await run(query.set(call))).ok

  return {
    answer: query.data,
    problem: computed(() => error.value ?? query.problem.value),
    save: (name: string, filter: F) => change(calls.saveFilter({ name, filter })),
    /** Also one that can't be read. */
    remove: (name: string) => change(calls.removeFilter({ name })),
  }
}
export type NamedFilters<F> = ReturnType<typeof useNamedFilters<F>>

import type { InputOf } from '#contract/define.ts'
import type { importsContract } from '#contract/people/imports.ts'
import { computed, shallowRef, watch } from 'vue'
import { useAnswer } from '../query/use-answer.ts'
import { type ChoiceOf, undecidedOf } from './consent-choices.ts'

/** The columns about consent of a whole file, and what the operator decided on them. `source` is null until the file can be read. */
export function useConsent(
  source: () => InputOf<typeof importsContract, 'consent'> | null,
  header: () => readonly string[],
) {
  const choices = shallowRef<readonly ChoiceOf<'skip' | 'ignore'>[]>([])
  const query = useAnswer(
    () => ['consent', source()],
    (client, signal) => client.imports.consent(source()!, { signal }),
    () => ({ enabled: source() !== null, gcTime: 0 }),
  )
  const found = computed(() => (source() === null ? [] : (query.data.value?.items ?? [])))
  let decidedFor: string | null = null
  // Another file or its first row may name other columns. The same one may be unread for a moment, after a change to its other columns.
  watch(
    () => {
      const now = source()
      return now && `${now.fileId}/${now.headerRow}`
    },
    (shown) => {
      if (shown !== null && shown !== decidedFor) choices.value = []
      decidedFor = shown ?? decidedFor
    },
    { immediate: true },
  )
  return {
    choices,
    found,
    /** Those that only the operator can decide on. */
    undecided: computed(() => undecidedOf(found.value, header(), choices.value, 'skip')),
    isReading: query.isFetching,
    retry: query.refetch,
    error: query.problem,
  }
}

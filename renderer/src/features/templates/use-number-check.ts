import { refDebounced } from '@vueuse/core'
import { computed, type Ref, shallowRef } from 'vue'
import type { ErrorView } from '#contract/define.ts'
import { needsChoice } from '../../shared/format/dnc-list.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { useDncSync } from '../../shared/tasks/use-dnc-sync.ts'
import { maySend } from './number-verdict.ts'

/** Pause after the last key before the number is checked, milliseconds. */
const restMs = 250

/** The DNC verdict on a typed number, and whether a message may go to it. `failed` gets the error of a sync. */
export function useNumberCheck(
  to: Readonly<Ref<string>>,
  region: Readonly<Ref<string | null>>,
  failed: (problem: ErrorView | null) => void,
) {
  const knowingly = shallowRef(false)

  const typed = computed(() => ({ phone: to.value.trim(), region: region.value }))
  const asked = refDebounced(typed, restMs)
  const check = useAnswer(
    () => ['templates', 'check', asked.value],
    ({ dnc }, signal) => {
      const { phone, region: of } = asked.value
      return dnc.checkOffline({ phones: [phone], region: of }, { signal })
    },
    () => ({ enabled: asked.value.phone !== '', gcTime: 0 }),
  )
  /** Null while unknown. */
  const verdict = computed(() => {
    const { phone, region: of } = asked.value
    const isCurrent = phone !== '' && phone === typed.value.phone && of === typed.value.region
    return isCurrent ? (check.data.value?.verdicts[0] ?? null) : null
  })
  const list = computed(() => check.data.value?.cache ?? null)
  const { sync, syncing } = useDncSync(async (problem) => {
    await check.refetch()
    failed(problem)
  })

  return {
    verdict,
    list,
    knowingly,
    isCleared: computed(() => {
      const may = verdict.value === null ? 'no' : maySend(verdict.value)
      return may === 'yes' || (may === 'knowingly' && knowingly.value)
    }),
    uncheckedKnowingly: () => list.value !== null && needsChoice(list.value) && knowingly.value,
    error: check.problem,
    refetch: () => void check.refetch(),
    sync,
    syncing,
  }
}

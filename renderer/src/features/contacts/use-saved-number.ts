import { refDebounced } from '@vueuse/core'
import { computed, type Ref } from 'vue'
import { digitsOf } from '#contract/number-text.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { t } from './contacts.texts.ts'

/** Pause in typing before the number is read, milliseconds. */
const restMs = 300
/** Digits that may be an international number without its plus. */
const withoutPlus = /^[ ().\-/]*[1-9][0-9 ().\-/]*$/

/** How a number without a plus will be saved, if it is ambiguous; else empty. */
export function useSavedNumber(phone: () => string, region: Readonly<Ref<string | null>>) {
  /** Empty if it isn't ambiguous. */
  const typed = computed(() => {
    const text = phone().trim()
    return withoutPlus.test(text) && digitsOf(text).length >= 7 ? text : ''
  })
  const rested = refDebounced(typed, restMs)
  const read = useAnswer(
    () => ['saved-number', rested.value, region.value],
    ({ dnc }, signal) => {
      const phones = [rested.value, `+${digitsOf(rested.value)}`]
      return dnc.checkOffline({ phones, region: region.value }, { signal })
    },
    () => ({ enabled: rested.value !== '', gcTime: 0 }),
  )
  return computed(() => {
    const [dialled, other] = read.data.value?.verdicts ?? []
    if (rested.value !== typed.value || !dialled?.phone || !other?.phone || dialled.phone === other.phone)
      return ''
    return t('form.savedAs', { phone: dialled.phone, other: other.phone })
  })
}

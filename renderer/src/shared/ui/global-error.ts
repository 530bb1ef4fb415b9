import type { ErrorView } from '#contract/define.ts'
import { computed, inject, type InjectionKey, type Ref, ref } from 'vue'

/** The error that the shell’s banner already shows, provided by the shell; notices of the same error stay short. */
export const globalErrorKey: InjectionKey<Readonly<Ref<ErrorView | null>>> = Symbol('global error')

/** Whether the shell’s banner, or on the Overview its first panel, already says this. */
export function useIsShownAbove(error: () => ErrorView | null): Readonly<Ref<boolean>> {
  const globalError = inject(globalErrorKey, ref(null))
  return computed(() => {
    const [one, other] = [error(), globalError.value]
    return one !== null && one.code === other?.code && one.data['host'] === other.data['host']
  })
}

import type { ErrorView } from '#contract/define.ts'
import { scopeOf } from '#contract/errors.ts'
import { computed, inject, type InjectionKey, type Ref, ref } from 'vue'

/** The error that the shell’s banner already shows, provided by the shell; notices of the same error stay short. */
export const globalErrorKey: InjectionKey<Readonly<Ref<ErrorView | null>>> = Symbol('global error')

/** Whether it is solved by signing in. */
export const needsSignIn = ({ code }: ErrorView): boolean =>
  scopeOf(code) === 'session' && code !== 'FORBIDDEN'

/** Whether the shell’s banner, or on the Overview its first panel, already says this. */
export function useIsShownAbove(error: () => ErrorView | null): Readonly<Ref<boolean>> {
  const globalError = inject(globalErrorKey, ref(null))
  return computed(() => {
    const [one, other] = [error(), globalError.value]
    if (one === null || other === null) return false
    if (needsSignIn(one) && needsSignIn(other)) return true
    return one.code === other.code && one.data['host'] === other.data['host']
  })
}

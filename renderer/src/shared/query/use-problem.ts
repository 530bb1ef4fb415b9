import type { ErrorView } from '#contract/define.ts'
import { type ComputedRef, type Ref, computed, inject, ref } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { globalErrorKey } from '../ui/global-error.ts'

/**
 * Why a query has no current answer. A first answer that failed stays failed until one arrives. `ofService`: until then it
 * says why the service doesn’t respond, because the core may retry for a minute.
 */
export function useProblem(
  query: { error: Readonly<Ref<unknown>>; isPending: Readonly<Ref<boolean>> },
  { ofService = false }: { ofService?: boolean } = {},
): ComputedRef<ErrorView | null> {
  const globalError = ofService ? inject(globalErrorKey, ref(null)) : ref(null)
  return computed<ErrorView | null>((before) => {
    if (query.error.value) return toErrorView(query.error.value)
    return query.isPending.value ? (globalError.value ?? before ?? null) : null
  })
}

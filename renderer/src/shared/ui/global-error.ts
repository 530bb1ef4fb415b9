import type { ErrorView } from '#contract/define.ts'
import type { InjectionKey, Ref } from 'vue'

/** The error that the shell’s banner already shows, provided by the shell; notices of the same error stay short. */
export const globalErrorKey: InjectionKey<Readonly<Ref<ErrorView | null>>> = Symbol('global error')

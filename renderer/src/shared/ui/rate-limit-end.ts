import { inject, type InjectionKey, ref, type Ref } from 'vue'

/** When requests of pages that wait for the rate limit continue, provided by the shell; null when none waits. */
export const rateLimitEndKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('rate limit end')

/** When the waiting requests of pages continue; null when none waits, and outside the shell. */
export const useRateLimitEnd = (): Readonly<Ref<string | null>> => inject(rateLimitEndKey, ref(null))

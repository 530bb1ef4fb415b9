import { createSharedComposable } from '@vueuse/core'
import { type ComputedRef, computed, ref } from 'vue'

/** Whether a connection is being opened, in which time the core may have none, and a way to say so. */
interface Opening {
  opening: ComputedRef<boolean>
  /** Waits for the call that opens one; hands on what it gives. */
  during<T>(call: Promise<T>): Promise<T>
}

/** One for the whole window: the shell reads it, whoever opens a connection writes it. */
export const useOpening = createSharedComposable((): Opening => {
  const calls = ref(0)
  return {
    opening: computed(() => calls.value > 0),
    async during(call) {
      calls.value++
      try {
        return await call
      } finally {
        calls.value--
      }
    },
  }
})

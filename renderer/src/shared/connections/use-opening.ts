import { createSharedComposable } from '@vueuse/core'
import { type ComputedRef, type ShallowRef, computed, ref, shallowRef } from 'vue'

/** Whether a connection is being opened; meanwhile the core may have none. */
interface Opening {
  opening: ComputedRef<boolean>
  /** The connection this window asked for last, once it is open. A new object each time, even for the same connection. */
  opened: Readonly<ShallowRef<{ readonly id: string } | null>>
  /** Waits for the call that opens a connection; returns its result. */
  during<T extends { connection: { id: string } }>(call: Promise<T>): Promise<T>
}

/** One per window: the shell reads it, every opener writes it. */
export const useOpening = createSharedComposable((): Opening => {
  const calls = ref(0)
  const opened = shallowRef<{ readonly id: string } | null>(null)
  let last: Promise<unknown> | null = null
  return {
    opening: computed(() => calls.value > 0),
    opened,
    async during(call) {
      calls.value++
      last = call
      try {
        const answer = await call
        if (last === call) opened.value = { id: answer.connection.id }
        return answer
      } finally {
        calls.value--
      }
    },
  }
})

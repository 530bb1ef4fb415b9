import { createSharedComposable } from '@vueuse/core'
import { type ComputedRef, type ShallowRef, computed, ref, shallowRef } from 'vue'

/** Whether a connection is being opened, in which time the core may have none, and a way to say so. */
interface Opening {
  opening: ComputedRef<boolean>
  /** The one that this window opened last. Another object each time, also for the same connection. */
  opened: Readonly<ShallowRef<{ readonly id: string } | null>>
  /** Waits for the call that opens one; hands on what it gives. */
  during<T extends { connection: { id: string } }>(call: Promise<T>): Promise<T>
}

/** One for the whole window: the shell reads it, whoever opens a connection writes it. */
export const useOpening = createSharedComposable((): Opening => {
  const calls = ref(0)
  const opened = shallowRef<{ readonly id: string } | null>(null)
  return {
    opening: computed(() => calls.value > 0),
    opened,
    async during(call) {
      calls.value++
      try {
        const answer = await call
        opened.value = { id: answer.connection.id }
        return answer
      } finally {
        calls.value--
      }
    },
  }
})

import { createSharedComposable } from '@vueuse/core'
import { computed, ref, shallowRef } from 'vue'

/** Whether a connection is being opened: meanwhile the core may have none. One per window: the shell reads it, every opener writes it. */
export const useOpening = createSharedComposable(() => {
  const calls = ref(0)
  /** The connection this window asked for last, once it is open. A new object each time, even for the same connection. */
  const opened = shallowRef<{ readonly id: string } | null>(null)
  let last: Promise<unknown> | null = null
  return {
    opening: computed(() => calls.value > 0),
    opened,
    /** Waits for the call that opens a connection; returns its result. */
    async during<T extends { connection: { id: string } }>(call: Promise<T>): Promise<T> {
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

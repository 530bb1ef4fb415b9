import { createSharedComposable, useIntervalFn } from '@vueuse/core'
import { shallowRef } from 'vue'

/** The wall clock in milliseconds since the Unix epoch, one tick a second, shared by everything that shows an age. */
export const useClock = createSharedComposable(() => {
  const nowMs = shallowRef(Date.now())
  useIntervalFn(() => (nowMs.value = Date.now()), 1_000)
  return nowMs
})

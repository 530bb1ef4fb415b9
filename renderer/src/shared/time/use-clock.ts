import { createSharedComposable, useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { shallowRef, watch } from 'vue'

/**
 * The wall clock in milliseconds since the Unix epoch, shared by everything that shows an age. One tick a second, none while the window is
 * hidden.
 */
export const useClock = createSharedComposable(() => {
  const nowMs = shallowRef(Date.now())
  const tick = () => (nowMs.value = Date.now())
  const { pause, resume } = useIntervalFn(tick, 1_000, { immediateCallback: true })
  watch(useDocumentVisibility(), (visibility) => (visibility === 'hidden' ? pause() : resume()), {
    immediate: true,
  })
  return nowMs
})

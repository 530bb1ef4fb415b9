import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { shallowRef, watch } from 'vue'

/** The wall clock of everything that shows an age, in milliseconds since the Unix epoch. */
export const nowMs = shallowRef(Date.now())

/** Lets the clock tick each second, while the window is visible. For the app. */
export function startClock(): void {
  const tick = () => (nowMs.value = Date.now())
  const { pause, resume } = useIntervalFn(tick, 1_000, { immediateCallback: true })
  watch(useDocumentVisibility(), (visibility) => (visibility === 'hidden' ? pause() : resume()), {
    immediate: true,
  })
}

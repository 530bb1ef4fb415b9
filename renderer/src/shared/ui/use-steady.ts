import { useEventListener } from '@vueuse/core'
import { shallowRef, watch } from 'vue'

/**
 * A value that decides what is above rows and buttons. No change moves them from under a resting pointer: it waits until the pointer moves,
 * unless it is urgent.
 */
export function useSteady<T>(value: () => T, isUrgent: (next: T, before: T) => boolean) {
  const shown = shallowRef(value())
  const show = () => void (shown.value = value())
  const isResting = () => document.querySelector('#content :is([role="row"], button, a):hover') !== null
  watch(value, (next) => {
    if (isUrgent(next, shown.value) || !isResting()) show()
  })
  useEventListener(['pointermove', 'keydown'], show)
  return shown
}

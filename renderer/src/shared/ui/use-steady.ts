import { useEventListener, useTimeoutFn } from '@vueuse/core'
import { shallowRef, watch } from 'vue'

/** A pointer that rested longer isn’t about to press, milliseconds. */
const aimMs = 10_000

/**
 * A value that decides what is above rows and buttons. No change moves them from under a pointer that was just moved there: it waits until
 * the pointer moves or has rested, unless it is urgent.
 */
export function useSteady<T>(value: () => T, isUrgent: (next: T, before: T) => boolean) {
  const shown = shallowRef(value())
  const show = () => void (shown.value = value())
  const aiming = useTimeoutFn(show, aimMs, { immediate: false })
  const isOnTarget = () => document.querySelector('#content :is([role="row"], button, a):hover') !== null
  watch(value, (next) => {
    if (isUrgent(next, shown.value) || !aiming.isPending.value || !isOnTarget()) show()
  })
  useEventListener(document, 'keydown', show)
  useEventListener(document, 'pointermove', () => {
    show()
    aiming.start()
  })
  return shown
}

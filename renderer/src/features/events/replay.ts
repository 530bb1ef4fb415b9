import { useIntervalFn } from '@vueuse/core'
import { computed, shallowRef } from 'vue'

/** How many times faster than the events arrived. */
export const replaySpeeds = [1, 10, 60, 600] as const

/** Interval of a playing replay, milliseconds. */
const tickMs = 500
/** Length of a replay when the filter has no start, milliseconds. */
const defaultRangeMs = 3_600_000

export type Replay = ReturnType<typeof useReplay>

/**
 * A time cursor over stored events: the page shows what had arrived before `untilMs`, null for live. Covers the filter's time range, or
 * the hour up to the newest event, from the oldest one if that is known. Waits while `isLoading`. Lives with its component.
 */
export function useReplay(
  range: () => { from?: string | undefined; to?: string | undefined },
  isLoading: () => boolean,
  /** When the events of the filter arrived; null without any. */
  stored: () => { newestMs: number; oldestMs: number | null } | null,
  now: () => number = Date.now,
) {
  const cursorMs = shallowRef<number | null>(null)
  const openedMs = shallowRef(0)
  const oldestMs = shallowRef(-Infinity)
  const speed = shallowRef<number>(60)
  const toMs = computed(() => {
    const { to } = range()
    return to === undefined ? openedMs.value : Math.min(Date.parse(to), openedMs.value)
  })
  const fromMs = computed(() => {
    const { from } = range()
    if (from !== undefined) return Math.min(Date.parse(from), toMs.value)
    return Math.min(Math.max(toMs.value - defaultRangeMs, oldestMs.value), toMs.value)
  })
  const clamp = (ms: number) => Math.min(Math.max(ms, fromMs.value), toMs.value)
  const untilMs = computed(() => (cursorMs.value === null ? null : clamp(cursorMs.value)))

  const timer = useIntervalFn(
    () => {
      if (untilMs.value === null || isLoading()) return
      seek(untilMs.value + tickMs * speed.value)
      if (untilMs.value === toMs.value) timer.pause()
    },
    tickMs,
    { immediate: false },
  )

  function seek(ms: number): void {
    cursorMs.value = clamp(ms)
  }

  /** Starts at the beginning, also from the end of the replay. */
  function play(): void {
    if (untilMs.value === null) {
      const known = stored()
      // An event is shown once the cursor is past it.
      openedMs.value = Math.min(now(), (known?.newestMs ?? Infinity) + 1)
      oldestMs.value = known?.oldestMs ?? -Infinity
    }
    if (untilMs.value === null || untilMs.value === toMs.value) seek(fromMs.value)
    timer.resume()
  }

  function stop(): void {
    timer.pause()
    cursorMs.value = null
  }

  return { untilMs, fromMs, toMs, speed, playing: timer.isActive, play, pause: timer.pause, seek, stop }
}

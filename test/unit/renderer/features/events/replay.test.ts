import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EffectScope, effectScope, ref } from 'vue'
import { useReplay } from '../../../../../renderer/src/features/events/replay.ts'

const startMs = Date.UTC(2026, 0, 5, 14)
const hourMs = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()

let scope: EffectScope
beforeEach(() => {
  vi.useFakeTimers({ now: startMs })
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

const range = ref<{ from?: string; to?: string }>({})
const loading = ref(false)
const stored = ref<{ newestMs: number; oldestMs: number | null } | null>(null)
const opened = () => {
  range.value = {}
  loading.value = false
  stored.value = null
  return scope.run(() =>
    useReplay(
      () => range.value,
      () => loading.value,
      () => stored.value,
    ),
  )!
}

test('plays the last hour until the time it was opened, then stops', () => {
  const replay = opened()
  expect(replay.untilMs.value).toBeNull()
  replay.play()
  expect(replay.untilMs.value).toBe(startMs - hourMs)
  vi.advanceTimersByTime(1_000)
  expect(replay.untilMs.value).toBe(startMs - hourMs + 60_000)
  replay.speed.value = 600
  vi.advanceTimersByTime(60_000)
  expect(replay.untilMs.value).toBe(startMs)
  expect(replay.playing.value).toBe(false)
  replay.play()
  expect(replay.untilMs.value).toBe(startMs - hourMs)
})

test.each([
  ['the hour before the newest event', -5 * hourMs, null, -6 * hourMs + 1, -5 * hourMs + 1],
  ['from the first event, if all are known', -1_000, -600_000, -600_000, -999],
  ['the last hour of a longer history', -1_000, -9 * hourMs, -hourMs - 999, -999],
])('plays %s', (_what, newestMs, oldestMs, fromMs, toMs) => {
  const replay = opened()
  stored.value = { newestMs: startMs + newestMs, oldestMs: oldestMs && startMs + oldestMs }
  replay.play()
  stored.value = null
  expect([replay.fromMs.value - startMs, replay.toMs.value - startMs]).toEqual([fromMs, toMs])
  expect(replay.untilMs.value).toBe(replay.fromMs.value)
})

test('waits while the list loads', () => {
  const replay = opened()
  replay.play()
  loading.value = true
  vi.advanceTimersByTime(5_000)
  expect(replay.untilMs.value).toBe(startMs - hourMs)
  loading.value = false
  vi.advanceTimersByTime(500)
  expect(replay.untilMs.value).toBe(startMs - hourMs + 30_000)
})

test('stays inside the time range of the filter, also when that changes', () => {
  const replay = opened()
  range.value = { from: iso(startMs - 3 * hourMs), to: iso(startMs - 2 * hourMs) }
  replay.play()
  expect(replay.untilMs.value).toBe(startMs - 3 * hourMs)
  replay.seek(startMs)
  expect(replay.untilMs.value).toBe(startMs - 2 * hourMs)
  range.value = { to: iso(startMs + hourMs) }
  expect(replay.toMs.value).toBe(startMs)
  range.value = { from: iso(startMs + hourMs) }
  expect(replay.untilMs.value).toBe(startMs)
})

test('does not advance while paused, and stops with its page', () => {
  const replay = opened()
  replay.play()
  replay.pause()
  vi.advanceTimersByTime(5_000)
  expect(replay.untilMs.value).toBe(startMs - hourMs)
  replay.play()
  scope.stop()
  vi.advanceTimersByTime(5_000)
  expect(replay.untilMs.value).toBe(startMs - hourMs)
  replay.stop()
  expect(replay.untilMs.value).toBeNull()
})

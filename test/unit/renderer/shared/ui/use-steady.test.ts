import { afterEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { useSteady } from '../../../../../renderer/src/shared/ui/use-steady.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('moves nothing from under a pointer that was just moved there, however often the value ticks', async () => {
  vi.useFakeTimers()
  let hovered: object | null = {}
  const page = Object.assign(new EventTarget(), { querySelector: () => hovered })
  vi.stubGlobal('document', page)
  const value = shallowRef({ rows: 'a', tick: 0 })
  const scope = effectScope()
  const shown = scope.run(() =>
    useSteady(
      () => value.value,
      (next, before) => next.rows === before.rows,
    ),
  )!
  async function set(rows: string, tick: number) {
    value.value = { rows, tick }
    await nextTick()
    return shown.value
  }
  // It lay there before the page came, as after signing in.
  expect(await set('a, z', 1)).toEqual({ rows: 'a, z', tick: 1 })
  page.dispatchEvent(new Event('pointermove'))
  expect(await set('a, z', 2)).toEqual({ rows: 'a, z', tick: 2 })
  expect(await set('b, a', 3)).toEqual({ rows: 'a, z', tick: 2 })
  expect(await set('b, a', 4)).toEqual({ rows: 'a, z', tick: 2 })
  // It rests.
  vi.advanceTimersByTime(10_000)
  expect(shown.value).toEqual({ rows: 'b, a', tick: 4 })
  expect(await set('c', 5)).toEqual({ rows: 'c', tick: 5 })
  page.dispatchEvent(new Event('pointermove'))
  hovered = null
  expect(await set('d', 6)).toEqual({ rows: 'd', tick: 6 })
  scope.stop()
})

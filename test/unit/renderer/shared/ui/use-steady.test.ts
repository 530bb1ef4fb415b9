import { afterEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { useSteady } from '../../../../../renderer/src/shared/ui/use-steady.ts'

afterEach(() => vi.unstubAllGlobals())

it('moves nothing from under a resting pointer, however often the value ticks', async () => {
  let hovered: object | null = {}
  vi.stubGlobal('document', { querySelector: () => hovered })
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
  expect(await set('a', 1)).toEqual({ rows: 'a', tick: 1 })
  expect(await set('b, a', 2)).toEqual({ rows: 'a', tick: 1 })
  expect(await set('b, a', 3)).toEqual({ rows: 'a', tick: 1 })
  hovered = null
  expect(await set('b, a', 4)).toEqual({ rows: 'b, a', tick: 4 })
  scope.stop()
})

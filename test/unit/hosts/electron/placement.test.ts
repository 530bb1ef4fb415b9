import { expect, test } from 'vitest'
import { isOnScreen, parsePlacement } from '#electron/hosts/electron/placement.ts'

const left = { x: 0, y: 0, width: 1_920, height: 1_040 }
const right = { x: 1_920, y: -200, width: 2_560, height: 1_400 }

test.each([
  ['snapped to the left edge on Windows', { x: -7, y: 0 }, [left], true],
  ['manually stretched over the edges', { x: -8, y: -8 }, [left], true],
  ['half off the right edge', { x: 1_500, y: 100 }, [left], true],
  ['across two screens', { x: 1_900, y: 100 }, [left, right], true],
  ['on a screen above the main one', { x: 2_000, y: -150 }, [left, right], true],
  ['on an unplugged screen', { x: 2_000, y: 100 }, [left], false],
  ['with only a sliver visible', { x: 1_900, y: 100 }, [left], false],
  ['with its title bar above every screen', { x: 100, y: -40 }, [left], false],
  ['with its title bar below every screen', { x: 100, y: 1_035 }, [left], false],
])('a window %s', (_where, position, screens, expected) => {
  expect(isOnScreen({ ...position, width: 1_000 }, screens)).toBe(expected)
})

test('ignores a damaged or foreign placement file', () => {
  for (const text of ['', '{', 'null', '[]', '{"width":"1","height":2}'])
    expect(parsePlacement(text)).toBeNull()
  expect(parsePlacement('{"width":900,"height":600,"position":{"x":1.5,"y":0},"maximized":1}')).toEqual({
    width: 900,
    height: 600,
    position: null,
    maximized: false,
    fullScreen: false,
    zoomLevel: 0,
    theme: 'system',
  })
})

test('clamps zoom and replaces an unknown theme', () => {
  const read = (look: object) => parsePlacement(JSON.stringify({ width: 900, height: 600, ...look }))
  expect(read({ zoomLevel: 1.5, theme: 'dark' })).toMatchObject({ zoomLevel: 1.5, theme: 'dark' })
  expect(read({ zoomLevel: 99, theme: 'sepia' })).toMatchObject({ zoomLevel: 9, theme: 'system' })
  expect(read({ zoomLevel: '2' })).toMatchObject({ zoomLevel: 0 })
})

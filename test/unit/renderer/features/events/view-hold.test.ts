import { expect, test } from 'vitest'
import { createViewHold } from '../../../../../renderer/src/features/events/view-hold.ts'

function begin() {
  const calls: string[] = []
  const hold = createViewHold({
    hold: () => calls.push('hold'),
    release: () => calls.push('release'),
  })
  return { hold, calls }
}

test('holds the view while reading, and follows again at the top of the list', () => {
  const { hold, calls } = begin()
  hold.read()
  hold.reachTop()
  expect(calls).toEqual(['hold', 'release'])
  expect(hold.mode.value).toBe('following')
})

test('keeps a pause while scrolling and reading, until resumed', () => {
  const { hold, calls } = begin()
  hold.togglePause()
  hold.read()
  hold.reachTop()
  expect(hold.mode.value).toBe('paused')
  expect(calls).not.toContain('release')
  hold.togglePause()
  expect(hold.mode.value).toBe('following')
  expect(calls.at(-1)).toBe('release')
})

test('ignores following twice', () => {
  const { hold, calls } = begin()
  hold.follow()
  hold.reachTop()
  expect(calls).toEqual([])
})

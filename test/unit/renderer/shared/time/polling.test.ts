import { expect, test } from 'vitest'
import { shallowRef } from 'vue'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { startPolling } from '../../../../../renderer/src/shared/time/polling.ts'

function begin(task: () => Promise<unknown> = async () => {}) {
  const clock = createFakeClock()
  const visible = shallowRef(true)
  let runs = 0
  const stop = startPolling(
    () => {
      runs++
      return task()
    },
    () => 10_000,
    { sleep: clock.sleep, visible },
  )
  return { clock, visible, stop, runs: () => runs }
}

test('runs at once and then once per period', async () => {
  const { clock, runs } = begin()
  await clock.advance(0)
  expect(runs()).toBe(1)
  await clock.advance(20_000)
  expect(runs()).toBe(3)
})

test('stops while the window is hidden, and runs at once when it is shown', async () => {
  const { clock, visible, runs } = begin()
  await clock.advance(1)
  visible.value = false
  await clock.advance(60_000)
  expect(runs()).toBe(1)
  visible.value = true
  await clock.advance(0)
  expect(runs()).toBe(2)
})

test('continues after a failed run', async () => {
  const { clock, runs } = begin(() => Promise.reject(new Error('no')))
  await clock.advance(20_000)
  expect(runs()).toBe(3)
})

test('leaves no run and no timer after a stop', async () => {
  const { clock, stop, runs } = begin()
  await clock.advance(1)
  stop()
  await clock.advance(60_000)
  expect(runs()).toBe(1)
  expect(clock.pending()).toBe(0)
})

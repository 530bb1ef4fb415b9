import { expect, it } from 'vitest'
import { createWakeable } from '#electron/lib/wakeable.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

function aWakeable() {
  const clock = createFakeClock()
  const runs: PromiseWithResolvers<undefined>[] = []
  const failures: unknown[] = []
  const wakeable = createWakeable({
    work(signal) {
      const run = Promise.withResolvers<undefined>()
      signal.addEventListener('abort', () => run.resolve(undefined))
      runs.push(run)
      return run.promise
    },
    onFailed: (error) => failures.push(error),
    retryMs: 1_000,
    clock,
  })
  return { ...wakeable, clock, runs, failures }
}

it('runs once it is started and woken, and again if it was woken meanwhile', async () => {
  const { start, wake, clock, runs, isRunning, settled } = aWakeable()
  wake()
  await clock.advance(0)
  expect(runs).toHaveLength(0)
  start()
  wake()
  await clock.advance(0)
  wake()
  wake()
  runs[0]!.resolve(undefined)
  await clock.advance(0)
  expect(runs).toHaveLength(2)
  runs[1]!.resolve(undefined)
  await settled()
  expect([runs.length, isRunning()]).toEqual([2, false])
})

it('runs again after a failure, later or when it is woken', async () => {
  const { start, wake, clock, runs, failures } = aWakeable()
  start()
  wake()
  await clock.advance(0)
  runs[0]!.reject('first')
  await clock.advance(999)
  expect(runs).toHaveLength(1)
  await clock.advance(1)
  expect(runs).toHaveLength(2)
  runs[1]!.reject('second')
  await clock.advance(0)
  wake()
  await clock.advance(0)
  expect(runs).toHaveLength(3)
  wake()
  runs[2]!.reject('third, woken meanwhile')
  await clock.advance(0)
  expect(runs).toHaveLength(4)
  runs[3]!.resolve(undefined)
  await clock.advance(2_000)
  expect(runs).toHaveLength(4)
  expect(failures).toEqual(['first', 'second', 'third, woken meanwhile'])
})

it('stops what runs, and runs again only after a start', async () => {
  const { start, wake, stop, clock, runs } = aWakeable()
  start()
  wake()
  await clock.advance(0)
  await stop()
  wake()
  await clock.advance(2_000)
  expect(runs).toHaveLength(1)
  start()
  wake()
  await clock.advance(0)
  expect(runs).toHaveLength(2)
})

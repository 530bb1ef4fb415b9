import { expect, test } from 'vitest'
import { watchSleep } from '#electron/core/workspace/sleep-watch.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, startListener } from '../../helpers/listener.ts'

const hourMs = 3_600_000

test('a reported sleep ends the span at once, and the next begins after the port answered', async () => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await clock.advance(7_000)
  const asleepMs = clock.now()
  await running.listener.suspend()
  expect(running.spans()).toMatchObject([{ endedMs: asleepMs, endReason: 'suspended' }])
  clock.jumpWall(hourMs)
  expect(await running.listener.wake()).toMatchObject({ kind: 'listening', port: running.port })
  expect(running.spans()).toMatchObject([
    { endedMs: asleepMs, endReason: 'suspended' },
    { startedMs: asleepMs + hourMs, endedMs: null, port: running.port },
  ])
  expect((await running.post(dlr('m-1'))).status).toBe(200)
})

test('a sleep that nobody reports is a gap from the last sign of life on', async () => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await clock.advance(10_000)
  const aliveMs = clock.now()
  clock.jumpWall(hourMs)
  await clock.advance(5_000)
  expect(running.spans()).toMatchObject([
    { endedMs: aliveMs, endReason: 'suspended' },
    { startedMs: aliveMs + hourMs + 5_000, endedMs: null },
  ])
})

test('a report of sleep that comes after the sleep does not cover it', async () => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await clock.advance(5_000)
  const aliveMs = clock.now()
  clock.jumpWall(hourMs)
  await running.listener.suspend()
  expect(running.spans()).toMatchObject([{ endedMs: aliveMs, endReason: 'suspended' }])
})

test('listens again without a report of waking once it runs for 15 s', async () => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await running.listener.suspend()
  await clock.advance(15_000)
  expect(running.spans()).toHaveLength(1)
  await clock.advance(5_000)
  expect(running.spans()).toMatchObject([{ endReason: 'suspended' }, { endedMs: null }])
})

test('a stop after a sleep does not cover the sleep', async () => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await clock.advance(5_000)
  const aliveMs = clock.now()
  clock.jumpWall(hourMs)
  await running.listener.stop()
  expect(running.spans()).toMatchObject([{ endedMs: aliveMs, endReason: 'suspended' }])
})

test('a jump of the wall clock is a wake-up, a steady clock and one set back are not', async () => {
  const clock = createFakeClock()
  let woken = 0
  const stop = watchSleep(clock, () => woken++)
  await clock.advance(60_000)
  clock.jumpWall(-hourMs)
  await clock.advance(60_000)
  expect(woken).toBe(0)
  clock.jumpWall(hourMs)
  await clock.advance(60_000)
  expect(woken).toBe(1)
  stop()
})

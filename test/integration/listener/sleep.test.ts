import { expect, test } from 'vitest'
import { watchSleep } from '#electron/core/connection/sleep-watch.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, startListener } from '../../helpers/listener.ts'

const hourMs = 3_600_000

test('ends the period at a reported sleep and starts the next once the port answers', async () => {
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

test.each(['suspend', 'stop'] as const)('keeps the gap of a sleep before a late %s', async (ends) => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await clock.advance(5_000)
  const aliveMs = clock.now()
  clock.jumpWall(hourMs)
  await running.listener[ends]()
  expect(running.spans()).toMatchObject([{ endedMs: aliveMs, endReason: 'suspended' }])
})

test('listens again after 15 s without a wake report', async () => {
  const clock = createFakeClock()
  const running = await startListener({}, clock)
  await running.listener.suspend()
  await clock.advance(15_000)
  expect(running.spans()).toHaveLength(1)
  await clock.advance(5_000)
  expect(running.spans()).toMatchObject([{ endReason: 'suspended' }, { endedMs: null }])
})

test('takes only a forward jump of the wall clock as a wake-up', async () => {
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

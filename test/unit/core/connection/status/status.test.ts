import { expect, test } from 'vitest'
import { createNotices, createStatusService } from '#electron/core/connection/status/status.service.ts'
import { createPulse } from '#electron/lib/pulse.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

function watched(watchers: number) {
  const clock = createFakeClock()
  let reads = 0
  let value = 0
  let times = 0
  const [changed, switched] = [createPulse(), createPulse()]
  const service = createStatusService({
    read() {
      reads++
      return { storedEvents: value } as never
    },
    notices: createNotices(changed),
    changed,
    switched,
    clock,
  })
  const seen: number[] = Array.from({ length: watchers }, () => -1)
  const stop = new AbortController()
  const ended = seen.map(async (_start, index) => {
    for await (const { storedEvents } of service.watch(stop.signal)) {
      seen[index] = storedEvents
      times++
    }
  })
  return {
    clock,
    seen,
    reads: () => reads,
    times: () => times,
    set: (next: number) => ((value = next), changed.fire()),
    switchTo: (next: number) => ((value = next), switched.fire()),
    stop: () => (stop.abort(), Promise.all(ended)),
  }
}

test('shares one snapshot per tick among a hundred streams', async () => {
  const { clock, reads, set, seen, stop } = watched(100)
  await clock.advance(0)
  const first = reads()
  for (let n = 1; n <= 40; n++) {
    set(n)
    await clock.advance(250)
  }
  // Ten seconds at four changes a second: a snapshot per change, and at most one more in between.
  expect(reads() - first).toBeLessThanOrEqual(80)
  await clock.advance(1_000)
  expect(new Set(seen)).toEqual(new Set([40]))
  await stop()
})

test('always sends the last change, even right after a snapshot', async () => {
  const { clock, set, seen, stop } = watched(3)
  await clock.advance(1_000)
  set(1)
  await clock.advance(10)
  set(2)
  await clock.advance(250)
  expect(seen).toEqual([2, 2, 2])
  await stop()
})

test('sends an unchanged status only every five seconds', async () => {
  const { clock, set, times, stop } = watched(1)
  await clock.advance(4_000)
  expect(times()).toBe(1)
  await clock.advance(2_000)
  expect(times()).toBe(2)
  set(1)
  await clock.advance(250)
  expect(times()).toBe(3)
  await stop()
})

test('sends a switch at once, and later changes at the usual pace', async () => {
  const { clock, set, switchTo, seen, stop } = watched(2)
  await clock.advance(1_000)
  set(1)
  await clock.advance(10)
  expect(seen).toEqual([0, 0])
  switchTo(2)
  await clock.advance(0)
  expect(seen).toEqual([2, 2])
  set(3)
  await clock.advance(240)
  expect(seen).toEqual([2, 2])
  await clock.advance(10)
  expect(seen).toEqual([3, 3])
  await stop()
})

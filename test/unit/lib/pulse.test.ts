import { expect, test } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { beats, createPulse, slowed } from '#electron/lib/pulse.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

test('leaves event loop turns to others when a reader is slower than the pulse', async () => {
  let skippedMs = 0
  const clock = { ...systemClock, monotonic: () => skippedMs + systemClock.monotonic() }
  const pulse = createPulse()
  let othersHadTheirTurn = false
  setImmediate(() => (othersHadTheirTurn = true))
  let rounds = 0
  for await (const _beat of beats(
    pulse,
    clock,
    { minGapMs: 1, maxGapMs: 250 },
    new AbortController().signal,
  )) {
    skippedMs += 300
    pulse.fire()
    if (othersHadTheirTurn || ++rounds === 1_000) break
  }
  expect(othersHadTheirTurn).toBe(true)
})

test('passes on the first pulse at once and merges the rest', async () => {
  const clock = createFakeClock()
  const source = createPulse()
  const firedAt: number[] = []
  slowed(source, clock, 250).subscribe(() => firedAt.push(clock.monotonic()))
  for (let n = 0; n < 10; n++) {
    source.fire()
    await clock.advance(100)
  }
  await clock.advance(10_000)
  expect(firedAt).toEqual([0, 250, 500, 750, 1_000])
})

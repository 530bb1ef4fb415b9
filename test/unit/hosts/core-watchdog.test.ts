import { expect, test } from 'vitest'
import { watchForStall } from '#electron/hosts/core-client.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

/** Watches a core. Each tick comes after a time, in which this process got some processor time. */
function watching() {
  const now = { ms: 0, usedMs: 0 }
  const counts = { pings: 0, stalls: 0 }
  let answer: () => void = () => {}
  let tick: (() => void) | null = null
  const clock = {
    ...createFakeClock(),
    monotonic: () => now.ms,
    every(_periodMs: number, callback: () => void) {
      tick = callback
      return () => (tick = null)
    },
  }
  const ping = () => {
    counts.pings++
    return new Promise<void>((resolve) => (answer = resolve))
  }
  watchForStall(
    ping,
    clock,
    () => counts.stalls++,
    () => now.usedMs,
  )
  return {
    counts,
    async answer() {
      answer()
      await Promise.resolve()
    },
    tick(periodMs: number, usedMs: number) {
      now.ms += periodMs
      now.usedMs += usedMs
      tick?.()
      return now.ms / 1_000
    },
  }
}

/** After how many seconds a core that answers nothing counts as stalled; null when not within two hours. */
function stalledAfter(periodMs: number, usedMs: number): number | null {
  const { counts, tick } = watching()
  for (;;) {
    const afterSeconds = tick(periodMs, usedMs)
    if (counts.stalls > 0) return afterSeconds
    if (afterSeconds > 7_200) return null
  }
}

// The first ping leaves after 5 s. Processor time counts for all threads of the process.
test.each([
  ['runs a loop without an end', 5_000, 5_000, 35],
  ['runs one beside busy jobs', 5_000, 10_000, 35],
  ['runs one on a busy machine', 5_000, 1_000, 155],
  ['waits for a disk', 5_000, 10, 665],
  ['waits for a disk on a busy machine', 5_900, 10, 784.7],
  ['is starved by other programs', 6_100, 20, null],
  ['is stopped for minutes again and again', 125_000, 50, null],
])('a core that %s', (_what, periodMs, usedMs, seconds) => {
  expect(stalledAfter(periodMs, usedMs)).toBe(seconds)
})

test('reports a stall once and pings no more', () => {
  const { counts, tick } = watching()
  for (let n = 0; n < 100; n++) tick(5_000, 5_000)
  expect(counts).toEqual({ pings: 1, stalls: 1 })
})

test('leaves a core that answers late alone', async () => {
  const { counts, tick, answer } = watching()
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 6; n++) tick(5_000, 5_000)
    await answer()
  }
  expect(counts).toEqual({ pings: 20, stalls: 0 })
})

import { expect, test } from 'vitest'
import { createOutageRule } from '#electron/core/connection/alarms/outage.ts'

const minuteMs = 60_000
/** A request fails at these minutes. Gives the minute of the first look that shows an outage, one look each 10 s; null if none does. */
function shownAt(failed: number[], asleep: [from: number, to: number] = [0, 0]): number | null {
  const rule = createOutageRule()
  for (let atMs = 0; atMs <= 10 * minuteMs; atMs += 10_000) {
    const minute = atMs / minuteMs
    const past = failed.filter((one) => one <= minute).map((one) => one * minuteMs)
    const failures = past.length === 0 ? null : { firstMs: past[0]!, lastMs: past.at(-1)! }
    if ((minute <= asleep[0] || minute >= asleep[1]) && rule(atMs, failures)) return minute
  }
  return null
}

test.each([
  ['one request fails', null, [1], undefined],
  ['requests fail for a minute', null, [1, 2], undefined],
  ['requests fail for 2 minutes', 3, [1, 2, 3, 4], undefined],
  ['requests fail each 3 minutes', 4, [1, 4, 7], undefined],
  ['the machine sleeps between two failures', null, [1, 6], [1, 6]],
  ['requests fail for 2 minutes after a sleep', 8, [1, 6, 7, 8], [1, 6]],
] as [string, number | null, number[], [number, number]?][])(
  'when %s, an outage shows at minute %s',
  (_when, minute, failed, asleep) => {
    expect(shownAt(failed, asleep)).toBe(minute)
  },
)

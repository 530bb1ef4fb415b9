import { describe, expect, test } from 'vitest'
import {
  motionOf,
  type Snapshot,
  sparkBucketMs,
  stalledAfterMs,
} from '#electron/core/views/campaigns/campaign-motion.ts'
import { pointsMax, pointsOf } from '#electron/core/views/campaigns/campaigns.service.ts'

const secondMs = 1_000
const minuteMs = 60_000

/** Readings every ten seconds from 0 to `lastMs` for a campaign whose count is `sentAt(ms)`. */
function readings(
  lastMs: number,
  sentAt: (ms: number) => number | null,
  of: Partial<Snapshot> = {},
): Snapshot[] {
  const all: Snapshot[] = []
  for (let atMs = 0; atMs <= lastMs; atMs += 10 * secondMs) {
    const sent = sentAt(atMs)
    const last = all.at(-1)
    if (last && last.sent === sent) last.untilMs = atMs
    else all.push({ atMs, untilMs: atMs, sent, failed: 0, total: 10_000, status: 'running', ...of })
  }
  return all
}

const steady = (ms: number) => ms / 100

describe('rate and time left', () => {
  test('cover the last five minutes', () => {
    // Slow for ten minutes, then ten per second.
    const sentAt = (ms: number) => (ms <= 10 * minuteMs ? ms / 10_000 : 60 + (ms - 10 * minuteMs) / 100)
    const { ratePerMinute, etaMs } = motionOf(readings(16 * minuteMs, sentAt), 16 * minuteMs)
    expect(ratePerMinute).toBeCloseTo(600)
    expect(etaMs).toBeCloseTo(((10_000 - 60 - 3_600) / 600) * minuteMs)
  })

  test.each([
    ['after a single reading', readings(0, steady), 0],
    ['for a paused campaign', readings(5 * minuteMs, steady, { status: 'paused' }), 5 * minuteMs],
    ['when the service gives no count', readings(5 * minuteMs, () => null), 5 * minuteMs],
  ])('are unknown %s', (_when, snapshots, nowMs) => {
    expect(motionOf(snapshots, nowMs)).toMatchObject({
      ratePerMinute: null,
      etaMs: null,
      stillMs: null,
      stalled: false,
    })
  })

  test('stay those of the last reading while the service can’t be read', () => {
    const snapshots = readings(5 * minuteMs, steady)
    const { ratePerMinute, etaMs } = motionOf(snapshots, 5 * minuteMs)
    expect(motionOf(snapshots, 60 * minuteMs)).toMatchObject({ ratePerMinute, etaMs })
  })

  test('do not span unread time or a count that went down', () => {
    const before = readings(5 * minuteMs, steady)
    const after = readings(minuteMs, (ms) => 9_000 + ms / 1_000).map((one) => ({
      ...one,
      atMs: one.atMs + 60 * minuteMs,
      untilMs: one.untilMs + 60 * minuteMs,
    }))
    expect(motionOf([...before, ...after], 61 * minuteMs).ratePerMinute).toBeCloseTo(60)
    const reset = readings(5 * minuteMs, (ms) =>
      ms < 4 * minuteMs ? 5_000 + ms : (ms - 4 * minuteMs) / 1_000,
    )
    expect(motionOf(reset, 5 * minuteMs).ratePerMinute).toBeCloseTo(60)
  })

  test('without the number of recipients there is a rate but no time left', () => {
    const snapshots = readings(5 * minuteMs, steady, { total: null })
    expect(motionOf(snapshots, 5 * minuteMs)).toMatchObject({
      ratePerMinute: expect.closeTo(600),
      etaMs: null,
    })
  })
})

describe('a campaign that does not move', () => {
  const stuck = (ms: number) => Math.min(steady(ms), 1_200)

  test.each([
    [3 * minuteMs, {}, { stillMs: minuteMs, stalled: false }],
    [2 * minuteMs + stalledAfterMs, {}, { stillMs: stalledAfterMs, stalled: true, etaMs: expect.anything() }],
    [30 * minuteMs, {}, { ratePerMinute: 0, etaMs: null, stalled: true }],
    // Everything is sent.
    [30 * minuteMs, { total: 1_200 }, { stillMs: null, stalled: false }],
  ])(
    'shows for how long, and is stalled after a while unless everything is sent (%i ms, %o)',
    (ms, of, expected) => {
      expect(motionOf(readings(ms, stuck, of), ms)).toMatchObject(expected)
    },
  )

  test('does not count unread time as a stall', () => {
    const early = readings(minuteMs, () => 500)
    const late = early.map((one) => ({ ...one, atMs: 60 * minuteMs, untilMs: 61 * minuteMs }))
    expect(motionOf([...early, ...late], 61 * minuteMs)).toMatchObject({ stillMs: minuteMs, stalled: false })
  })
})

test.each([
  ['15 minutes', readings(30 * minuteMs, steady), { sent: 9_000, failed: 0, minutes: 15 }],
  [
    'the minutes read',
    readings(4 * minuteMs + 40 * secondMs, steady),
    { sent: 2_800, failed: 0, minutes: 5 },
  ],
  ['the first minute', readings(10 * secondMs, steady), { sent: 100, failed: 0, minutes: 1 }],
])('counts what was sent lately in %s', (_span, snapshots, lately) => {
  expect(motionOf(snapshots, 30 * minuteMs).lately).toEqual(lately)
})

test('draws a sparkline point for each minute with readings only', () => {
  const snapshots = readings(10 * minuteMs, steady)
  const { spark } = motionOf(snapshots, 10 * minuteMs)
  expect(spark).toHaveLength(30)
  expect(spark.slice(0, 20).every((value) => value === null)).toBe(true)
  expect(spark.slice(20)).toEqual(Array(10).fill(sparkBucketMs / 100))
})

test('keeps the newest point of a history, limits its length, and breaks it at unread time', () => {
  const long = Array.from({ length: 2_500 }, (_item, sent) => {
    const atMs = (sent + (sent >= 2_000 ? 600 : 0)) * minuteMs
    return { atMs, untilMs: atMs, sent, failed: null, total: null, status: 'running' }
  })
  const points = pointsOf(long)
  expect(points.length).toBeLessThanOrEqual(pointsMax)
  expect(points.at(-1)?.sent).toBe(2_499)
  expect(points.filter(({ afterGap }) => afterGap)).toHaveLength(1)
})

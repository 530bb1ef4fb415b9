import { expect, test } from 'vitest'
import type { EventSeries, Gap } from '#contract/live/events.ts'
import { gapSpans } from '../../../../../renderer/src/shared/charts/gap-spans.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 14, 0, second)).toISOString()
const series: EventSeries = {
  bucketMs: 10_000,
  from: at(0),
  lines: [{ name: 'delivered', counts: Array.from({ length: 10 }, () => 1) }],
  asOf: at(80),
}
const gap = (from: number, to: number | null, proven = false): Gap => ({
  from: at(from),
  to: to === null ? null : at(to),
  durationMs: 0,
  proven,
  reason: 'closed',
})

test.each([
  ['within', gap(20, 25, true), [{ left: 0.2, width: 0.05, proven: true }]],
  ['that began before', gap(-30, 10), [{ left: 0, width: 0.1, proven: false }]],
  ['that is still open, up to the last reading', gap(60, null), [{ left: 0.6, width: 0.2, proven: false }]],
  ['entirely before', gap(-30, -5), []],
  ['entirely after', gap(200, 230), []],
])('places a gap %s', (_name, given, spans) => {
  expect(gapSpans(series, [given])).toEqual(spans)
})

test('places no gap in a series without lines', () => {
  expect(gapSpans({ ...series, lines: [] }, [gap(0, 50)])).toEqual([])
})

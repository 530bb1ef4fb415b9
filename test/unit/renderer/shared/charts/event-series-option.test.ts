import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { EventSeries } from '#contract/live/events.ts'
import { axisEnd, shortCount } from '../../../../../renderer/src/shared/charts/chart-frame.ts'
import {
  bucketTotals,
  eventSeriesOption,
  fromFirstListening,
  labelStepMs,
  seriesSummary,
  seriesTable,
  seriesTotals,
} from '../../../../../renderer/src/shared/charts/event-series-option.ts'
import { palettes, seriesColour } from '../../../../../renderer/src/shared/theme/tokens.ts'

const series = (over: Partial<EventSeries> = {}): EventSeries => ({
  bucketMs: 5_000,
  from: '2026-01-05T14:00:00.000Z',
  lines: [
    { name: 'submitted', counts: [3, 0, 9] },
    { name: 'delivered', counts: [2, 0, 8] },
    { name: 'mo', counts: [1, 0, 0] },
  ],
  asOf: '2026-01-05T14:00:15.000Z',
  ...over,
})

const drawn = (of: EventSeries) => eventSeriesOption(of, palettes.dark) as unknown as DrawnOption
interface DrawnOption {
  animation: boolean
  grid: { left: number }
  tooltip: Record<string, unknown>
  xAxis: { data: string[]; axisLabel: { interval: (at: number) => boolean } }
  yAxis: { max: number }
  series: { type: string; name: string; data: number[]; color: string; stack: string }[]
}

describe('the chart of events over time', () => {
  const quietUntil = (bucket: number) =>
    series({ lines: [{ name: 'mo', counts: Array.from({ length: 60 }, (_, at) => Number(at >= bucket)) }] })
  test.each([
    ['2026-01-05T14:02:04.000Z', 40, 24],
    ['2026-01-05T14:02:04.000Z', 20, 20],
    ['2026-01-05T14:04:50.000Z', 59, 48],
    ['2026-01-05T14:04:50.000Z', 60, 48],
    ['2026-01-05T13:00:00.000Z', 40, 0],
    [null, 40, 0],
  ])('begins when the connection first listened (%s), events from bucket %i', (since, bucket, cut) => {
    const { from, lines } = fromFirstListening(quietUntil(bucket), since)
    expect([Date.parse(from) - Date.parse(series().from), lines[0]!.counts.length]).toEqual([
      cut * 5_000,
      60 - cut,
    ])
  })

  test('stacks one bar per status, in the order and colour the console uses everywhere', () => {
    const option = drawn(series())
    expect(option.series.map(({ type, name, color }) => [type, name, color])).toEqual([
      ['bar', 'Submitted', seriesColour('submitted', palettes.dark)],
      ['bar', 'Delivered', seriesColour('delivered', palettes.dark)],
      ['bar', 'Inbound', seriesColour('mo', palettes.dark)],
    ])
    expect(new Set(option.series.map(({ stack }) => stack)).size).toBe(1)
  })

  test('draws no line without values', () => {
    const lines = [...series().lines, { name: 'expired', counts: [0, 0, 0] }]
    expect(drawn(series({ lines })).series.map(({ name }) => name)).toEqual([
      'Submitted',
      'Delivered',
      'Inbound',
    ])
  })

  test('tells the two hours apart that a clock shows twice at the end of summer time', () => {
    vi.stubEnv('TZ', 'Europe/Berlin')
    onTestFinished(() => void vi.unstubAllEnvs())
    const hours = { bucketMs: 3_600_000, from: '2026-10-25T00:00:00.000Z' }
    const rows = seriesTable(series({ ...hours, lines: [{ name: 'mo', counts: [1, 2] }] }))
    expect(rows.map(({ time }) => time)).toEqual(['02:00', '02:00'])
    expect(rows.map(({ startMs }) => new Date(startMs).toISOString())).toEqual([
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
    ])
  })

  test('does not jump: no animation, a fixed left edge, a rounded axis end', () => {
    const small = drawn(series())
    const large = drawn(series({ lines: [{ name: 'delivered', counts: [987_654, 2, 3] }] }))
    expect(small.animation).toBe(false)
    expect(large.grid.left).toBe(small.grid.left)
    expect([small.yAxis.max, large.yAxis.max]).toEqual([20, 1_000_000])
  })

  test('draws its tooltip without HTML', () => {
    const { tooltip } = drawn(series({ lines: [{ name: '<img src=x onerror=alert(1)>', counts: [1] }] }))
    expect(tooltip['renderMode']).toBe('richText')
  })

  test('shows any number of statuses in a tooltip of at most four rows, which the lowest chart has room for', () => {
    const { tooltip } = drawn(series())
    const format = tooltip['formatter'] as (points: object[]) => string
    const point = (seriesName: string, value: number) => ({
      axisValueLabel: '15:00:05',
      marker: '●',
      seriesName,
      value,
    })
    expect(format([point('Submitted', 1_200), point('Failed', 3)])).toBe(
      '15:00:05\n●Submitted 1,200\n●Failed 3',
    )
    const five = ['Submitted', 'Delivered', 'Failed', 'Expired', 'Inbound'].map((name) => point(name, 1))
    expect(format(five)).toBe('15:00:05\n●Submitted 1   ●Delivered 1\n●Failed 1   ●Expired 1\n●Inbound 1')
    expect(format([...five, ...five]).split('\n')).toHaveLength(4)
  })

  test('shows a status outside the spec under its own name, capitalised', () => {
    expect(drawn(series({ lines: [{ name: 'on_hold', counts: [1] }] })).series[0]).toMatchObject({
      name: 'On_hold',
    })
  })

  test('labels few, round times', () => {
    const counts = Array.from({ length: 180 }, () => 1)
    const { xAxis } = drawn(series({ from: '2026-01-05T14:00:35.000Z', lines: [{ name: 'mo', counts }] }))
    const labels = xAxis.data.filter((_, at) => xAxis.axisLabel.interval(at))
    expect(labels.length).toBeLessThanOrEqual(8)
    expect(labels.every((label) => label.endsWith(':00'))).toBe(true)
  })

  test('draws a whole day of minutes as an area', () => {
    const counts = Array.from({ length: 1_440 }, () => 1)
    expect(drawn(series({ bucketMs: 60_000, lines: [{ name: 'mo', counts }] })).series[0]?.type).toBe('line')
  })

  test('draws an empty chart without lines', () => {
    expect(drawn(series({ lines: [] })).series).toEqual([])
  })
})

describe('its totals', () => {
  test('are per status and per bucket', () => {
    expect(seriesTotals(series()).map(({ label, total }) => [label, total])).toEqual([
      ['Submitted', 12],
      ['Delivered', 10],
      ['Inbound', 1],
    ])
    expect(bucketTotals(series())).toEqual([6, 0, 17])
  })

  test('as a table omit empty buckets and begin with the newest', () => {
    expect(seriesTable(series()).map(({ counts }) => counts)).toEqual([
      [9, 8, 0],
      [3, 2, 1],
    ])
  })

  test('are described in words', () => {
    expect(seriesSummary(series())).toBe('Events over time. Submitted 12, Delivered 10, Inbound 1.')
    expect(seriesSummary(series({ lines: [] }))).toBe('Events over time. None.')
  })
})

test.each([
  [0, 4],
  [4, 4],
  [5, 6],
  [11, 20],
  [200, 200],
  [201, 300],
  [999_999, 1_000_000],
])('ends an axis for %d at %d', (value, end) => {
  expect(axisEnd(value)).toBe(end)
})

test.each([
  [950, '950'],
  [12_000, '12k'],
  [1_500, '1.5k'],
  [2_500_000, '2.5M'],
])('writes %d as %s on an axis', (value, text) => {
  expect(shortCount(value)).toBe(text)
})

test.each([
  [900_000, 120_000],
  [3_600_000, 600_000],
  [86_400_000, 10_800_000],
])('labels a range of %d ms every %d ms', (spanMs, stepMs) => {
  expect(labelStepMs(spanMs)).toBe(stepMs)
})

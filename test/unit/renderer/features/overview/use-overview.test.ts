import { ORPCError } from '@orpc/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { nextTick } from 'vue'
import { gapDays } from '../../../../../renderer/src/features/overview/gap-days.ts'
import {
  chartBucketMs,
  chartSpanMs,
  useOverview,
} from '../../../../../renderer/src/features/overview/use-overview.ts'
import { useStatusStore } from '../../../../../renderer/src/shared/status/status.store.ts'
import { startClock } from '../../../../../renderer/src/shared/time/clock.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const asOf = '2026-01-05T09:00:00.000Z'
const freshness = { asOf, source: 'live', error: null }
const noGaps = () => ({ gaps: [], recordedSince: asOf, asOf })
/** Answers of every source that the attention list needs, with nothing in them. */
const nothingElse = {
  events: { gaps: noGaps, series: () => ({ lines: [] }) },
  recovery: { get: () => ({ gaps: [], asOf }) },
  dnc: { holds: () => ({ items: [], nextCursor: null, total: 0 }) },
  campaigns: {
    alertRules: () => ({ alertRules: [], watch: {}, resumed: [] }),
    trips: () => ({ items: [] }),
  },
}

describe('the overview', () => {
  it('reads its parts and lets one fail alone', async () => {
    const app = createRendererApp({
      overview: { get: () => ({ dashboard: null, freshness }) },
      events: {
        series: () => {
          throw new ORPCError('STORAGE_BUSY')
        },
        gaps: noGaps,
      },
    })
    const { dashboard, series, gaps } = app.run(useOverview)
    await turn()
    expect(dashboard.data.value?.freshness).toEqual(freshness)
    expect(series.error.value).toMatchObject({ code: 'STORAGE_BUSY' })
    expect(gaps.data.value).toEqual(noGaps())
    app.scope.stop()
  })

  it('requests whole buckets, so that bars keep their height', async () => {
    const app = createRendererApp({})
    app.run(useOverview)
    await turn()
    app.scope.stop()
    const input = app.calls.find(({ name }) => name === 'events.series')!.input as Record<
      'from' | 'to',
      string
    >
    expect(Date.parse(input.to) % chartBucketMs).toBe(0)
    expect(Date.parse(input.to) - Date.parse(input.from)).toBe(chartSpanMs)
  })

  it('keeps the chart loading until counted deliveries are events', async () => {
    let count = 0
    const app = createRendererApp({
      events: {
        series: () => ({
          bucketMs: chartBucketMs,
          from: asOf,
          lines: [{ name: 'mo', counts: [count] }],
          asOf,
        }),
      },
    })
    const store = app.run(useStatusStore)
    const is = (projectionLag: number, storedEvents: number) => {
      store.state = { kind: 'ready', status: { ...ordinaryStatus(), projectionLag, storedEvents } }
      return nextTick()
    }
    await is(3, 0)
    const { chart, series } = app.run(useOverview)
    await turn()
    expect(series.data.value).toBeDefined()
    expect(chart.value).toBeNull()
    count = 3
    await is(0, 3)
    expect(chart.value).toBeNull()
    await turn()
    expect(chart.value?.lines).toEqual([{ name: 'mo', counts: [3] }])
    app.scope.stop()
  })

  it('reads the gaps again when the listener stops or starts', async () => {
    const app = createRendererApp({
      events: { gaps: noGaps },
      recovery: { get: () => ({ gaps: [], asOf }) },
    })
    const store = app.run(useStatusStore)
    const status = ordinaryStatus()
    const is = async (state: 'listening' | 'failed', storedEvents: number) => {
      store.state = {
        kind: 'ready',
        status: { ...status, storedEvents, listener: { ...status.listener, state } },
      }
      await nextTick()
      await turn()
    }
    const reads = () => app.calls.filter(({ name }) => name === 'events.gaps').length
    await is('listening', 1)
    app.run(useOverview)
    await turn()
    expect(reads()).toBe(1)
    await is('listening', 2)
    expect(reads()).toBe(1)
    await is('failed', 2)
    expect(reads()).toBe(2)
    await is('listening', 2)
    expect(reads()).toBe(3)
    app.scope.stop()
  })

  it('has checked everything only once each source answered', async () => {
    const app = createRendererApp(nothingElse)
    const { isChecked, isCheckFailed } = app.run(useOverview)
    await turn()
    expect([isChecked.value, isCheckFailed.value]).toEqual([false, false])
    for (const stream of app.streams) stream.onItem({ counts: {} } as never)
    expect(isChecked.value).toBe(true)
    app.scope.stop()
  })

  it('has not checked everything while it reads new rejected requests', async () => {
    const answers = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()]
    const waiting = [...answers]
    const app = createRendererApp({
      ...nothingElse,
      outbox: { stuck: () => waiting.shift()!.promise },
    })
    const { isChecked } = app.run(useOverview)
    await turn()
    const rejected = async (count: number) => {
      for (const stream of app.streams) stream.onItem({ counts: { rejected: count } } as never)
      await turn()
    }
    for (const [index, answer] of answers.entries()) {
      await rejected(index + 1)
      expect(isChecked.value).toBe(false)
      answer.resolve({ items: [], nextCursor: null })
      await turn()
      expect(isChecked.value).toBe(true)
    }
    app.scope.stop()
  })
})

describe('yesterday’s total', () => {
  const day = (iso: string) => iso.slice(8, 10)
  function begin(nowIso: string, totals: { asOf?: string; provenance?: string }) {
    vi.useFakeTimers({ now: Date.parse(nowIso) })
    onTestFinished(() => void vi.useRealTimers())
    const app = createRendererApp({
      settings: {
        getFieldNames: () => ({ analyticsDates: { provenance: totals.provenance ?? 'proven' } }) as never,
      },
      analytics: {
        overview: ({ startDate }: { startDate: string }) => ({
          overview: { totalMessages: Number(day(startDate)) },
          freshness: { asOf: totals.asOf ?? new Date().toISOString() },
        }),
      },
    })
    onTestFinished(() => app.scope.stop())
    app.run(startClock)
    return app.run(useOverview).yesterday
  }

  it('is of another day after midnight UTC', async () => {
    const yesterday = begin('2026-01-05T23:59:00Z', {})
    await vi.advanceTimersByTimeAsync(1_000)
    expect(yesterday.value).toBe(4)
    await vi.advanceTimersByTimeAsync(65_000)
    expect(yesterday.value).toBe(5)
  })

  it.each([
    ['read while the day ran', { asOf: '2026-01-04T23:59:59Z' }],
    ['of unverified date parameters', { provenance: 'assumed' }],
  ])('is not shown when %s', async (_case, totals) => {
    const yesterday = begin('2026-01-05T08:00:00Z', totals)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(yesterday.value).toBeNull()
  })
})

describe('the strip of days', () => {
  const nowMs = new Date(2026, 0, 7, 18).getTime()
  const hourOf = (day: number, hour: number) => new Date(2026, 0, day, hour).toISOString()
  const gap = (from: string, to: string | null) => ({
    from,
    to,
    durationMs: 1,
    proven: true,
    reason: 'closed',
  })

  it('splits a gap at midnight and ends an open one now', () => {
    const gaps = [gap(hourOf(7, 12), null), gap(hourOf(5, 18), hourOf(6, 6))]
    const days = gapDays({ gaps, recordedSince: hourOf(1, 0), count: 3 }, nowMs)
    expect(days.map((day) => day.gaps.map(({ start, length }) => [start, length]))).toEqual([
      [[0.75, 0.25]],
      [[0, 0.25]],
      [[0.5, 0.25]],
    ])
  })

  it('leaves the time before recording and the rest of today unknown', () => {
    const days = gapDays({ gaps: [], recordedSince: hourOf(6, 12), count: 3 }, nowMs)
    expect(days.map(({ unknown }) => unknown)).toEqual([
      [{ start: 0, length: 1 }],
      [{ start: 0, length: 0.5 }],
      [{ start: 0.75, length: 0.25 }],
    ])
  })
})

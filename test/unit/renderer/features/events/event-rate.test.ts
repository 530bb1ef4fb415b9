import { expect, test } from 'vitest'
import { ref } from 'vue'
import type { EventSeries } from '#contract/live/events.ts'
import {
  createEventRate,
  narrowed,
  nextReadMs,
  type RateSpan,
  rateBounds,
  rateNow,
  ratePeak,
  rateSpans,
  type SearchedFor,
  searchedFor,
} from '../../../../../renderer/src/features/events/event-rate.ts'

const startMs = Date.UTC(2026, 0, 5, 14, 0, 0)
const series = (counts: number[]): EventSeries => ({
  bucketMs: 5_000,
  from: new Date(startMs).toISOString(),
  lines: [{ name: 'delivered', counts }],
  asOf: new Date(startMs).toISOString(),
})

test.each([
  [{}, ['delivered', 'failed', 'mo', 'quarantined']],
  [{ kinds: ['dlr'] }, ['delivered', 'failed']],
  [{ kinds: ['mo', 'quarantined'] }, ['mo', 'quarantined']],
  [{ statuses: ['failed'] }, ['failed']],
] as const)('draws only what the filter %j lets through', (filter, names) => {
  const lines = ['delivered', 'failed', 'mo', 'quarantined'].map((name) => ({ name, counts: [1] }))
  const shown = narrowed({ ...series([]), lines }, filter as never)
  expect(shown.lines.map(({ name }) => name)).toEqual(names)
  expect(searchedFor(filter as never)).toBeNull()
  expect(searchedFor({ ...(filter as object), errorCodes: [2] })).toEqual({ errorCodes: [2] })
})

test('aligns the range with whole buckets, so that bars do not drift', () => {
  const early = rateBounds('15 min', startMs + 100)
  const late = rateBounds('15 min', startMs + 4_900)
  expect(early).toEqual(late)
  expect(Date.parse(early.to)).toBe(startMs + 5_000)
})

test.each(Object.keys(rateSpans) as RateSpan[])('%s needs few enough buckets', (span) => {
  const { from, to, bucketMs } = rateBounds(span, startMs)
  expect((Date.parse(to) - Date.parse(from)) / bucketMs).toBeLessThanOrEqual(180)
})

test('reads again when the next bucket begins, and at least every 30 s', () => {
  expect(nextReadMs('15 min', startMs + 4_900)).toBe(100)
  expect(nextReadMs('15 min', startMs + 5_000)).toBe(5_000)
  expect(nextReadMs('24 h', startMs)).toBe(30_000)
})

test('shows the rate of the last complete bucket', () => {
  expect(rateNow(series([10, 50, 3]), startMs + 11_000)).toBe(10)
  expect(rateNow(series([10, 50, 3]), startMs + 60_000)).toBe(0.6)
  expect(rateNow(series([]), startMs)).toBeNull()
  expect(ratePeak(series([10, 50, 3]))).toBe(10)
})

test('keeps the last chart after a failed read, with the reason', async () => {
  let fails = false
  const client = {
    events: {
      async series() {
        if (fails) throw new Error('no')
        return series([1])
      },
    },
  }
  const rate = createEventRate(client as never, ref<RateSpan>('15 min'), ref(null), () => startMs)
  await rate.refresh(new AbortController().signal)
  fails = true
  await rate.refresh(new AbortController().signal)
  expect(rate.state.value).toMatchObject({
    kind: 'failed',
    series: { bucketMs: 5_000 },
    error: { code: 'INTERNAL' },
  })
})

test('ignores an answer that arrives after a newer one', async () => {
  const waiting: ((counts: number[]) => void)[] = []
  const client = {
    events: {
      series: () => new Promise<EventSeries>((resolve) => waiting.push((counts) => resolve(series(counts)))),
    },
  }
  const rate = createEventRate(client as never, ref<RateSpan>('15 min'), ref(null), () => startMs)
  const { signal } = new AbortController()
  const both = [rate.refresh(signal), rate.refresh(signal)]
  waiting[1]!([2])
  await both[1]
  waiting[0]!([1])
  await both[0]
  expect(rate.state.value).toMatchObject({ kind: 'ready', series: { lines: [{ counts: [2] }] } })
})

test('asks for the filter, and shows no chart of the filter before', async () => {
  const answers: (() => void)[] = []
  const asked: unknown[] = []
  const client = {
    events: {
      series: ({ filter }: { filter: object }) => {
        asked.push(filter)
        return new Promise<EventSeries>((resolve) => answers.push(() => resolve(series([asked.length]))))
      },
    },
  }
  const filter = ref<SearchedFor | null>(null)
  const rate = createEventRate(client as never, ref<RateSpan>('15 min'), filter, () => startMs)
  const { signal } = new AbortController()
  const before = rate.refresh(signal)
  filter.value = { number: '+4917' }
  const after = rate.refresh(signal)
  answers[0]!()
  await before
  expect(rate.state.value).toEqual({ kind: 'loading' })
  answers[1]!()
  await after
  expect(rate.state.value).toMatchObject({ kind: 'ready' })
  expect(asked).toEqual([{}, { number: '+4917' }])
})

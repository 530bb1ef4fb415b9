import { QueryClient } from '@tanstack/vue-query'
import { describe, expect, test } from 'vitest'
import type { ScheduledMessage } from '#contract/domain.ts'
import type { ScheduledStep } from '#contract/views/scheduled.ts'
import { type Sweep, scheduledQuery } from '../../../../../renderer/src/features/scheduled/scheduled-query.ts'
import {
  type ScheduledFilter,
  countdownText,
  narrow,
  scheduledFilterSchema,
  standingOf,
} from '../../../../../renderer/src/features/scheduled/scheduled-rows.ts'
import { aReading, aScheduled, stepsOf } from '../../../../helpers/scripted/scheduled.ts'

const nowMs = new Date(2026, 10, 21, 12).getTime()
const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
const entry = (id: string, minutes: number | null, status: string | null = 'pending', of = {}) =>
  aScheduled({ id, status, scheduledAt: minutes === null ? null : at(minutes), ...of })
const all: ScheduledFilter = { which: 'all', text: '', day: null, hour: null }

describe('an entry', () => {
  test('is overdue only when pending past its time; other statuses are shown as they are', () => {
    const standings = [
      entry('a', 5),
      entry('b', -5),
      entry('c', -5, 'sent'),
      entry('d', 5, 'Canceled'),
      entry('e', 5, 'cancelled'),
      entry('f', -5, 'in_queue'),
      entry('g', 5, 'in_queue'),
      entry('h', -5, null),
      entry('i', null),
      entry('j', 0),
    ].map((item) => standingOf(item, nowMs))
    expect(standings).toEqual([
      'upcoming',
      'overdue',
      'past',
      'past',
      'past',
      'past',
      'upcoming',
      'past',
      'upcoming',
      'upcoming',
    ])
  })

  test('waits in the states that the connection defines', () => {
    const late = entry('a', -5, 'In_Queue')
    expect(standingOf(late, nowMs, ['pending', 'in_queue'])).toBe('overdue')
    expect(standingOf(late, nowMs)).toBe('past')
    expect(narrow([late], { ...all, which: 'overdue' }, nowMs, ['in_queue']).rows).toEqual([late])
    expect(countdownText(late, nowMs, ['in_queue'])).toBe('5 min overdue')
  })

  test('counts down, then up', () => {
    const text = (minutes: number | null, status = 'pending') =>
      countdownText(entry('a', minutes, status), nowMs)
    expect(text(3.5)).toBe('in 3 min 30 s')
    expect(text(0)).toBe('now')
    expect(text(-12)).toBe('12 min overdue')
    expect(text(-120, 'sent')).toBe('2 h ago')
    expect(text(null)).toBeNull()
  })
})

describe('the list', () => {
  const items = [
    entry('tomorrow', 24 * 60, 'pending', { toNumber: '+49 171 1234567', body: 'Dear Ana' }),
    entry('soon', 10, 'pending', { fromNumber: 'ACME' }),
    entry('soon-too', 20),
    entry('late', -30),
    entry('done', -60, 'sent'),
    entry('undated', null),
  ]
  const ids = (filter: Partial<ScheduledFilter>) =>
    narrow(items, { ...all, ...filter }, nowMs).rows.map(({ id }) => id)

  test('is ordered by time, undated entries last, past ones newest first', () => {
    expect(ids({ which: 'upcoming' })).toEqual(['soon', 'soon-too', 'tomorrow', 'undated'])
    expect(ids({ which: 'overdue' })).toEqual(['late'])
    expect(ids({})).toEqual(['done', 'late', 'soon', 'soon-too', 'tomorrow', 'undated'])
  })

  test('is searched by number in any form, sender and text', () => {
    expect(ids({ text: '491711234' })).toEqual(['tomorrow'])
    expect(ids({ text: '0049 171' })).toEqual(['tomorrow'])
    expect(ids({ text: 'acme' })).toEqual(['soon'])
    expect(ids({ text: 'dear' })).toEqual(['tomorrow'])
    expect(narrow(items, { ...all, text: 'dear' }, nowMs).counts).toEqual({
      upcoming: 1,
      overdue: 0,
      past: 0,
      all: 1,
    })
  })

  test('counts days and hours, and filters by them', () => {
    const { days, hours, undated } = narrow(items, { ...all, day: '2026-11-21', hour: null }, nowMs)
    expect(days).toEqual([
      { day: '2026-11-21', count: 4, overdue: 1 },
      { day: '2026-11-22', count: 1, overdue: 0 },
    ])
    expect(hours?.[12]).toBe(2)
    expect(hours?.[11]).toBe(2)
    expect(undated).toBe(1)
    expect(ids({ day: '2026-11-21', hour: 12 })).toEqual(['soon', 'soon-too'])
  })
})

test('reads the filter from the address, and ignores invalid parts', () => {
  expect(scheduledFilterSchema.parse({})).toEqual({ which: 'upcoming', text: '', day: null, hour: null })
  expect(scheduledFilterSchema.parse({ which: 'over', text: ['a'], day: '21.11.', hour: '24' })).toEqual(
    scheduledFilterSchema.parse({}),
  )
  const whole = { which: 'past', text: 'Ana', day: '2026-11-21', hour: '09' }
  expect(scheduledFilterSchema.parse(whole)).toEqual({ ...whole, hour: 9 })
})

describe('a reading', () => {
  const kept = [entry('a', 1), entry('b', 2)]
  const keptStep: ScheduledStep = { kind: 'kept', items: kept, reading: aReading(kept, 60_000), isLast: true }
  const pageOf = (items: ScheduledMessage[]): ScheduledStep => ({
    kind: 'page',
    items,
    pagesDone: 1,
    pagesTotal: 1,
    total: items.length,
    sweep: 1,
  })

  /** Reads these streams in turn, each a list of steps. */
  function readingOf(streams: (readonly ScheduledStep[] | AsyncGenerator<ScheduledStep>)[]) {
    const asked: number[] = []
    const client = {
      scheduled: {
        read({ freshForMs }: { freshForMs: number }) {
          asked.push(freshForMs)
          const next = streams.shift() ?? []
          return Promise.resolve('length' in next ? stepsOf(next) : next)
        },
      },
    } as never
    const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
    const source = scheduledQuery(client, ['here', 'scheduled'])
    return {
      asked,
      source,
      read: () => cache.fetchQuery(source.options as never).catch((error: unknown) => error),
      ids: () => [...(cache.getQueryData<Sweep>(['here', 'scheduled'])?.items.keys() ?? [])],
      state: () => cache.getQueryState<Sweep>(['here', 'scheduled'])!,
    }
  }

  test('shows the last answer, then the new pages, without removed entries', async () => {
    const { read, state } = readingOf([
      [
        keptStep,
        pageOf([entry('b', 2, 'sent'), entry('c', 3), entry('d', 4)]),
        { kind: 'done', reading: aReading([1, 2] as never), gone: ['a', 'd'] },
      ],
    ])
    await read()
    expect([...state().data!.items.values()].map(({ id, status }) => [id, status])).toEqual([
      ['b', 'sent'],
      ['c', 'pending'],
    ])
    expect(state()).toMatchObject({ error: null, data: { progress: null, reading: { loaded: 2 } } })
  })

  test('keeps the last answer and its age when it fails', async () => {
    const error = { code: 'SERVICE_UNREACHABLE', acted: 'no' as const, data: { host: 'api' } }
    const { read, ids, state } = readingOf([[keptStep, { kind: 'failed', error }]])
    await read()
    expect(state().error).toMatchObject({ code: 'SERVICE_UNREACHABLE', data: { host: 'api' } })
    expect(state().data!.reading).toBe((keptStep as { reading: unknown }).reading)
    expect(ids()).toEqual(['a', 'b'])
  })

  test('drops entries that another window found removed, once its answer is fresh enough', async () => {
    const { read, ids } = readingOf([
      [
        pageOf([entry('sent-since', -5), ...kept]),
        { kind: 'done', reading: aReading([1, 2, 3] as never), gone: [] },
      ],
      [keptStep, { kind: 'fresh', reading: aReading(kept) }],
    ])
    await read()
    expect(ids()).toContain('sent-since')
    await read()
    expect(ids()).toEqual(['a', 'b'])
  })

  test('keeps loaded pages when stopped, and asks the service on request', async () => {
    let reached = () => {}
    const atPage = new Promise<void>((resolve) => (reached = resolve))
    const { read, ids, source, asked, state } = readingOf([
      (async function* () {
        yield pageOf([entry('a', 1)])
        reached()
        await new Promise((resolve) => setImmediate(resolve))
        yield pageOf([entry('z', 1)])
      })(),
    ])
    const done = read()
    await atPage
    source.stop()
    await done
    expect(ids()).toEqual(['a'])
    expect(state()).toMatchObject({ error: null, fetchStatus: 'idle' })
    source.askService()
    await read()
    expect(asked).toEqual([30_000, 0])
  })
})

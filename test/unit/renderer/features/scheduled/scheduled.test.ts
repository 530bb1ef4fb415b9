import { describe, expect, test } from 'vitest'
import type { ScheduledStep } from '#contract/scheduled.ts'
import { createScheduledReading } from '../../../../../renderer/src/features/scheduled/scheduled-reading.ts'
import {
  type ScheduledFilter,
  countdownText,
  narrow,
  standingOf,
} from '../../../../../renderer/src/features/scheduled/scheduled-rows.ts'
import { aReading, aScheduled, stepsOf } from '../../../../helpers/scripted/scheduled.ts'

const nowMs = new Date(2026, 10, 21, 12).getTime()
const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
const entry = (id: string, minutes: number | null, status: string | null = 'pending', of = {}) =>
  aScheduled({ id, status, scheduledAt: minutes === null ? null : at(minutes), ...of })
const all: ScheduledFilter = { which: 'all', text: '', day: null, hour: null }

describe('an entry', () => {
  test('is overdue only when it is pending past its time; other words are shown, not judged', () => {
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
    ].map((item) => standingOf(item, nowMs))
    expect(standings).toEqual([
      'coming',
      'overdue',
      'over',
      'over',
      'over',
      'over',
      'coming',
      'over',
      'coming',
    ])
  })

  test('waits in the states that the connection calls so', () => {
    const late = entry('a', -5, 'In_Queue')
    expect(standingOf(late, nowMs, ['pending', 'in_queue'])).toBe('overdue')
    expect(standingOf(late, nowMs)).toBe('over')
    expect(narrow([late], { ...all, which: 'overdue' }, nowMs, ['in_queue']).rows).toEqual([late])
    expect(countdownText(late, nowMs, ['in_queue'])).toBe('5 min overdue')
  })

  test('counts down, and then up', () => {
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

  test('is in the order of what comes next, without a time last; what is over goes back in time', () => {
    expect(ids({ which: 'coming' })).toEqual(['soon', 'soon-too', 'tomorrow', 'undated'])
    expect(ids({ which: 'overdue' })).toEqual(['late'])
    expect(ids({})).toEqual(['done', 'late', 'soon', 'soon-too', 'tomorrow', 'undated'])
  })

  test('tells who gets what when: by number in any form, sender and text', () => {
    expect(ids({ text: '491711234' })).toEqual(['tomorrow'])
    expect(ids({ text: '0049 171' })).toEqual(['tomorrow'])
    expect(ids({ text: 'acme' })).toEqual(['soon'])
    expect(ids({ text: 'dear' })).toEqual(['tomorrow'])
    expect(narrow(items, { ...all, text: 'dear' }, nowMs).counts).toEqual({
      coming: 1,
      overdue: 0,
      over: 0,
      all: 1,
    })
  })

  test('counts days and hours, and is narrowed by them', () => {
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

describe('a reading', () => {
  const kept = [entry('a', 1), entry('b', 2)]
  const clientOf = (streams: ScheduledStep[][]) =>
    ({ scheduled: { read: () => Promise.resolve(stepsOf(streams.shift() ?? [])) } }) as never
  const keptStep = (): ScheduledStep => ({
    kind: 'kept',
    items: kept,
    reading: aReading(kept, 60_000),
    isLast: true,
  })

  test('shows the last answer at once, then what the pages bring, then what is gone no more', async () => {
    const reading = createScheduledReading(
      clientOf([
        [
          keptStep(),
          {
            kind: 'page',
            items: [entry('b', 2, 'sent'), entry('c', 3)],
            pagesDone: 1,
            pagesTotal: 1,
            total: 2,
            sweep: 1,
          },
          { kind: 'done', reading: aReading([1, 2] as never), gone: ['a'] },
        ],
      ]),
    )
    await reading.refresh()
    expect(reading.state.value).toMatchObject({ phase: 'ready', error: null, progress: null })
    expect(reading.state.value.items.map(({ id, status }) => [id, status])).toEqual([
      ['b', 'sent'],
      ['c', 'pending'],
    ])
  })

  test('that fails keeps the last answer with its age', async () => {
    const error = { code: 'SERVICE_UNREACHABLE', text: 'no', retryable: true, data: {} }
    const reading = createScheduledReading(clientOf([[keptStep(), { kind: 'failed', error }]]))
    await reading.refresh()
    expect(reading.state.value).toMatchObject({ phase: 'failed', error, reading: { loaded: 2 } })
    expect(reading.state.value.items).toHaveLength(2)
  })

  test('that finds the last answer fresh shows that answer alone: what another window saw leave is gone here too', async () => {
    const streams: ScheduledStep[][] = [
      [
        {
          kind: 'page',
          items: [entry('sent-since', -5), ...kept],
          pagesDone: 1,
          pagesTotal: 1,
          total: 3,
          sweep: 1,
        },
        { kind: 'done', reading: aReading([1, 2, 3] as never), gone: [] },
      ],
      [keptStep(), { kind: 'fresh', reading: aReading(kept) }],
    ]
    const reading = createScheduledReading(clientOf(streams))
    await reading.refresh()
    expect(reading.state.value.items.map(({ id }) => id)).toContain('sent-since')
    await reading.refresh()
    expect(reading.state.value.items.map(({ id }) => id)).toEqual(kept.map(({ id }) => id))
  })

  test('is one at a time', async () => {
    const streams = [[keptStep(), { kind: 'fresh', reading: aReading(kept) } as ScheduledStep]]
    const reading = createScheduledReading(clientOf(streams))
    await Promise.all([reading.refresh(), reading.refresh()])
    expect(reading.state.value.phase).toBe('ready')
    expect(streams).toHaveLength(0)
  })
})

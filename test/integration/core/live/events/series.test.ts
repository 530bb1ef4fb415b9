import { beforeEach, describe, expect, it } from 'vitest'
import { dlr, type EventsFixture, mo, openEventsFixture, searchAll } from './events-fixture.ts'

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const series = (fromMs: number, toMs: number, bucketMs: number) =>
  fixture.service.series({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    bucketMs,
  })

const total = (lines: { counts: number[] }[]) =>
  lines.flatMap((line) => line.counts).reduce((sum, count) => sum + count, 0)

describe('a series', () => {
  it('adds up to the stored events at every width, zero-filled and aligned to the clock', async () => {
    const startMs = fixture.clock.now()
    for (let round = 0; round < 30; round++) {
      await fixture.deliver([
        dlr(`m-${round}`, 'submitted'),
        dlr(`m-${round}`, 'submitted'),
        dlr(`m-${round}`, round % 3 ? 'delivered' : 'failed'),
        ...(round % 5 ? [] : [mo(`in-${round}`, 'hi'), `odd ${round}`, dlr(`m-${round}`, 'buffered')]),
      ])
      await fixture.clock.advance(7_300)
    }
    const endMs = fixture.clock.now()
    const stored = (await searchAll(fixture)).length
    for (const bucketMs of [1_000, 5_000, 10_000, 60_000, 90_000, 300_000, 3_600_000, 86_400_000]) {
      const found = series(startMs, endMs, bucketMs)
      expect(total(found.lines), `${bucketMs} ms`).toBe(stored)
      const length = Math.ceil((endMs - Date.parse(found.from)) / bucketMs)
      expect(found.lines.every((line) => line.counts.length === length)).toBe(true)
      expect(Date.parse(found.from) % bucketMs).toBe(0)
    }
    const minutes = series(startMs, endMs, 60_000)
    expect(minutes.lines.map(({ name }) => name)).toEqual(
      'submitted delivered failed expired mo buffered quarantined'.split(' '),
    )
    for (const line of minutes.lines) {
      for (const [index, count] of line.counts.entries()) {
        const from = new Date(startMs + index * 60_000).toISOString()
        const to = new Date(startMs + (index + 1) * 60_000).toISOString()
        const rows = await searchAll(fixture, { from, to })
        expect(rows.filter((row) => (row.status ?? row.kind) === line.name)).toHaveLength(count)
      }
    }
  })

  it('of a number, a text or an error code has the events that a search finds', async () => {
    const startMs = fixture.clock.now()
    for (let round = 0; round < 12; round++) {
      await fixture.deliver([
        dlr(`m-${round}`, 'submitted', { destination: `+4917${round % 2}0000000` }),
        dlr(`m-${round}`, 'failed', { destination: `+4917${round % 2}0000000`, error_code: round % 3 }),
        mo(`in-${round}`, round % 4 ? 'hi' : 'stop it'),
      ])
      await fixture.clock.advance(7_300)
    }
    const endMs = fixture.clock.now()
    for (const filter of [{ number: '+49171' }, { text: 'stop' }, { text: 'M-1' }, { errorCodes: [2] }]) {
      const range = { from: new Date(startMs).toISOString(), to: new Date(endMs).toISOString() }
      const { lines } = await fixture.service.filteredSeries({ ...range, bucketMs: 10_000, filter })
      const rows = await searchAll(fixture, filter)
      expect(rows.length).toBeGreaterThan(0)
      expect(total(lines)).toBe(rows.length)
      for (const { name, counts } of lines)
        expect(total([{ counts }])).toBe(rows.filter((row) => (row.status ?? row.kind) === name).length)
    }
  })

  it('keeps its lines without data, also for a day in minutes from any starting minute', () => {
    const nowMs = fixture.clock.now() + 12_345
    const { lines } = series(nowMs - 86_400_000, nowMs, 60_000)
    expect(lines.map(({ name }) => name)).toEqual('submitted delivered failed expired mo'.split(' '))
    expect(lines[0]!.counts).toHaveLength(1_440)
    expect(total(lines)).toBe(0)
  })

  it('groups rare unknown statuses in one line', async () => {
    await fixture.deliver(Array.from({ length: 40 }, (_item, index) => dlr('m', `status-${index}`)))
    const nowMs = fixture.clock.now()
    const { lines } = series(nowMs - 1_000, nowMs + 1_000, 1_000)
    expect(lines).toHaveLength(5 + 8 + 1)
    expect(lines.at(-1)).toMatchObject({ name: 'other' })
    expect(total(lines)).toBe(40)
  })

  it.each([
    ['too many buckets', 0, 1_442_000, 1_000],
    ['a width of fractional seconds', 0, 60_000, 1_500],
    ['an end before its start', 60_000, 0, 1_000],
  ])('with %s is refused', (_name, fromMs, toMs, bucketMs) => {
    expect(() => series(fromMs, toMs, bucketMs)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  })
})

it('gaps come from the listener’s periods', async () => {
  const startMs = fixture.clock.now()
  fixture.journal.beginSpan(startMs, 8_787)
  for (let atMs = 0; atMs < 60_000; atMs += 10_000) fixture.journal.touch(startMs + atMs)
  fixture.journal.endSpan(startMs + 60_000, 'closed')
  await fixture.clock.advance(160_000)
  fixture.listening = false
  expect(fixture.service.gaps({ days: 7 }).gaps).toEqual([
    {
      from: new Date(startMs + 60_000).toISOString(),
      to: null,
      durationMs: 100_000,
      proven: true,
      reason: 'closed',
    },
  ])
  fixture.journal.beginSpan(fixture.clock.now(), 8_787)
  fixture.listening = true
  await fixture.clock.advance(5_000)
  expect(fixture.service.gaps({ days: 7 }).gaps).toMatchObject([
    { to: new Date(startMs + 160_000).toISOString(), durationMs: 100_000 },
  ])
  await fixture.clock.advance(2 * 86_400_000)
  fixture.journal.touch(fixture.clock.now())
  expect(fixture.service.gaps({ days: 1 }).gaps).toMatchObject([{ reason: 'suspended' }])
})

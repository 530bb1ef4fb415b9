import { beforeEach, expect, it } from 'vitest'
import { createTalliesRepository } from '#electron/core/views/analytics/tallies.repository.ts'
import type { TallySubject } from '#electron/core/live/events/event-tallies.ts'
import { latencyBinsMs } from '#electron/core/live/events/latency-bins.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { dlr, dumpOf, type EventsFixture, mo, openEventsFixture } from './events-fixture.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

interface Report {
  message_id: string
  status: string
  error_code: number | null
  number: string | null
  service_time: string | null
  received_ms: number
}

const sums = (subject: TallySubject, fromMs = 0, toMs = 8.64e15) =>
  Object.fromEntries(
    createTalliesRepository(fixture.state())
      .sums(subject, fromMs, toMs)
      .map(({ name, count }) => [name, count]),
  )

/** The later status in this list wins, in any order of arrival. */
const statusesByRank = ['submitted', 'buffered', 'expired', 'failed', 'delivered']

const binOf = (latencyMs: number) => String(latencyBinsMs.findLast((fromMs) => fromMs <= latencyMs))

/** The same counts from the event rows, per whole message. */
function countedFromRows(grainMs: number): Record<string, number> {
  const counts: Record<string, number> = {}
  const add = (subject: string, ms: number, name: string) => {
    const key = `${subject} ${Math.floor(ms / grainMs) * grainMs} ${name}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  const reports = fixture
    .state()
    .prepare<[], Report>("SELECT * FROM events WHERE kind = 'dlr' ORDER BY seq")
    .all()
  for (const { error_code: code, received_ms: ms } of reports)
    if (code !== null) add('error', ms, String(code))
  for (const own of Map.groupBy(reports, (report) => report.message_id).values()) {
    const firstMs = Math.min(...own.map((report) => report.received_ms))
    const [furthest] = own.toSorted(
      (a, b) =>
        statusesByRank.indexOf(b.status) - statusesByRank.indexOf(a.status) ||
        Date.parse(b.service_time ?? '1970-01-01') - Date.parse(a.service_time ?? '1970-01-01') ||
        (b.status > a.status ? 1 : -1),
    )
    const timeOf = (status: string) => {
      const times = own.filter((report) => report.status === status).map((report) => report.received_ms)
      return times.length === 0 ? null : Math.min(...times)
    }
    const code = /^\+(1|44|49)/.exec(own.find((report) => report.number !== null)?.number ?? '')?.[1] ?? ''
    add('outcome', firstMs, furthest!.status)
    add('destination', firstMs, `${code} ${furthest!.status}`)
    const submittedMs = timeOf('submitted')
    const deliveredMs = timeOf('delivered')
    if (submittedMs !== null && deliveredMs !== null && deliveredMs >= submittedMs)
      add('latency', firstMs, binOf(deliveredMs - submittedMs))
  }
  return counts
}

const countedInTallies = (grainMs: number) =>
  Object.fromEntries(
    fixture
      .state()
      .prepare<[number], { key: string; count: number }>(
        "SELECT subject || ' ' || bucket_ms || ' ' || name AS key, count FROM tallies WHERE grain_ms = ?",
      )
      .all(grainMs)
      .map(({ key, count }) => [key, count]),
  )

/** Two days of traffic with duplicates, disorder, late reports, replaced unsigned ones, inbound and odd deliveries. */
async function deliverTraffic(): Promise<void> {
  const random = seededRandom(11)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const numbers = ['+4915112345678', '+442079460000', '+12025550123', 'short', null]
  for (let round = 0; round < 40; round++) {
    await fixture.clock.advance(Math.floor(random() * 2 * hourMs))
    const bodies = Array.from({ length: 30 }, () => {
      const number = Math.floor(random() * 200)
      if (random() < 0.05) return mo(`in-${number}`, 'hello')
      if (random() < 0.03) return `odd ${number}`
      return dlr(
        `m-${number}`,
        pick(['submitted', 'submitted', 'delivered', 'failed', 'buffered', 'expired']),
        {
          error_code: pick([null, null, 1, 2, 317]),
          destination: numbers[number % numbers.length],
          delivered_at: `2026-01-0${1 + (number % 9)}T09:00:00Z`,
        },
      )
    })
    await fixture.deliver(bodies, { verdict: random() < 0.2 ? 'unsigned' : 'signed' })
  }
}

it('tallies equal the event rows, by hour, day and parts of days, also after a rebuild from the journal', async () => {
  await deliverTraffic()
  for (const grainMs of [hourMs, dayMs]) {
    const expected = countedFromRows(grainMs)
    expect(Object.keys(expected).length).toBeGreaterThan(grainMs === dayMs ? 20 : 100)
    expect(countedInTallies(grainMs)).toEqual(expected)
  }
  const hours = Object.entries(countedInTallies(hourMs))
  const nowMs = Math.ceil(fixture.clock.now() / hourMs) * hourMs
  for (const [back, length] of [
    [2, 1],
    [30, 29],
    [60, 55],
    [49, 24],
    [26, 2],
    [40, 5],
  ] as const) {
    const fromMs = nowMs - back * hourMs
    const toMs = fromMs + length * hourMs
    const expected: Record<string, number> = {}
    for (const [key, count] of hours) {
      const [subject, bucket, ...words] = key.split(' ')
      if (subject !== 'destination' || Number(bucket) < fromMs || Number(bucket) >= toMs) continue
      const name = words.join(' ')
      expected[name] = (expected[name] ?? 0) + count
    }
    expect(sums('destination', fromMs, toMs)).toEqual(expected)
  }
  const before = dumpOf(fixture)
  expect(before['copies']!.length).toBeGreaterThan(100)
  await fixture.projector.rebuild()
  expect(dumpOf(fixture)).toEqual(before)
})

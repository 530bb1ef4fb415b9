import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalAnalytics } from '#electron/core/views/analytics/local-analytics.ts'
import { createTalliesRepository } from '#electron/core/views/analytics/tallies.repository.ts'
import { createEventsRepository } from '#electron/core/live/events/events.repository.ts'
import { createEventsService } from '#electron/core/live/events/events.service.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog } from '#electron/lib/log.ts'
import type { BenchResult } from './bench-result.ts'
import { dayMs, endMs, fillEvents, hourMs, reports } from './events/stored-events.ts'
import { median, percentile } from './figures.ts'

/**
 * Local analytics of 30 days by hour, with the previous 30 days, over five million stored events of 60 days. Compared with the same
 * arrivals by GROUP BY over the rows.
 */
const events = Number(process.env['ANALYTICS_EVENTS'] ?? 5_000_000)
const rounds = 60
const plainRounds = 3

function timed<T>(times: number, work: () => T): { answer: T; tookMs: number[] } {
  let answer = work()
  const tookMs = Array.from({ length: times }, () => {
    const startedMs = performance.now()
    answer = work()
    return performance.now() - startedMs
  })
  return { answer, tookMs }
}

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-analytics-'))
  const log = createLog(() => {}, 'bench', Date.now)
  const opened = openDatabase({ file: join(folder, 'state.db'), schema: 'state', log, now: Date.now })
  try {
    const { db } = opened
    db.pragma('synchronous = OFF')
    const sumsUs = fillEvents(db, reports(events))
    const clock = { ...systemClock, now: () => endMs }
    const service = createEventsService({
      repository: createEventsRepository(db),
      missed: { since: () => [] },
      journal: {
        read: () => null,
        spans: () => [],
        relays: () => ({ periods: [], losses: [] }),
        lastSeq: () => events,
      },
      projector: {
        state: () => ({ watermark: events, storedTotal: events }),
        onProjected: () => () => {},
      },
      clock,
      firstFailure: () => null,
      readsRelay: () => false,
      listening: () => 'yes',
    })
    const local = createLocalAnalytics({ tallies: createTalliesRepository(db), events: service, clock })
    const spanOf = (periodsBack: number) => ({
      from: new Date(endMs - (periodsBack + 1) * 30 * dayMs).toISOString(),
      to: new Date(endMs - periodsBack * 30 * dayMs).toISOString(),
      bucketMs: hourMs,
    })
    const one = timed(rounds, () => local(spanOf(0)))
    const both = timed(rounds, () => [local(spanOf(0)), local(spanOf(1))])

    const groupBy = db.prepare<[number, number], { hour: number; status: string; count: number }>(
      `SELECT received_ms / ${hourMs} AS hour, status, count(*) AS count FROM events NOT INDEXED
       WHERE received_ms >= ? AND received_ms < ? GROUP BY 1, 2`,
    )
    const plain = timed(plainRounds, () => groupBy.all(endMs - 30 * dayMs, endMs))
    checkSame(one.answer, plain.answer)

    const ms = (value: number) => `${value.toFixed(1)} ms`
    return {
      name: `Local analytics over ${events.toLocaleString('en')} stored events (${Math.round(statSync(opened.file).size / 2 ** 20)} MiB)`,
      lines: [
        `30 days by hour, all figures of the page: ${ms(median(one.tookMs))} median, ${ms(percentile(one.tookMs, 0.99))} p99`,
        `with the previous 30 days: ${ms(median(both.tookMs))} median, ${ms(percentile(both.tookMs, 0.99))} p99`,
        `arrivals only, GROUP BY over the rows: ${ms(median(plain.tookMs))} median`,
        `updating all sums for a new event: ${sumsUs.toFixed(1)} µs`,
      ],
      targets: [
        {
          name: '30 days with the previous 30, p99, ms',
          value: percentile(both.tookMs, 0.99),
          bound: { below: 100 },
        },
        {
          name: '30 days, relative to GROUP BY of its arrivals',
          value: median(one.tookMs) / median(plain.tookMs),
          bound: { below: 0.1 },
        },
      ],
    }
  } finally {
    opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Throws if the sums differ from the rows. */
function checkSame(
  { series, outcomes: found }: ReturnType<ReturnType<typeof createLocalAnalytics>>,
  rows: readonly { hour: number; status: string; count: number }[],
): void {
  const firstHour = Date.parse(series.from) / hourMs
  const lines = new Map(series.lines.map(({ name, counts }) => [name, counts]))
  for (const { hour, status, count } of rows)
    if (lines.get(status)?.[hour - firstHour] !== count)
      throw new Error(
        `hour ${hour} has ${count} ${status}, the sums say ${lines.get(status)?.[hour - firstHour]}`,
      )
  const submitted = rows.reduce((sum, { status, count }) => sum + (status === 'submitted' ? count : 0), 0)
  const messages = found.reduce((sum, { count }) => sum + count, 0)
  if (messages !== submitted) throw new Error(`${messages} messages, but ${submitted} were submitted`)
}

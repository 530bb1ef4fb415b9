import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventFilter } from '#contract/live/events.ts'
import { createEventsRepository } from '#electron/core/live/events/events.repository.ts'
import { createEventsService } from '#electron/core/live/events/events.service.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog } from '#electron/lib/log.ts'
import { seededRandom } from '#electron/lib/random.ts'
import type { BenchResult } from './bench-result.ts'
import { dayMs, endMs, fillEvents, reports, type StoredEvent } from './events/stored-events.ts'
import { median, percentile } from './figures.ts'

/**
 * The first answer to a filter over five million stored events, one in twenty inbound, and the time until a row scan completes. Compared
 * with plain SQL LIKE over the same rows. Each search is new, so no count is cached.
 */
const events = Number(process.env['EVENTS_EVENTS'] ?? 5_000_000)
const rounds = 40
const pageSize = 200
/** Like the page: an unfinished answer says how far it came, and the page continues. */
const patienceMs = 60

const words = [
  'hello',
  'thanks',
  'yes',
  'please',
  'order',
  'parcel',
  'tomorrow',
  'invoice',
  'address',
  'call',
]

function* withInbound(): Generator<StoredEvent> {
  const random = seededRandom(41)
  const word = () => words[Math.floor(random() * random() * words.length)]!
  for (const event of reports(events)) {
    if (event.seq % 20 !== 0) yield event
    else {
      const content =
        event.seq === 200_000 ? 'the only zebra' : `${word()} ${word()} ${word()} ${event.seq % 977}`
      yield { ...event, kind: 'mo', messageId: `in-${event.seq}`, status: null, errorCode: null, content }
    }
  }
}

/** Typical filters, each varied per round. */
const indexed: Record<string, (round: number) => EventFilter> = {
  'no filter': () => ({}),
  'a status': () => ({ statuses: ['failed'] }),
  'an error code': (round) => ({ errorCodes: [1 + (round % 12)] }),
  'inbound messages': () => ({ kinds: ['mo'] }),
  'a day': (round) => ({
    from: new Date(endMs - (round + 2) * dayMs).toISOString(),
    to: new Date(endMs - (round + 1) * dayMs).toISOString(),
  }),
  'a status on one day': (round) => ({
    statuses: ['expired'],
    from: new Date(endMs - (round + 2) * dayMs).toISOString(),
    to: new Date(endMs - (round + 1) * dayMs).toISOString(),
  }),
}
const scanned: Record<string, (round: number) => EventFilter> = {
  'a common text': (round) => ({ text: words[round % 4]! }),
  'the start of numbers': (round) => ({ number: `+4420710${round % 10}` }),
  'part of numbers': (round) => ({ number: String(7_310 + round) }),
  'a rare message id': (round) => ({ text: `m-${(200_000 + round * 4_001).toString(36)}` }),
  'a text in one event': () => ({ text: 'zebra' }),
  'a text without matches': (round) => ({ text: `nowhere${round}` }),
}

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-events-'))
  const log = createLog(() => {}, 'bench', Date.now)
  const opened = openDatabase({ file: join(folder, 'state.db'), schema: 'state', log, now: Date.now })
  try {
    const { db } = opened
    db.pragma('synchronous = OFF')
    fillEvents(db, withInbound())
    const repository = createEventsRepository(db)
    const serviceOf = () =>
      createEventsService({
        repository,
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
        clock: systemClock,
        firstFailure: () => null,
        readsRelay: () => false,
        listening: () => 'yes',
      })
    const lines: string[] = []
    const measure = async (name: string, filterOf: (round: number) => EventFilter, times: number) => {
      const tookMs: number[] = []
      for (let round = 0; round < times; round++) {
        const service = serviceOf()
        const startedMs = performance.now()
        await service.search({ filter: filterOf(round), limit: pageSize, patienceMs })

        tookMs.push(performance.now() - startedMs)
      }
      lines.push(
        `${name}: ${median(tookMs).toFixed(1)} ms median, ${percentile(tookMs, 0.99).toFixed(1)} ms p99`,
      )
      return tookMs
    }
    const byIndex: number[] = []
    for (const [name, filterOf] of Object.entries(indexed)) {
      // The first one reads from disk.
      await measure(`${name}, first`, filterOf, 1)
      byIndex.push(...(await measure(name, filterOf, rounds)))
    }
    const byScan: number[] = []
    for (const [name, filterOf] of Object.entries(scanned)) {
      byScan.push(...(await measure(name, filterOf, rounds)))
      const startedMs = performance.now()
      const { items } = await serviceOf().search({ filter: filterOf(0), limit: pageSize })
      const tookMs = performance.now() - startedMs
      lines.push(`  until all rows are searched and counted: ${tookMs.toFixed(0)} ms, ${items.length} shown`)
    }

    const like = db.prepare<{ text: string }, unknown>(
      'SELECT seq FROM events WHERE content LIKE :text OR message_id LIKE :text ORDER BY seq DESC LIMIT 100',
    )
    const startedMs = performance.now()
    like.all({ text: '%nowhere%' })
    lines.push(`plain SQL LIKE for a text without matches: ${(performance.now() - startedMs).toFixed(0)} ms`)
    return {
      name: `First answer to a filter over ${events.toLocaleString('en')} stored events (${Math.round(statSync(opened.file).size / 2 ** 20)} MiB)`,
      lines,
      targets: [
        { name: 'filters with an index, p99, ms', value: percentile(byIndex, 0.99), bound: { below: 50 } },
        {
          name: 'filters that scan rows, p99, ms',
          value: percentile(byScan, 0.99),
          bound: { below: 100 },
        },
      ],
    }
  } finally {
    opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

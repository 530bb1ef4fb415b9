import { expect, test } from 'vitest'
import { createSentCounts } from '#electron/core/connection/alarms/sent-counts.ts'

const quiet = { isDue: false, quietMs: 10 * 60_000 }

test('counts template messages, and those on the dashboard, once a report of one came', async () => {
  let sends = { total: 2, newestIds: ['m-1', 'm-2'] }
  let reported: string | null = null
  const counts = createSentCounts({
    client: { dashboard: { get: () => Promise.resolve({ messagesToday: 2_000 } as never) } },
    campaigns: { lastReading: () => null },
    outbox: { sends: () => sends },
    events: { repository: { messageStatus: (id) => (id === reported ? ({} as never) : null) } },
  })
  const sources = async (atMs: number) => {
    counts.at(atMs)
    await counts.ask(atMs, quiet)
    return counts.at(atMs).map(({ source, count }) => `${source} ${count}`)
  }
  expect(await sources(0)).toEqual(['campaigns 0'])
  reported = 'm-1'
  expect(await sources(10_000)).toEqual(['campaigns 0', 'own 2', 'dashboard 2000'])
  sends = { total: 52, newestIds: ['m-52'] }
  expect(await sources(20_000)).toEqual(['campaigns 0', 'own 52', 'dashboard 2000'])
})

import { expect, onTestFinished, test } from 'vitest'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { AppError } from '#contract/errors.ts'
import { createCampaignRecords } from '#electron/core/views/campaigns/campaign-records.ts'
import { createCampaignWatch } from '#electron/core/views/campaigns/campaign-watch.ts'
import { createPauseReceipts } from '#electron/core/views/campaigns/pause-receipts.ts'
import { createReceiptsRepository } from '#electron/core/views/campaigns/receipts.repository.ts'
import { createSnapshotsRepository } from '#electron/core/views/campaigns/snapshots.repository.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const unused = { pausedForMs: 0, usedByUs: 0, usedByOthers: 0, resetInMs: 0 }
const queued = { operator: 0, live: 0, bulk: 0 }
const budget = { limitPerMinute: 200, remaining: 200, windowKind: 'sliding' as const, queued, ...unused }
const one = (id: string, of: Partial<Campaign> = {}): Campaign => ({
  ...ordinaryCampaigns()[0]!,
  id: id as CampaignId,
  status: 'running',
  ...of,
})

/** A watch over a service whose lists and single records are `list` and `get`; each may take its time. */
function startWatch(service: {
  list: (page: number) => Promise<{ items: Campaign[]; total: number; unreadable?: number }>
  get?: (id: string) => Promise<Campaign>
}) {
  const clock = createFakeClock()
  const db = openState()
  const snapshots = createSnapshotsRepository(db)
  const receipts = createPauseReceipts(createReceiptsRepository(db))
  const records = createCampaignRecords({
    snapshots,
    receipts,
    clock,
    log: quietLog,
  })
  const asked: string[] = []
  const create = () =>
    createCampaignWatch({
      client: {
        budget: { snapshot: () => budget, onChange: () => () => {}, estimateMs: () => 0, setTeam() {} },
        campaigns: {
          async list({ page = 1, perPage = 20 }) {
            asked.push(`list ${page}`)
            return { ...(await service.list(page)), page, perPage }
          },
          get(id) {
            asked.push(id)
            return service.get?.(id) ?? Promise.reject(new AppError('SERVICE_NOT_FOUND'))
          },
          pause: () => Promise.reject(new AppError('INTERNAL')),
        },
      },
      snapshots,
      receipts,
      records,
      guarded: () => false,
      onRound: () => Promise.resolve(),
      clock,
      log: quietLog,
    })
  const watch = create()
  const start = () => onTestFinished(watch.start())
  return { clock, watch, records, receipts, snapshots, asked, start, startAgain: create }
}

/** A reading that waits for its answer while, a second later, another request is sent at `askedMs`. */
async function startReading() {
  const { promise, resolve: answer } = Promise.withResolvers<{ items: Campaign[]; total: number }>()
  const started = startWatch({ list: () => promise })
  const reading = started.watch.readRunning({ lane: 'operator' })
  await started.clock.advance(1_000)
  const askedMs = started.clock.now()
  await started.clock.advance(500)
  return { ...started, answer, reading, askedMs }
}

test('keeps a campaign paused when a reading from before the pause arrives after it', async () => {
  const { clock, watch, records, answer, reading, askedMs } = await startReading()
  records.note([one('c-1', { status: 'paused' })], askedMs)
  await clock.advance(500)
  answer({ items: [one('c-1'), one('c-2')], total: 2 })
  expect((await reading).items.map(({ id }) => id)).toEqual(['c-2'])
  expect(watch.last()?.items.map(({ id }) => id)).toEqual(['c-2'])
})

test('takes a confirmed pause although an older list was answered in between', async () => {
  const { clock, watch, records, answer, reading, askedMs } = await startReading()
  answer({ items: [one('c-1')], total: 1 })
  await reading
  await clock.advance(500)
  records.note([one('c-1', { status: 'paused' })], askedMs)
  expect(records.get('c-1')?.campaign.status).toBe('paused')
  expect(watch.last()?.items).toEqual([])
})

test('calls a list incomplete if its total changed between pages', async () => {
  const all = Array.from({ length: 150 }, (_item, at) => one(`c-${at}`))
  const { watch, startAgain } = startWatch({
    list: (page) => {
      // The first campaign ends after the first page: what was the 101st is now the 100th.
      const now = page === 1 ? all : all.slice(1)
      return Promise.resolve({ items: now.slice((page - 1) * 100, page * 100), total: now.length })
    },
  })
  const { items, complete } = await watch.readRunning({ lane: 'operator' })
  expect(items).toHaveLength(149)
  expect(complete).toBe(false)
  expect(startAgain().lastEver()).toMatchObject({ complete: false })
})

test('calls a list incomplete if one of its campaigns can’t be read', async () => {
  const { watch } = startWatch({
    list: () => Promise.resolve({ items: [one('c-1')], total: 2, unreadable: 1 }),
  })
  expect(await watch.readRunning({ lane: 'operator' })).toMatchObject({ complete: false })
})

test('ends receipts of campaigns that can’t be read, and reads the others', async () => {
  const { clock, watch, receipts, asked, start } = startWatch({
    list: () => Promise.resolve({ items: [], total: 0 }),
    get: (id) =>
      id === 'c-6'
        ? Promise.resolve(one(id, { status: 'paused' }))
        : Promise.reject(new AppError(id === 'c-1' ? 'SERVICE_NOT_FOUND' : 'BAD_ANSWER')),
  })
  for (const id of ['c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-6'])
    receipts.sending(one(id), 'operator', clock.now())
  start()
  for (let turn = 0; turn < 3; turn++) await clock.advance(5_000)
  expect(asked).toContain('c-6')
  expect(receipts.of('c-1', 1)[0]).toMatchObject({ state: 'not-read', endedAt: expect.any(String) })
  for (let turn = 0; turn < 60; turn++) await clock.advance(60_000)
  expect(receipts.open()).toEqual([])
  expect(watch.state().because).toBe('in-background')
})

test('reads a long list less often, to save requests', async () => {
  // A service that ignores the filter and has many campaigns.
  const rows = (page: number) =>
    Array.from({ length: 100 }, (_item, at) => one(`c-${page}-${at}`, { status: 'completed' }))
  const { clock, watch, asked, start } = startWatch({
    list: (page) => Promise.resolve({ items: rows(page), total: 5_000 }),
  })
  start()
  watch.pageAsked()
  for (let second = 0; second < 120; second++) {
    watch.pageAsked()
    await clock.advance(1_000)
  }
  expect(asked.length).toBeLessThanOrEqual(2 * 30 + 10)
  expect(watch.state().because).toBe('long-list')
})

test('continues after the clock was set back', async () => {
  const { clock, records, snapshots, receipts } = startWatch({
    list: () => Promise.resolve({ items: [], total: 0 }),
  })
  const hourMs = 3_600_000
  const ahead = clock.now() + hourMs
  snapshots.note([one('c-1', { sentCount: 900 })], ahead)
  receipts.sending(one('c-2'), 'operator', ahead)
  records.note([one('c-1', { sentCount: 10 }), one('c-2', { status: 'paused' })], clock.now())
  expect(records.get('c-1')).toMatchObject({ campaign: { sentCount: 10 }, readMs: clock.now() })
  expect(records.motion('c-1').readAtMs).toBe(clock.now())
  expect(receipts.of('c-2', 1)[0]?.state).toBe('reading')
})

test('measures a stall as far back as a rule needs, although the failed count moves', async () => {
  const { clock, records } = startWatch({ list: () => Promise.resolve({ items: [], total: 0 }) })
  const minuteMs = 60_000
  for (let minute = 0; minute <= 90; minute++) {
    records.note([one('c-1', { sentCount: 500, failedCount: minute })], clock.now())
    if (minute < 90) await clock.advance(minuteMs)
  }
  expect(records.motion('c-1', 60 * minuteMs).stillMs).toBeGreaterThanOrEqual(60 * minuteMs)
})

test('a reading is fresh for its period, and not after a failure', async () => {
  let isDown = false
  const { clock, watch, start } = startWatch({
    list: () =>
      isDown
        ? Promise.reject(new AppError('SERVICE_TIMEOUT'))
        : Promise.resolve({ items: [one('c-1')], total: 1 }),
  })
  expect(watch.fresh()).toBeNull()
  await watch.readRunning({ lane: 'operator' })
  expect(watch.fresh()?.items).toHaveLength(1)
  // As over a sleep: nothing reads.
  await clock.advance(watch.state().periodMs)
  expect(watch.fresh()).toBeNull()
  start()
  await clock.advance(60_000)
  expect(watch.fresh()?.items).toHaveLength(1)
  isDown = true
  watch.readNow()
  await clock.advance(0)
  expect(watch.fresh()).toBeNull()
})

test('forgets why it failed once the service answers again', async () => {
  const { clock, watch, start } = startWatch({ list: () => Promise.reject(new AppError('SERVICE_TIMEOUT')) })
  start()
  await clock.advance(60_000)
  expect(watch.state().problem?.code).toBe('SERVICE_TIMEOUT')
  watch.forgetProblem()
  expect(watch.state().problem).toBeNull()
})

import { expect, test } from 'vitest'
import type { Campaign } from '#contract/domain.ts'
import { createCampaignRecords } from '#electron/core/views/campaigns/campaign-records.ts'
import { createSnapshotsRepository } from '#electron/core/views/campaigns/snapshots.repository.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const [first, second] = ordinaryCampaigns().slice(0, 2) as [Campaign, Campaign]

function open() {
  const clock = createFakeClock()
  const snapshots = createSnapshotsRepository(openState())
  const openRecords = () =>
    createCampaignRecords({
      snapshots,
      receipts: { read: () => {} },
      clock,
      log: quietLog,
    })
  return { clock, snapshots, openRecords, records: openRecords() }
}
type Records = ReturnType<typeof open>['records']

/** What a page receives from now on, as `id status`. */
async function listen({ clock, records }: { clock: ReturnType<typeof open>['clock']; records: Records }) {
  const stream = records.watch(AbortSignal.timeout(60_000))
  expect((await stream.next()).value).toEqual([])
  return async () => {
    const next = stream.next()
    await clock.advance(60_000)
    return (await next).value!.map(({ campaign }: { campaign: Campaign }) => [campaign.id, campaign.status])
  }
}

test('ignores an answer requested before the known one, for pages, the database and the stream', async () => {
  const { clock, snapshots, records, openRecords } = open()
  records.note([first], clock.now())
  await clock.advance(1_000)
  const news = await listen({ clock, records })
  const askedMs = clock.now()
  await clock.advance(100)
  const paused = { ...first, status: 'paused' }
  records.note([paused], askedMs)
  const readMs = clock.now()
  await clock.advance(100)
  records.note([{ ...paused, sentCount: 1 }], askedMs - 50)
  // Also over a restart.
  for (const each of [records, openRecords()])
    expect(each.get(first.id)).toEqual({ campaign: paused, readMs })
  expect(snapshots.record(first.id)?.campaign).toEqual(paused)
  expect(await news()).toEqual([[first.id, 'paused']])
})

test('does not restart a paused campaign from a request sent at the same time', async () => {
  const { clock, records } = open()
  const askedMs = clock.now()
  await clock.advance(100)
  records.note([{ ...first, status: 'paused' }], askedMs)
  await clock.advance(100)
  records.note([first], askedMs + 50)
  expect(records.get(first.id)?.campaign.status).toBe('paused')
})

test('does not restart a paused campaign by an older copy, unless it stays', async () => {
  const { clock, records } = open()
  const paused = { ...first, status: 'paused', updatedAt: '2026-01-05T09:00:01.000Z' }
  records.note([paused], clock.now())
  for (const [afterMs, status] of [
    [5_000, 'paused'],
    [60_000, 'running'],
  ] as const) {
    await clock.advance(afterMs)
    records.note([{ ...first, updatedAt: '2026-01-05T09:00:00.000Z' }], clock.now())
    expect(records.get(first.id)?.campaign.status).toBe(status)
  }
})

test('puts newer records into an older page', async () => {
  const { clock, records } = open()
  const page = [first, second]
  records.note(page, clock.now())
  const asOfMs = clock.now()
  await clock.advance(1_000)
  records.note([{ ...first, sentCount: 90_000 }], clock.now())
  expect(records.latest(page, asOfMs).map(({ sentCount }) => sentCount)).toEqual([90_000, second.sentCount])
  expect(records.latest(page, clock.now() + 1)).toEqual(page)
})

test('tells pages of a touched campaign, and with null of all running ones', async () => {
  const { clock, records } = open()
  const ended = { ...second, status: 'completed' }
  records.note([first, ended], clock.now())
  const news = await listen({ clock, records })
  records.touch(ended.id)
  expect(await news()).toEqual([[ended.id, 'completed']])
  records.touch(null)
  expect(await news()).toEqual([[first.id, 'running']])
})

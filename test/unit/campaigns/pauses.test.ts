import { expect, test } from 'vitest'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { createPauseAll } from '#electron/core/views/campaigns/pause-all.ts'
import { createPauseCampaign } from '#electron/core/views/campaigns/pause-campaign.ts'
import { createPauseReceipts } from '#electron/core/views/campaigns/pause-receipts.ts'
import { createReceiptsRepository } from '#electron/core/views/campaigns/receipts.repository.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { ordinaryCampaigns } from '../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const campaign = { ...ordinaryCampaigns()[0]!, status: 'running', sentCount: 90 }

test('what went out between the answer to a pause and the reading after it is told as of that time', async () => {
  const clock = createFakeClock()
  const receipts = createPauseReceipts(createReceiptsRepository(openState()))
  const after = async <T>(value: T, ms: number) => {
    await clock.advance(ms)
    return value
  }
  const reads = [campaign, { ...campaign, status: 'paused', sentCount: 130 }]
  const { pause } = createPauseCampaign({
    client: {
      campaigns: {
        list: () => Promise.reject(new Error('not asked')),
        get: () => after(reads.shift()!, 1_000),
        pause(_id, { onSend }) {
          onSend?.()
          return after({ ...campaign, status: 'paused', sentCount: 100 }, 1_000)
        },
      },
    },
    receipts,
    onRead: (read, askedMs) => receipts.read(read, askedMs, clock.now()),
    onPaused: () => {},
    clock,
  })
  const beganMs = clock.now()
  await pause(campaign.id, 'operator')
  expect(receipts.of(campaign.id, 1)).toMatchObject([
    {
      sentBefore: 90,
      sentAtPause: 100,
      sentLast: 130,
      pausedAt: new Date(beganMs + 2_000).toISOString(),
      movedAfter: new Date(beganMs + 2_000).toISOString(),
      movedUntil: new Date(beganMs + 3_000).toISOString(),
    },
  ])
})

test('pausing all asks about a campaign that the list, which moved while it was read, passed over', async () => {
  const clock = createFakeClock()
  const asked: CampaignId[] = []
  const all = createPauseAll({
    readRunning: () =>
      Promise.resolve({ items: [], askedMs: clock.now(), atMs: clock.now(), complete: true }),
    known: (): Campaign => campaign,
    pause(id) {
      asked.push(id)
      return Promise.resolve({ campaign: { ...campaign, status: 'paused' }, sentBefore: 90 })
    },
    clock,
    log: quietLog,
  })
  await all.start([campaign.id])
  await all.settled()
  expect(asked).toEqual([campaign.id])
  expect(all.last()?.items).toMatchObject([{ id: campaign.id, state: 'paused' }])
})

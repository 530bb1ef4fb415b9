import { expect, test } from 'vitest'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { createPauseAll } from '#electron/core/views/campaigns/pause-all.ts'
import { createPauseCampaign } from '#electron/core/views/campaigns/pause-campaign.ts'
import { createPauseReceipts } from '#electron/core/views/campaigns/pause-receipts.ts'
import { createReceiptsRepository } from '#electron/core/views/campaigns/receipts.repository.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const campaign = { ...ordinaryCampaigns()[0]!, status: 'running', sentCount: 90 }

test('returns a receipt with what was sent between the answer and the reading after it', async () => {
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
    records: { note: ([read], askedMs) => receipts.read(read!, askedMs, clock.now()) },
    onPaused: () => {},
    clock,
  })
  const beganMs = clock.now()
  const { receipt } = await pause(campaign.id, 'operator')
  expect([receipt]).toEqual(receipts.of(campaign.id, 1))
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

test('Pause all also pauses a campaign missing from a list that changed while it was read', async () => {
  const clock = createFakeClock()
  const asked: CampaignId[] = []
  const all = createPauseAll({
    readRunning: () => Promise.resolve({ items: [], atMs: clock.now(), complete: true }),
    known: (): Campaign => campaign,
    pause(id) {
      asked.push(id)
      return Promise.resolve({ campaign: { ...campaign, status: 'paused' }, receipt: null })
    },
    clock,
    log: quietLog,
  })
  await all.start([campaign.id])
  await all.settled()
  expect(asked).toEqual([campaign.id])
  expect(all.last()?.items).toMatchObject([{ id: campaign.id, state: 'paused' }])
})

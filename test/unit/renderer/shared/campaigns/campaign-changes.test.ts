import { expect, test } from 'vitest'
import { withChanges } from '../../../../../renderer/src/shared/campaigns/use-campaigns.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { motionFor } from '../../../../helpers/scripted/campaigns.ts'

const all = ordinaryCampaigns()
const page = { items: all, motions: all.slice(0, 3).map(motionFor) }
const readAt = '2026-11-20T12:00:00.000Z'

test('puts newer records and motions into their rows', () => {
  const campaign = { ...all[0]!, sentCount: 80_000 }
  const motion = { ...motionFor(campaign), ratePerMinute: 1 }
  const next = withChanges(page, [{ campaign, readAt, motion }])
  expect(next.items).toEqual([campaign, ...all.slice(1)])
  expect(next.motions.find(({ id }) => id === campaign.id)).toEqual(motion)
  expect(next.motions).toHaveLength(page.motions.length)
})

test('keeps a page unchanged if none of the campaigns is on it', () => {
  expect(withChanges(page, [{ campaign: { ...all[0]!, id: 'other' as never }, readAt }])).toBe(page)
})

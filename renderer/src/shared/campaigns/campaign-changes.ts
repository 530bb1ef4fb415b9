import type { CampaignMotion } from '#contract/views/campaigns.ts'
import type { Campaign } from '#contract/domain.ts'

/** A newer record, from the core's stream or a pause. */
export interface CampaignChange {
  campaign: Campaign
  readAt: string
  motion?: CampaignMotion
}

/** A page of the list with newer records in place; the same page if none is on it. */
export function withChanges<P extends { items: Campaign[]; motions: CampaignMotion[] }>(
  page: P,
  changes: readonly CampaignChange[],
): P {
  const newer = new Map(changes.map((change) => [change.campaign.id, change]))
  if (!page.items.some(({ id }) => newer.has(id))) return page
  const motions = new Map(page.motions.map((motion) => [motion.id, motion]))
  for (const { motion } of changes) if (motion) motions.set(motion.id, motion)
  return {
    ...page,
    items: page.items.map((campaign) => newer.get(campaign.id)?.campaign ?? campaign),
    motions: [...motions.values()],
  }
}

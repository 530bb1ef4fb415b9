import type { Campaign } from '#contract/domain.ts'
import type { Freshness } from '#contract/define.ts'

/** A record with its age. */
export interface AgedCampaign {
  campaign: Campaign
  freshness: Freshness
}

/** The record that was read later; the first if neither was. */
export function newerOf(a: AgedCampaign | null, b: AgedCampaign | null): AgedCampaign | null {
  if (a === null || b === null) return a ?? b
  return Date.parse(b.freshness.asOf) > Date.parse(a.freshness.asOf) ? b : a
}

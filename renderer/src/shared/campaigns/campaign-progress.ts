import type { Campaign } from '#contract/domain.ts'
import { formatCount, formatShare } from '../format/numbers.ts'

/** How far a campaign is, as far as the service says. Shares are of the whole bar, 0 to 1, and add up to at most 1. */
export interface CampaignProgress {
  sentShare: number
  failedShare: number
  /** `74,310 of 120,000 sent`; an em dash stands for a count the service left out. */
  sentText: string
  /** `812 failed (1.1 %)`, the share being of those sent or failed. Null when the service gives no failed count. */
  failedText: string | null
}

/**
 * The counts as a bar. The spec does not say whether a failed message also counts as sent: where both together exceed the
 * recipients it must, and the failed ones are then drawn as part of the sent.
 */
export function campaignProgress(
  campaign: Pick<Campaign, 'sentCount' | 'failedCount' | 'totalRecipients'>,
): CampaignProgress {
  const { sentCount, failedCount, totalRecipients } = campaign
  const sent = atLeastZero(sentCount)
  const failed = atLeastZero(failedCount)
  const total = atLeastZero(totalRecipients)
  const failedInSent = sent + failed > total
  const handled = failedInSent ? Math.max(sent, failed) : sent + failed
  const whole = Math.max(total, handled)
  return {
    sentShare: whole === 0 ? 0 : (handled - failed) / whole,
    failedShare: whole === 0 ? 0 : failed / whole,
    sentText: `${countOrDash(sentCount)} of ${countOrDash(totalRecipients)} sent`,
    failedText:
      failedCount === null
        ? null
        : `${formatCount(failedCount)} failed${failed > 0 ? ` (${formatShare(failed, handled)})` : ''}`,
  }
}

/** Recipients not handled yet, or null when the service's counts do not tell. */
export function remainingRecipients(
  campaign: Pick<Campaign, 'sentCount' | 'failedCount' | 'totalRecipients'>,
): number | null {
  const { sentCount, failedCount, totalRecipients } = campaign
  if (sentCount === null || totalRecipients === null) return null
  const apart = totalRecipients - sentCount - atLeastZero(failedCount)
  return apart >= 0 ? apart : Math.max(0, totalRecipients - sentCount)
}

/** A campaign as texts name it: its name, or its id where the service gave none. */
export function campaignTitle(campaign: Pick<Campaign, 'id' | 'name'>): string {
  return campaign.name === null || campaign.name.trim() === '' ? campaign.id : campaign.name
}

function atLeastZero(count: number | null): number {
  return Math.max(0, count ?? 0)
}

function countOrDash(count: number | null): string {
  return count === null ? '—' : formatCount(count)
}

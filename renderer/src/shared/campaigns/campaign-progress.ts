import type { Campaign } from '#contract/domain.ts'
import { formatCount, formatShare } from '../format/numbers.ts'

/** How far a campaign is, as far as the service says. Shares are of the whole bar, 0 to 1. */
export interface CampaignProgress {
  /** Sent of all recipients. */
  sentShare: number
  /** The failed part of the sent part: never more than it, and 0 where the counts do not allow a share. */
  failedShare: number
  /** `74,310 of 120,000 sent`; an em dash stands for a count the service left out. */
  sentText: string
  /** `812 failed (1.1%)`; without the share where there is none. Null when the service gives no failed count. */
  failedText: string | null
}

type Counts = Pick<Campaign, 'sentCount' | 'failedCount' | 'totalRecipients'>

/** What the share of failed ones is, for those who read it: the spec does not say what `sent_count` holds. */
export const failedShareMeaning =
  'failed as a share of sent; the service does not state whether failed ones are counted as sent'

/**
 * The counts as a bar and texts. The spec does not say whether a failed message also counts as sent, so one formula is used
 * everywhere: failed ÷ sent. Where nothing was sent, or more failed than were sent, there is no share.
 */
export function campaignProgress({ sentCount, failedCount, totalRecipients }: Counts): CampaignProgress {
  const sent = atLeastZero(sentCount)
  const failed = atLeastZero(failedCount)
  const total = atLeastZero(totalRecipients)
  const hasShare = sent > 0 && failed > 0 && failed <= sent
  const sentShare = total === 0 ? 0 : Math.min(1, sent / total)
  return {
    sentShare,
    failedShare: hasShare ? sentShare * (failed / sent) : 0,
    sentText: `${countOrDash(sentCount)} of ${countOrDash(totalRecipients)} sent`,
    failedText:
      failedCount === null
        ? null
        : `${formatCount(failedCount)} failed${hasShare ? ` (${formatShare(failed, sent)})` : ''}`,
  }
}

/** Recipients that were not sent to yet, at most; null when the service's counts do not tell or contradict each other. */
export function remainingRecipients({
  sentCount,
  totalRecipients,
}: Pick<Counts, 'sentCount' | 'totalRecipients'>): number | null {
  if (sentCount === null || totalRecipients === null) return null
  const left = totalRecipients - Math.max(0, sentCount)
  return left < 0 ? null : left
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

import type { Campaign } from '#contract/domain.ts'
import { formatCount, formatShare } from '../format/numbers.ts'
import { failureHint } from '../format/failures.ts'
import { t } from './campaigns.texts.ts'

/** Progress of a campaign. Shares are of the whole bar, 0 to 1. */
interface CampaignProgress {
  /** Sent of all recipients. */
  sentShare: number
  /** The failed part of the sent part; 0 if the counts give no share. */
  failedShare: number
  /** `74,310 of 120,000 sent`; an em dash for a missing count. */
  sentText: string
  /** The same without the word, for a column. */
  sentOfText: string
  /** `812 failed (1.1%)`; null without a failed count. */
  failedText: string | null
  /** Failed ÷ sent, 0 to 1; null if the counts give no share. */
  failureRate: number | null
}

type Counts = Pick<Campaign, 'sentCount' | 'failedCount' | 'totalRecipients'>

/**
 * The counts as a bar and texts. The spec doesn't say whether a failed message also counts as sent, so one formula is used everywhere:
 * failed ÷ sent. There is no share if nothing was sent, or if more failed than were sent.
 */
export function campaignProgress({ sentCount, failedCount, totalRecipients }: Counts): CampaignProgress {
  const sent = atLeastZero(sentCount)
  const failed = atLeastZero(failedCount)
  const total = atLeastZero(totalRecipients)
  const hasRate = failedCount !== null && sent > 0 && failed <= sent
  const hasShare = hasRate && failed > 0
  const sentShare = total === 0 ? 0 : Math.min(1, sent / total)
  const count = countOrDash(failedCount)
  const counts = { sent: countOrDash(sentCount), total: countOrDash(totalRecipients) }
  return {
    sentShare,
    failedShare: hasShare ? sentShare * (failed / sent) : 0,
    sentText: t('progress.sent', counts),
    sentOfText: t('progress.sentOf', counts),
    failedText:
      failedCount === null
        ? null
        : hasShare
          ? t('progress.failedShare', { count, share: formatShare(failed, sent) })
          : t('progress.failed', { count }),
    failureRate: hasRate ? failed / sent : null,
  }
}

/** Failed ÷ sent as `1.1%`, or the failed count without a share. Nothing failed of nothing is a dash. */
export function failureText(counts: Counts): string {
  const { failureRate } = campaignProgress(counts)
  return failureRate === null ? countOrDash(counts.failedCount || null) : formatShare(failureRate, 1)
}

/** The same with the failed count. */
export function failureTitle(counts: Counts): string {
  const { failedText } = campaignProgress(counts)
  return failedText === null ? failureHint() : `${failedText}. ${failureHint()}`
}

/** Recipients not sent to yet, at most; null if the counts are missing or contradict each other. */
export function remainingRecipients({
  sentCount,
  totalRecipients,
}: Pick<Counts, 'sentCount' | 'totalRecipients'>): number | null {
  if (sentCount === null || totalRecipients === null) return null
  const left = totalRecipients - Math.max(0, sentCount)
  return left < 0 ? null : left
}

/** A campaign's name, or its id if it has none. */
export function campaignTitle(campaign: Pick<Campaign, 'id' | 'name'>): string {
  return campaign.name === null || campaign.name.trim() === '' ? campaign.id : campaign.name
}

function atLeastZero(count: number | null): number {
  return Math.max(0, count ?? 0)
}

function countOrDash(count: number | null): string {
  return count === null ? '–' : formatCount(count)
}

import type { PauseReceipt } from '../../../contract/views/campaigns.ts'
import type { Campaign } from '../../../contract/domain.ts'
import {
  type CampaignBefore,
  type ReceiptsRepository,
  type StoredReceipt,
  toReceipt,
} from './receipts.repository.ts'

/** A count that did not move for this long has settled, given `settledReads`. */
export const settleMs = 180_000
/** Fewest readings before a count has settled. */
const settledReads = 3
/** A receipt ends after this time and this many readings, even if the count still moves. */
const longestMs = 1_800_000
const mostReads = 60
/** How long an unconfirmed pause may take to show. */
const provingMs = 300_000
const dayMs = 86_400_000

export type PauseReceipts = ReturnType<typeof createPauseReceipts>

/** What a pause did, from its request until the sent count settles. `onResumed`: the campaign runs again before that. */
export function createPauseReceipts(repository: ReceiptsRepository, onResumed = (_: StoredReceipt) => {}) {
  return {
    /** Commits that a pause is about to be sent; `before` is the campaign as last read. Returns its id. */
    sending: (before: CampaignBefore, by: PauseReceipt['by'], nowMs: number) =>
      repository.begin(before, before.name?.trim() || before.id, by, nowMs),
    /** The campaign is paused. `atPause` is the service's answer to the pause, or else the reading after it. */
    proven(id: number, atPause: Campaign, nowMs: number) {
      const receipt = repository.get(id)
      if (receipt) repository.put(proved(receipt, atPause, nowMs))
    },
    /** The service refused the pause. */
    dropped: repository.remove,
    /** A reading of a campaign, requested at `askedMs`. Ignored if requested before the receipt's last one. */
    read(campaign: Campaign, askedMs: number, nowMs: number) {
      for (const receipt of repository.open())
        if (receipt.campaignId === campaign.id && isAfter(receipt, askedMs, nowMs)) {
          const next = afterReading(receipt, campaign, nowMs)
          repository.put(next)
          if (next.state === 'left-paused' && next.status === 'running') onResumed(next)
        }
    },
    /** A campaign could not be read. Its receipts end if it `isGone` from the service, or if this lasts. */
    unread(campaignId: string, isGone: boolean, nowMs: number) {
      for (const receipt of repository.open())
        if (
          receipt.campaignId === campaignId &&
          (isGone || nowMs - (receipt.readMs ?? receipt.sentMs) >= longestMs)
        )
          repository.put({ ...receipt, state: 'not-read', endedMs: nowMs })
    },
    /** Campaigns with an open receipt, the one read longest ago first. */
    open: () => [...new Set(repository.open().map(({ campaignId }) => campaignId))],
    get(id: number): PauseReceipt | null {
      const receipt = repository.get(id)
      return receipt && toReceipt(receipt)
    },
    /** Of campaigns that the service or someone else resumed in the last day. */
    resumed: (nowMs: number) => repository.resumed(nowMs - dayMs).map(toReceipt),
    /** Newest first. */
    of: (campaignId: string, limit: number) => repository.of(campaignId, limit).map(toReceipt),
  }
}

/** Whether a reading is new to the receipt. A receipt in the future was read before the clock was set back. */
function isAfter({ readMs, sentMs }: StoredReceipt, askedMs: number, nowMs: number): boolean {
  const lastMs = readMs ?? sentMs
  return askedMs >= lastMs || lastMs > nowMs
}

/** The receipt once its campaign is paused. */
function proved(receipt: StoredReceipt, { sentCount, status }: Campaign, nowMs: number): StoredReceipt {
  return {
    ...receipt,
    state: sentCount === null ? 'no-count' : 'reading',
    pausedMs: nowMs,
    sentAtPause: sentCount,
    sentLast: sentCount,
    readMs: nowMs,
    reads: 1,
    longestGapMs: 0,
    endedMs: sentCount === null ? nowMs : null,
    status,
  }
}

/** The receipt after one more reading of its campaign. */
function afterReading(receipt: StoredReceipt, campaign: Campaign, nowMs: number): StoredReceipt {
  if (receipt.endedMs !== null) return receipt
  const { sentCount, status } = campaign
  if (receipt.state === 'sent') {
    if (status === 'paused') return proved(receipt, campaign, nowMs)
    // Other states may lead to a pause, as `pausing` does.
    const hasEnded = status === 'completed' || status === 'cancelled'
    const isOver = hasEnded || nowMs - receipt.sentMs > provingMs
    return { ...receipt, readMs: nowMs, status, ...(isOver ? { state: 'not-paused', endedMs: nowMs } : {}) }
  }
  const sinceMs = receipt.readMs ?? receipt.sentMs
  const moved = sentCount !== null && sentCount !== receipt.sentLast
  const next: StoredReceipt = {
    ...receipt,
    sentLast: sentCount ?? receipt.sentLast,
    status,
    readMs: nowMs,
    reads: receipt.reads + 1,
    longestGapMs: Math.max(receipt.longestGapMs, nowMs - sinceMs),
    ...(moved ? { movedAfterMs: sinceMs, movedUntilMs: nowMs } : {}),
  }
  const stillSinceMs = next.movedUntilMs ?? next.pausedMs!
  const end = (state: StoredReceipt['state']): StoredReceipt => ({ ...next, state, endedMs: nowMs })
  if (status !== 'paused') return end('left-paused')
  if (nowMs - stillSinceMs >= settleMs && next.reads >= settledReads) return end('settled')
  if (nowMs - next.pausedMs! >= longestMs && next.reads >= mostReads) return end('still-moving')
  return next
}

import type { PauseReceipt } from '../../../contract/campaigns.ts'
import type { Campaign } from '../../../contract/domain.ts'
import { type ReceiptsRepository, type StoredReceipt, toReceipt } from './receipts.repository.ts'

/** A count that did not move for so long is taken as still. Readings must cover it: see `settledReads`. */
export const settleMs = 180_000
/** Least readings of the same count before it is called still. */
const settledReads = 3
/** After so long and so many readings a receipt is no longer read on; what still moves then is said to. */
const longestMs = 1_800_000
const mostReads = 60
/** How long a pause of unknown outcome may take to show. */
const provingMs = 300_000

/** What a pause did, from the moment it leaves until the sent count stands still. */
export interface PauseReceipts {
  /** Commits that a pause is about to leave. Answers its id. */
  sending(before: Campaign, by: PauseReceipt['by'], nowMs: number): number
  /** The campaign is paused. `atPause` is the service's answer to the pause where it gave one, else the reading after it. */
  proven(id: number, atPause: Campaign, nowMs: number): void
  /** The service did not take the pause: there is nothing to tell. */
  dropped(id: number): void
  /** A reading of a campaign, asked for at `askedMs`. One that was asked for before the pause was proven tells nothing of after it. */
  read(campaign: Campaign, askedMs: number, nowMs: number): void
  /** A campaign could not be read: `isGone` when the service knows it no more, else its receipts end when that lasts. */
  unread(campaignId: string, isGone: boolean, nowMs: number): void
  /** Campaigns that are still to be read, the one read longest ago first. */
  open(): string[]
  /** Newest first. */
  of(campaignId: string, limit: number): PauseReceipt[]
}

export function createPauseReceipts(repository: ReceiptsRepository): PauseReceipts {
  return {
    sending: (before, by, nowMs) => repository.begin(before, before.name?.trim() || before.id, by, nowMs).id,
    proven(id, atPause, nowMs) {
      const receipt = repository.get(id)
      if (receipt) repository.put(proved(receipt, atPause, nowMs))
    },
    dropped: (id) => repository.remove(id),
    read(campaign, askedMs, nowMs) {
      for (const receipt of repository.open())
        if (receipt.campaignId === campaign.id && isAfter(receipt, askedMs, nowMs))
          repository.put(afterReading(receipt, campaign, nowMs))
    },
    unread(campaignId, isGone, nowMs) {
      for (const receipt of repository.open())
        if (
          receipt.campaignId === campaignId &&
          (isGone || nowMs - (receipt.readMs ?? receipt.sentMs) >= longestMs)
        )
          repository.put({ ...receipt, state: 'not-read', endedMs: nowMs })
    },
    open: () => [...new Set(repository.open().map(({ campaignId }) => campaignId))],
    of: (campaignId, limit) => repository.of(campaignId, limit).map(toReceipt),
  }
}

/** A reading that the receipt has not got yet. A receipt of a time to come was read before the clock was set back. */
function isAfter({ readMs, sentMs }: StoredReceipt, askedMs: number, nowMs: number): boolean {
  const lastMs = readMs ?? sentMs
  return askedMs >= lastMs || lastMs > nowMs
}

/** The receipt once its campaign was seen paused. */
function proved(
  receipt: StoredReceipt,
  { sentCount, failedCount, status }: Campaign,
  nowMs: number,
): StoredReceipt {
  return {
    ...receipt,
    state: sentCount === null ? 'no-count' : 'reading',
    pausedMs: nowMs,
    sentAtPause: sentCount,
    sentLast: sentCount,
    failedAtPause: failedCount,
    failedLast: failedCount,
    readMs: nowMs,
    reads: 1,
    longestGapMs: 0,
    endedMs: sentCount === null ? nowMs : null,
    status,
  }
}

/** The receipt after one more reading of its campaign. */
export function afterReading(receipt: StoredReceipt, campaign: Campaign, nowMs: number): StoredReceipt {
  if (receipt.endedMs !== null) return receipt
  const { sentCount, failedCount, status } = campaign
  if (receipt.state === 'sent') {
    if (status === 'paused') return proved(receipt, campaign, nowMs)
    const isOver = status !== 'running' || nowMs - receipt.sentMs > provingMs
    return { ...receipt, readMs: nowMs, status, ...(isOver ? { state: 'not-paused', endedMs: nowMs } : {}) }
  }
  const sinceMs = receipt.readMs ?? receipt.sentMs
  const moved = sentCount !== null && sentCount !== receipt.sentLast
  const next: StoredReceipt = {
    ...receipt,
    sentLast: sentCount ?? receipt.sentLast,
    failedLast: failedCount ?? receipt.failedLast,
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

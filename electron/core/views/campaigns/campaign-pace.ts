import type { CampaignWatchState } from '../../../contract/campaigns.ts'

/** What the pace of reading campaigns depends on. */
export interface PaceInputs {
  /** A page asked within the last half minute. */
  lookedAt: boolean
  /** Some guard is set to tell or to pause. */
  guarded: boolean
  /** The receipt of a pause is not finished. */
  receiptOpen: boolean
  /** Requests that the list of running campaigns took when it was read last. */
  listRequests: number
  budget: { limitPerMinute: number; remaining: number; pausedForMs: number }
}

/** Milliseconds from one reading to the next, by what is wanted of them. */
const receiptMs = 5_000
export const watchedMs = 10_000
/** Enough for a history of a campaign that nobody watches. */
const unwatchedMs = 60_000
/** With less than this share of the tenant's requests left, readings come so many times less often. */
const lowShare = 0.25
const lowFactor = 3
/** The list takes no more than this share of the tenant's requests, however many pages it has. */
const listShare = 0.15

/** How often running campaigns are read, and what decides it. */
export function paceOf({
  lookedAt,
  guarded,
  receiptOpen,
  listRequests,
  budget,
}: PaceInputs): Pick<CampaignWatchState, 'periodMs' | 'because'> {
  const wanted = receiptOpen
    ? { periodMs: receiptMs, because: 'receipt' as const }
    : lookedAt
      ? { periodMs: watchedMs, because: 'looked-at' as const }
      : guarded
        ? { periodMs: watchedMs, because: 'guarded' as const }
        : { periodMs: unwatchedMs, because: 'nobody-looks' as const }
  if (budget.pausedForMs > 0)
    return { periodMs: Math.max(wanted.periodMs, budget.pausedForMs), because: 'rate-limited' }
  if (budget.remaining < budget.limitPerMinute * lowShare)
    return { periodMs: Math.min(unwatchedMs, wanted.periodMs * lowFactor), because: 'budget-low' }
  const leastMs = (listRequests / Math.max(1, budget.limitPerMinute * listShare)) * 60_000
  if (wanted.periodMs < leastMs) return { periodMs: Math.ceil(leastMs), because: 'long-list' }
  return wanted
}

import type { CampaignWatchState } from '../../contract/campaigns.ts'

/** What the pace of reading campaigns depends on. */
export interface PaceInputs {
  /** A page asked within the last half minute. */
  lookedAt: boolean
  /** Some guard is set to tell or to pause. */
  guarded: boolean
  /** The receipt of a pause is not finished. */
  receiptOpen: boolean
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

/** How often running campaigns are read, and what decides it. */
export function paceOf({
  lookedAt,
  guarded,
  receiptOpen,
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
  return wanted
}

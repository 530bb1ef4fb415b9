import type { CampaignWatchState } from '../../../contract/views/campaigns.ts'

/** What decides how often campaigns are read. */
interface PaceInputs {
  pageOpen: boolean
  /** Any alert rule is on. */
  guarded: boolean
  receiptOpen: boolean
  /** Requests that the last list of running campaigns took. */
  listRequests: number
  budget: { limitPerMinute: number; remaining: number; pausedForMs: number }
}

/** Milliseconds between readings: with an open receipt, an open page or rule, or neither. */
const receiptMs = 5_000
export const watchedMs = 10_000
const unwatchedMs = 60_000
/** With less than this share of the rate limit left, readings are `lowFactor` times rarer, unless an alert rule needs them. */
const lowShare = 0.25
const lowFactor = 3
/** The list takes at most this share of the rate limit, however many pages it has. */
const listShare = 0.15

/** How often running campaigns are read, and why. */
export function paceOf({
  pageOpen,
  guarded,
  receiptOpen,
  listRequests,
  budget,
}: PaceInputs): Pick<CampaignWatchState, 'periodMs' | 'because'> {
  const base = receiptOpen
    ? { periodMs: receiptMs, because: 'receipt' as const }
    : pageOpen
      ? { periodMs: watchedMs, because: 'looked-at' as const }
      : guarded
        ? { periodMs: watchedMs, because: 'guarded' as const }
        : { periodMs: unwatchedMs, because: 'in-background' as const }
  if (budget.pausedForMs > 0)
    return { periodMs: Math.max(base.periodMs, budget.pausedForMs), because: 'rate-limited' }
  // Our own bulk send uses up the rate limit, and an alert can't wait for it to end.
  if (!guarded && budget.remaining < budget.limitPerMinute * lowShare)
    return { periodMs: Math.min(unwatchedMs, base.periodMs * lowFactor), because: 'budget-low' }
  const leastMs = (listRequests / Math.max(1, budget.limitPerMinute * listShare)) * 60_000
  if (base.periodMs < leastMs) return { periodMs: Math.ceil(leastMs), because: 'long-list' }
  return base
}

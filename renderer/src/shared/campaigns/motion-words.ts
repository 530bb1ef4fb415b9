import type { CampaignMotion, CampaignWatchState } from '#contract/campaigns.ts'
import { formatCount } from '../format/numbers.ts'
import { formatDuration, formatForecast } from '../format/time.ts'

/** `640 per min`, `0.4 per min`; null where no rate can be told. */
export function rateText({ ratePerMinute }: Pick<CampaignMotion, 'ratePerMinute'>): string | null {
  if (ratePerMinute === null) return null
  return `${ratePerMinute >= 10 || ratePerMinute === 0 ? formatCount(ratePerMinute) : ratePerMinute.toFixed(1)} per min`
}

/** `about 1 h 20 min left`; null where it cannot be told. */
export function leftText({ etaMs }: Pick<CampaignMotion, 'etaMs'>): string | null {
  return etaMs === null ? null : `${formatForecast(etaMs)} left`
}

/** `not moving, 4 min`; null while it moves, or has stood still for less than a minute, which readings alone may explain. */
export function stillText({ stillMs }: Pick<CampaignMotion, 'stillMs'>): string | null {
  if (stillMs === null || stillMs < 60_000) return null
  return `not moving, ${formatDuration(Math.floor(stillMs / 60_000) * 60_000)}`
}

const reasons: Record<CampaignWatchState['because'], string> = {
  receipt: 'while a pause is watched',
  'looked-at': '',
  guarded: 'for the guards',
  'nobody-looks': 'while nobody looks',
  'long-list': 'because the list takes several requests',
  'budget-low': 'because few requests are left this minute',
  'rate-limited': 'until the service takes requests again',
}

/** How often running campaigns are read, and why: `read every 30 s because few requests are left this minute`. */
export function paceText({ periodMs, because }: CampaignWatchState): string {
  return `read every ${formatDuration(periodMs)} ${reasons[because]}`.trim()
}

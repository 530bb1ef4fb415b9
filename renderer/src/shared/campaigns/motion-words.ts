import type { CampaignMotion, CampaignWatchState } from '#contract/views/campaigns.ts'
import { formatCount, formatDecimal } from '../format/numbers.ts'
import { formatDuration, formatForecast } from '../format/time.ts'
import { t } from './campaigns.texts.ts'

/** `640/min`, `0.4/min`; null if unknown. */
export function rateText({ ratePerMinute }: Pick<CampaignMotion, 'ratePerMinute'>): string | null {
  if (ratePerMinute === null) return null
  const isWhole = ratePerMinute >= 10 || ratePerMinute === 0
  return t('motion.rate', { rate: isWhole ? formatCount(ratePerMinute) : formatDecimal(ratePerMinute) })
}

/** `about 1 h 20 min left`; null if unknown. */
export function leftText({ etaMs }: Pick<CampaignMotion, 'etaMs'>): string | null {
  return etaMs === null ? null : t('motion.left', { time: formatForecast(etaMs) })
}

/** `Stalled 4 min`; null under a minute, which is the time between readings. */
export function stillText({ stillMs }: Pick<CampaignMotion, 'stillMs'>): string | null {
  if (stillMs === null || stillMs < 60_000) return null
  return t('motion.stalled', { time: formatDuration(Math.floor(stillMs / 60_000) * 60_000) })
}

/** How often running campaigns are read, and why. */
export function paceText({ periodMs, because }: CampaignWatchState): string {
  return t(`pace.${because}`, { time: formatDuration(periodMs) })
}

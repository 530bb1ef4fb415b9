import { shownPercent } from '#contract/views/campaign-alert-rules.ts'

/** The change of a figure from one period to the next. Null if one of the two is unknown. */
interface Difference {
  absolute: number | null
  /** Relative to the previous period; null over zero. */
  relative: number | null
}

/** Decimals of the difference of two amounts: those of the amounts, without floating-point noise. */
const decimals = 1e6

/** How a figure changed since the previous period. */
export function differenceOf(now: number | null, before: number | null): Difference {
  if (now === null || before === null) return { absolute: null, relative: null }
  const absolute = Math.round((now - before) * decimals) / decimals
  return { absolute, relative: before === 0 ? null : absolute / Math.abs(before) }
}

/** The change of a share, to show beside both: of the percentages as shown, so that the three agree. */
export function shareDifference(now: number | null, before: number | null): number | null {
  if (now === null || before === null) return null
  return differenceOf(shownPercent(now, 1) / 100, shownPercent(before, 1) / 100).absolute
}

/** A share of a whole; null without a whole, or if one of the two is unknown. */
export const shareOf = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : part / whole

/** How a figure moved from one period to the next. Null where one of the two is not known. */
export interface Difference {
  absolute: number | null
  /** Of the period before; null over zero, which has no percent. */
  relative: number | null
}

/** Decimals that a difference of two amounts may have: those of the amounts, not those of the machine's arithmetic. */
const decimals = 1e6

/** How a figure changed against the one of the period before. */
export function differenceOf(now: number | null, before: number | null): Difference {
  if (now === null || before === null) return { absolute: null, relative: null }
  const absolute = Math.round((now - before) * decimals) / decimals
  return { absolute, relative: before === 0 ? null : absolute / Math.abs(before) }
}

/** A part of a whole; null where there is no whole, or one of them is not known. */
export const shareOf = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : part / whole

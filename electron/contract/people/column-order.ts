/** Begins the keys of names, tags and notes that say nothing of consent; alone, it stands for those that aren't listed. */
export const otherTexts = '…'
/** Most different values of a column about consent: of notes, as many as a person may look through. */
export const consentKeysMax = 1_000

/** The values without a known meaning, in a column that refuses someone: their words may be a refusal, too. */
export const unknownBesideNo = <Value extends { key: string; means: string; isNo: boolean }>(
  values: readonly Value[],
): Value[] =>
  values.some(({ isNo, key }) => isNo && key !== '')
    ? values.filter(({ means, key }) => means === 'unknown' && key !== '' && key !== otherTexts)
    : []

/** Columns that feed a field, in the order in which to try them: by `rank`, then as in the file. */
export function columnsFor(
  columns: readonly { to: string; rank?: number | undefined }[],
  field: 'phone' | 'email',
): number[] {
  return columns
    .flatMap(({ to, rank = 0 }, at) => (to === field ? [{ at, rank }] : []))
    .toSorted((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ at }) => at)
}

/** The first column with a meaning; null if none. */
export function columnOf(
  columns: readonly { to: string }[],
  to: 'name' | 'first-name' | 'last-name' | 'country',
): number | null {
  const at = columns.findIndex((column) => column.to === to)
  return at < 0 ? null : at
}

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

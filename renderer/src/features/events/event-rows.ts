import type { EventRow } from '#contract/live/events.ts'

/** `fresh` (oldest first) on top of `rows` (newest first), at most `limit` of them. Neither is changed. */
export function mergeNewest(
  rows: readonly EventRow[],
  fresh: readonly EventRow[],
  limit: number,
): readonly EventRow[] {
  const merged: EventRow[] = []
  for (let at = fresh.length - 1; at >= 0 && merged.length < limit; at--) merged.push(fresh[at]!)
  for (let at = 0; at < rows.length && merged.length < limit; at++) merged.push(rows[at]!)
  return merged
}

/** How many `items` pass. Those that do come first. */
export function countFirst<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (passes(items[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of `seq` in `rows` (newest first), or -1. */
export function indexOfSeq(rows: readonly EventRow[], seq: number): number {
  const at = countFirst(rows, (row) => row.seq > seq)
  return rows[at]?.seq === seq ? at : -1
}

/** `rows` with the rows in `changed` replaced. The same array if none changed. */
export function patchRows(rows: readonly EventRow[], changed: readonly EventRow[]): readonly EventRow[] {
  let patched: EventRow[] | undefined
  for (const row of changed) {
    const at = indexOfSeq(rows, row.seq)
    if (at < 0) continue
    patched ??= [...rows]
    patched[at] = row
  }
  return patched ?? rows
}

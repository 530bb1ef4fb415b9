import type { EventFilter, EventRow, Hole } from '#contract/live/events.ts'

/** A gap drawn between two rows of the list. */
export interface HoleBand {
  /** Index in the drawn list, where gaps take up lines. */
  index: number
  hole: Hole
}

/** One line of the drawn list. */
export type StreamLine = { kind: 'row'; row: EventRow } | { kind: 'hole'; hole: Hole }

/**
 * Where `holes` belong among `rows` (both newest first). A gap older than the last row shows only when `historyComplete`: otherwise its
 * place is not loaded yet. Gaps outside the filtered time are skipped.
 */
export function placeHoles(
  rows: readonly EventRow[],
  holes: readonly Hole[],
  historyComplete: boolean,
  range: Pick<EventFilter, 'from' | 'to'> = {},
): HoleBand[] {
  const fromMs = range.from === undefined ? -Infinity : Date.parse(range.from)
  const toMs = range.to === undefined ? Infinity : Date.parse(range.to)
  const bands: HoleBand[] = []
  for (const hole of holes) {
    const endMs = hole.to === null ? Infinity : Date.parse(hole.to)
    if (endMs <= fromMs || Date.parse(hole.from) >= toMs) continue
    const newer = countNewer(rows, endMs)
    if (newer === rows.length && !historyComplete) continue
    bands.push({ index: newer + bands.length, hole })
  }
  return bands
}

/** How many of `rows` arrived at or after `timeMs`. */
function countNewer(rows: readonly EventRow[], timeMs: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (Date.parse(rows[middle]!.receivedAt) >= timeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** The line at `index` of the drawn list, or undefined outside it. */
export function lineAt(
  rows: readonly EventRow[],
  bands: readonly HoleBand[],
  index: number,
): StreamLine | undefined {
  const before = bandsBefore(bands, index)
  const band = bands[before]
  if (band?.index === index) return { kind: 'hole', hole: band.hole }
  const row = rows[index - before]
  return row && { kind: 'row', row }
}

/** Index in the drawn list of the row at `rowIndex`. */
export function lineOfRow(bands: readonly HoleBand[], rowIndex: number): number {
  let line = rowIndex
  for (const band of bands) {
    if (band.index > line) break
    line++
  }
  return line
}

function bandsBefore(bands: readonly HoleBand[], index: number): number {
  let low = 0
  let high = bands.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (bands[middle]!.index < index) low = middle + 1
    else high = middle
  }
  return low
}

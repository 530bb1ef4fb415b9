import type { EventFilter, EventRow, Hole } from '#contract/live/events.ts'

/** A hole drawn between two rows of the list. */
export interface HoleBand {
  /** Index in the drawn list, in which bands take a row's place. */
  index: number
  hole: Hole
}

/** One line of the drawn list. */
export type StreamLine = { kind: 'row'; row: EventRow } | { kind: 'hole'; hole: Hole }

/**
 * Where `holes` belong among `rows` (both newest first). A hole older than the last row shows only when
 * `historyComplete`: else its place is not loaded yet. Holes wholly outside the filter's time are left out.
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

/** The drawn list's line at `index`, or undefined outside of it. */
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

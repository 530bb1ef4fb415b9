import type { EventFilter, EventRow, Gap } from '#contract/live/events.ts'
import { countFirst } from './event-rows.ts'

/** A gap drawn between two rows of the list. */
export interface GapBand {
  /** Index in the drawn list, where gaps take up lines. */
  index: number
  gap: Gap
}

export type StreamLine = { kind: 'row'; row: EventRow } | { kind: 'gap'; gap: Gap }

/**
 * Where `gaps` belong among `rows` (both newest first). A gap older than the last row shows only when `historyComplete`: otherwise its
 * place is not loaded yet. Gaps outside the filtered time are skipped.
 */
export function placeGaps(
  rows: readonly EventRow[],
  gaps: readonly Gap[],
  historyComplete: boolean,
  range: Pick<EventFilter, 'from' | 'to'> = {},
): GapBand[] {
  const fromMs = range.from === undefined ? -Infinity : Date.parse(range.from)
  const toMs = range.to === undefined ? Infinity : Date.parse(range.to)
  const bands: GapBand[] = []
  for (const gap of gaps) {
    const endMs = gap.to === null ? Infinity : Date.parse(gap.to)
    if (endMs <= fromMs || Date.parse(gap.from) >= toMs) continue
    const newer = countFirst(rows, ({ receivedAt }) => Date.parse(receivedAt) >= endMs)
    if (newer === rows.length && !historyComplete) continue
    bands.push({ index: newer + bands.length, gap })
  }
  return bands
}

/** The line at `index` of the drawn list, or undefined outside it. */
export function lineAt(
  rows: readonly EventRow[],
  bands: readonly GapBand[],
  index: number,
): StreamLine | undefined {
  const before = countFirst(bands, (band) => band.index < index)
  const band = bands[before]
  if (band?.index === index) return { kind: 'gap', gap: band.gap }
  const row = rows[index - before]
  return row && { kind: 'row', row }
}

/** Index in the drawn list of the row at `rowIndex`. */
export function lineOfRow(bands: readonly GapBand[], rowIndex: number): number {
  let line = rowIndex
  for (const band of bands) {
    if (band.index > line) break
    line++
  }
  return line
}

import type { Hole } from '#contract/events.ts'
import { holeReason } from '../../shared/format/holes.ts'
import { formatDuration } from '../../shared/format/time.ts'

/** Bars of the time line, about. */
const barCount = 200
const lineWidth = 1_000
const lineHeight = 20

/** Width of the buckets that the time line of a span is counted in: whole seconds. */
export const profileBucketMs = (fromMs: number, toMs: number): number =>
  Math.max(1, Math.ceil((toMs - fromMs) / barCount / 1_000)) * 1_000

/** Counts as bars in a box of 1,000 × 20, the highest as high as it; a bucket that reaches beyond the span is cut. */
export function barsOf(
  counts: readonly number[],
  firstMs: number,
  bucketMs: number,
  fromMs: number,
  toMs: number,
): { x: number; width: number; height: number }[] {
  const most = Math.max(...counts, 1)
  const place = (ms: number) =>
    ((Math.min(Math.max(ms, fromMs), toMs) - fromMs) / (toMs - fromMs)) * lineWidth
  return counts.flatMap((count, index) => {
    const x = place(firstMs + index * bucketMs)
    const width = place(firstMs + (index + 1) * bucketMs) - x
    return count === 0 || width <= 0 ? [] : [{ x, width, height: Math.max(1, (count / most) * lineHeight) }]
  })
}

/** Holes within a span, as shares of it. */
export function holeShares(
  holes: readonly Hole[],
  fromMs: number,
  toMs: number,
): { start: number; length: number; proven: boolean; title: string }[] {
  return holes.flatMap((hole) => {
    const startMs = Math.max(fromMs, Date.parse(hole.from))
    const endMs = Math.min(toMs, hole.to === null ? Infinity : Date.parse(hole.to))
    if (endMs <= startMs) return []
    const lengthMs = toMs - fromMs
    return [
      {
        start: (startMs - fromMs) / lengthMs,
        length: (endMs - startMs) / lengthMs,
        proven: hole.proven,
        title: `Gap of ${formatDuration(hole.durationMs)}: ${holeReason(hole.reason)}`,
      },
    ]
  })
}

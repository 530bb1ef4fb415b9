import type { Gap } from '#contract/live/events.ts'

/** A part of a day, as shares from 0 to 1. */
interface DayPart {
  start: number
  length: number
}

/** One local day of the strip. */
interface GapDay {
  startMs: number
  gaps: (DayPart & { proven: boolean })[]
  /** The part before recording began, or in the future. */
  unknown: DayPart[]
}

/** The last `count` local days, oldest first, with the gaps in each. */
export function gapDays(
  { gaps, recordedSince, count }: { gaps: readonly Gap[]; recordedSince: string; count: number },
  nowMs: number,
): GapDay[] {
  return Array.from({ length: count }, (_item, index) => {
    const day = new Date(nowMs)
    const startMs = day.setHours(0, 0, 0, 0) && day.setDate(day.getDate() - (count - 1 - index))
    // Not 24 hours on the days when the clocks change.
    const endMs = day.setDate(day.getDate() + 1)
    const within = (fromMs: number, toMs: number): DayPart[] => {
      const from = Math.max(fromMs, startMs)
      const to = Math.min(toMs, endMs)
      const wholeMs = endMs - startMs
      return from < to ? [{ start: (from - startMs) / wholeMs, length: (to - from) / wholeMs }] : []
    }
    return {
      startMs,
      gaps: gaps.flatMap(({ from, to, proven }) =>
        within(Date.parse(from), to === null ? nowMs : Date.parse(to)).map((part) => ({ ...part, proven })),
      ),
      unknown: [...within(0, Date.parse(recordedSince)), ...within(nowMs, Infinity)],
    }
  })
}

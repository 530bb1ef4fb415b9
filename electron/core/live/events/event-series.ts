import type { Phrase } from '../../../contract/phrases.ts'
import { AppError } from '../../../contract/errors.ts'
import type { EventSeries } from '../../../contract/live/events.ts'
import { dlrStatuses } from '../../../contract/words.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { ArrivalCount, EventsRepository } from './events.repository.ts'
import { readTime } from './read-time.ts'

/** Most buckets in a series (the contract's limit). */
const bucketsMax = 1_440

/** Statuses outside the spec with their own line; rarer ones share `other`. */
const otherNamesMax = 8

const fixedNames: readonly string[] = [...dlrStatuses, 'mo']

/** The names with a line, in drawing order. */
function lineNames(counts: readonly ArrivalCount[]): string[] {
  const totals = new Map<string, number>()
  for (const { name, count } of counts) {
    if (!fixedNames.includes(name) && name !== 'quarantined')
      totals.set(name, (totals.get(name) ?? 0) + count)
  }
  const others = [...totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name)
  const names = [...fixedNames, ...others.slice(0, otherNamesMax)]
  if (others.length > otherNamesMax) names.push('other')
  if (counts.some(({ name }) => name === 'quarantined')) names.push('quarantined')
  return names
}

export interface SeriesRange {
  from: string
  to: string
  bucketMs: number
}
interface Buckets {
  firstMs: number
  length: number
  bucketMs: number
}

/**
 * Buckets start at multiples of their width since 1970 UTC; the first one contains `from`. If that makes 1,441, the oldest is dropped.
 *
 * Throws `INVALID_INPUT` for a width that is not whole seconds, for invalid or unordered times, and for too many
 * buckets.
 */
export function bucketsOf({ from, to, bucketMs }: SeriesRange): Buckets {
  const invalid = (detail: Phrase) => new AppError('INVALID_INPUT', { detail })
  if (bucketMs % 1_000 !== 0) throw invalid({ key: 'input.bucketSeconds' })
  const fromMs = readTime('from', from)
  const toMs = readTime('to', to)
  if (toMs <= fromMs) throw invalid({ key: 'input.toAfterFrom' })

  let firstMs = Math.floor(fromMs / bucketMs) * bucketMs
  let length = Math.ceil((toMs - firstMs) / bucketMs)
  if (length === bucketsMax + 1) {
    firstMs += bucketMs
    length--
  }
  if (length > bucketsMax) throw invalid({ key: 'input.bucketsMax', count: length, max: bucketsMax })
  return { firstMs, length, bucketMs }
}

/** Counts as lines, zero-filled. */
export function seriesOf(
  { firstMs, length, bucketMs }: Buckets,
  counts: readonly ArrivalCount[],
  nowMs: number,
): EventSeries {
  const lines = new Map(lineNames(counts).map((name) => [name, new Array<number>(length).fill(0)]))
  for (const { name, bucketMs: startMs, count } of counts) {
    const line = lines.get(name) ?? lines.get('other')
    const place = (startMs - firstMs) / bucketMs
    if (line) line[place] = (line[place] ?? 0) + count
  }
  return {
    bucketMs,
    from: isoTime(firstMs),
    lines: [...lines].map(([name, values]) => ({ name, counts: values })),
    asOf: isoTime(nowMs),
  }
}

/** Arrivals of all events per bucket and name, from sums. */
export function readSeries(
  repository: Pick<EventsRepository, 'arrivals'>,
  range: SeriesRange,
  nowMs: number,
): EventSeries {
  const buckets = bucketsOf(range)
  const { firstMs, length, bucketMs } = buckets
  return seriesOf(buckets, repository.arrivals(firstMs, firstMs + length * bucketMs, bucketMs), nowMs)
}

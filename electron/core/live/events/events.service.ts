import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import { AppError } from '../../../contract/errors.ts'
import type {
  EventBatch,
  EventDetail,
  EventRow,
  eventsContract,
  EventSeries,
} from '../../../contract/live/events.ts'
import type { MessageDetail, MessageEvent } from '../../../contract/views/messages.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import type { JournalRow } from '../../../listener/journal.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createPulse } from '../../../lib/pulse.ts'
import { compileFilter, type CompiledFilter } from './event-filter.ts'
import { createEventScan, type EventScan, overAfter } from './event-scan.ts'
import { watchEvents } from './event-watch.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { EventsRepository, ArrivalCount } from './events.repository.ts'
import { findGaps, type FirstFailure, type Listening } from './gaps.ts'
import type { MissedTimes } from './missed-times.ts'
import type { Projector } from './projector.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { dlrStatuses } from '../../../contract/words.ts'
import { readTime } from './read-time.ts'
import type { ProjectorState } from './event-writer.ts'

type Inputs = InferContractRouterInputs<typeof eventsContract>
type Outputs = InferContractRouterOutputs<typeof eventsContract>

/** A search as in the contract, with defaults filled in. */
type SearchInput = Pick<Inputs['search'], 'filter'> & {
  limit: number
  cursor?: number | undefined
  patienceMs?: number | undefined
}

const everything = compileFilter({})

/** A page of a filter's events up to the watermark, newest first. Ends when `signal` aborts. */
async function searchEvents(
  source: { repository: EventsRepository; scan: EventScan; state: ProjectorState; clock: Clock },
  filter: CompiledFilter,
  { limit, cursor, patienceMs = Infinity }: SearchInput,
  signal?: AbortSignal,
): Promise<Outputs['search']> {
  const { repository, scan, clock } = source
  const { watermark, storedTotal } = source.state
  const patience = { isOver: overAfter(clock, patienceMs), signal }
  const newestUpTo = (seq: number) => repository.select(everything).newest(0, seq, 1)[0]

  const upToSeq = Math.min(cursor === undefined ? watermark : cursor - 1, watermark)
  const found = await scan.newest(filter, upToSeq, limit + 1, patience)
  const items = found.rows.slice(0, limit)
  const isFull = found.rows.length > limit
  const searchedTo = isFull || found.searchedToSeq === null ? undefined : newestUpTo(found.searchedToSeq)
  return {
    items,
    nextCursor: isFull ? items.at(-1)!.seq : searchedTo ? searchedTo.seq + 1 : null,
    ...(searchedTo ? { searchedBackTo: searchedTo.receivedAt } : {}),
    matchingTotal: filter.passesAll ? storedTotal : await scan.count(filter, watermark, patience),
    storedTotal,
    upToSeq: watermark,
    asOf: isoTime(clock.now()),
  }
}

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

interface SeriesRange {
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
function bucketsOf({ from, to, bucketMs }: SeriesRange): Buckets {
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
function seriesOf(
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
function readSeries(
  repository: Pick<EventsRepository, 'arrivals'>,
  range: SeriesRange,
  nowMs: number,
): EventSeries {
  const buckets = bucketsOf(range)
  const { firstMs, length, bucketMs } = buckets
  return seriesOf(buckets, repository.arrivals(firstMs, firstMs + length * bucketMs, bucketMs), nowMs)
}

const dayMs = 86_400_000

/** Most bytes of a raw body, and most entries in a detail's lists (the contract's limits). */
const rawBodyMaxBytes = 64 * 1024
const detailListMax = 500

export type EventsService = ReturnType<typeof createEventsService>

function headersOf(row: JournalRow | null): [string, string][] {
  return row ? (JSON.parse(row.headersJson) as [string, string][]) : []
}

/** The rules of the events feature; shapes as in the contract. */
export function createEventsService(parts: {
  repository: EventsRepository
  journal: Pick<JournalReader, 'read' | 'spans' | 'relays' | 'lastSeq'>
  projector: Pick<Projector, 'state' | 'onProjected'>
  clock: Clock
  /** Whether the listener can take deliveries now. */
  listening: () => Listening
  /** When the listener first failed to start; null if it never did. */
  firstFailure: () => FirstFailure | null
  readsRelay: () => boolean
  missed: Pick<MissedTimes, 'since'>
}) {
  const { repository, journal, projector, clock, listening } = parts
  const scan = createEventScan(repository)
  const pulse = createPulse()
  projector.onProjected((batch) => {
    if (batch.replaced > 0 || batch.pruned > 0 || batch.upToSeq === 0) scan.forget()
    pulse.fire()
  })

  function copiesOf({ seq, receivedAt }: EventRow): MessageEvent['copies'] {
    const firstMs = Date.parse(receivedAt)
    const arrivals = [firstMs, ...repository.copiesOf(seq, detailListMax - 1)]
    return arrivals.map((ms) => ({ receivedAt: isoTime(ms), afterFirstMs: ms - firstMs }))
  }

  return {
    /** Throws `INVALID_INPUT` for an invalid time in the filter. Ends when `signal` aborts. */
    search: async (input: SearchInput, signal?: AbortSignal): Promise<Outputs['search']> =>
      searchEvents(
        { repository, scan, state: projector.state(), clock },
        compileFilter(input.filter),
        input,
        signal,
      ),
    /** New arrivals until `signal` aborts. Throws `INVALID_INPUT` like `search`, at the first step. */
    async *watch(
      { filter, afterSeq }: Inputs['watch'],
      signal: AbortSignal,
    ): AsyncGenerator<EventBatch, void> {
      const compiled = compileFilter(filter)
      // A position beyond all deliveries belongs to another connection; waiting for it would show nothing.
      const highest = Math.max(projector.state().watermark, journal.lastSeq())
      const source = { repository, scan, pulse, state: projector.state, clock }
      yield* watchEvents(source, compiled, Math.min(afterSeq, highest), signal)
    },
    /** Throws `NOT_FOUND`. */
    get({ seq }: Inputs['get']): EventDetail {
      const found = repository.find(seq)
      if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.event', seq: String(seq) } })
      const { event, sourceSeq } = found
      const raw = journal.read(sourceSeq)
      return {
        event,
        rawBody: raw?.body.subarray(0, rawBodyMaxBytes).toString('utf8') ?? '',
        headers: headersOf(raw),
        copies: copiesOf(event),
        timeline: event.messageId === null ? [event] : repository.timeline(event.messageId, detailListMax),
        messageStatus: event.messageId === null ? null : repository.messageStatus(event.messageId),
        recovered: event.messageId === null ? null : repository.recovered(event.messageId),
      }
    },
    /** The events of a message, oldest first, with their duplicates and the furthest status. */
    ofMessage: (messageId: string): Pick<MessageDetail, 'events'> & { status: string | null } => ({
      status: repository.messageStatus(messageId),
      events: repository
        .timeline(messageId, detailListMax)
        .map((event) => ({ event, copies: copiesOf(event) })),
    }),
    /** Of all events. Throws `INVALID_INPUT`. */
    series: (range: SeriesRange): EventSeries => readSeries(repository, range, clock.now()),
    /** Throws `INVALID_INPUT`. Ends when `signal` aborts. */
    async filteredSeries({ filter, ...range }: Inputs['series'], signal?: AbortSignal): Promise<EventSeries> {
      if (compileFilter(filter ?? {}).passesAll) return readSeries(repository, range, clock.now())
      const buckets = bucketsOf(range)
      const { firstMs, length, bucketMs } = buckets
      const period = { from: isoTime(firstMs), to: isoTime(firstMs + length * bucketMs) }
      const { watermark } = projector.state()
      const counts = await scan.arrivals(compileFilter({ ...filter, ...period }), watermark, bucketMs, signal)
      return seriesOf(buckets, counts, clock.now())
    },
    gaps({ days }: { days: number }): Outputs['gaps'] {
      const nowMs = clock.now()
      // All spans: a recent gap can follow a span that ended long ago.
      const spans = journal.spans(0)
      const relays = journal.relays()
      const sinceMs = nowMs - days * dayMs
      const gaps = findGaps({
        spans,
        listening: listening(),
        nowMs,
        sinceMs,
        missed: parts.missed.since(sinceMs),
        firstFailure: parts.firstFailure(),
        relays,
        readsRelay: parts.readsRelay(),
      })
      const starts = [...spans, ...relays.periods].map(({ startedMs }) => startedMs)
      // The first may have begun while the clock was ahead.
      const firstMs = starts.reduce((earliest, startedMs) => Math.min(earliest, startedMs), nowMs)
      return { gaps, recordedSince: starts.length === 0 ? null : isoTime(firstMs), asOf: isoTime(nowMs) }
    },
    /** The furthest status of a message; null without reports. */
    messageStatus: repository.messageStatus,
  }
}

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
import { compileFilter } from './event-filter.ts'
import { createEventScan } from './event-scan.ts'
import { searchEvents, type SearchInput } from './event-search.ts'
import { bucketsOf, readSeries, seriesOf, type SeriesRange } from './event-series.ts'
import { watchEvents } from './event-watch.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { EventsRepository } from './events.repository.ts'
import { findGaps, type FirstFailure, type Listening } from './gaps.ts'
import type { MissedTimes } from './missed-times.ts'
import type { Projector } from './projector.ts'

type Inputs = InferContractRouterInputs<typeof eventsContract>
type Outputs = InferContractRouterOutputs<typeof eventsContract>

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
    get(seq: number): EventDetail {
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
    gaps(days: number): Outputs['gaps'] {
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

import type { EventDetail, EventRow, Hole } from '../../contract/events.ts'
import { AppError } from '../../contract/errors.ts'
import { compileFilter, type CompiledFilter } from '../live/events/event-filter.ts'
import type { EventFilter } from '../../contract/events.ts'
import { furthestStatus } from '../live/events/event-sums.ts'
import { type EventsRepository, isoOf } from '../live/events/events.repository.ts'
import { errorMeaning } from '../live/events/message-status.ts'
import type { ReplaySource } from './replay-source.ts'

/** How far a replay is. */
export interface ReplayPlace {
  /** The span, [fromMs, toMs), whole seconds. */
  fromMs: number
  toMs: number
  /** Events of the span before it are shown. */
  clockMs: number
  /** The journal seq up to which deliveries are shown. */
  position: number
}

/** The record as it was at the place of a replay. Reads only. */
export interface ReplayView {
  /** The stored events, each with the copies that had arrived. */
  repository: EventsRepository
  /** A filter within the span; `passesAll` when it lets the whole span through. Throws `INVALID_INPUT`. */
  filter(filter: EventFilter): CompiledFilter
  /** Throws `NOT_FOUND` for an event that is not of the span, or had not arrived. */
  get(seq: number): EventDetail
  /** Holes that had begun, newest first; one that the clock is in lasts. */
  holes(holes: readonly Hole[]): Hole[]
}

/** The contract's bounds on a detail. */
const rawBodyMaxBytes = 64 * 1024
const detailListMax = 500

/** A silence beyond the service's last retry, as in `events/gaps.ts`, milliseconds. */
const retriesLastMs = 30_000

const laterIso = (iso: string | undefined, ms: number) =>
  isoOf(Math.max(iso === undefined ? ms : Date.parse(iso), ms))
const earlierIso = (iso: string | undefined, ms: number) =>
  isoOf(Math.min(iso === undefined ? ms : Date.parse(iso), ms))

export function createReplayView(parts: {
  source: Pick<ReplaySource, 'events' | 'repository' | 'journal' | 'recovered'>
  place: () => ReplayPlace
}): ReplayView {
  const { source, place } = parts
  const { events, repository: replay, journal } = source

  /** As an event was at the position: with fewer copies, where some came later. */
  const asThen = (row: EventRow): EventRow =>
    row.copies > 1 ? { ...row, copies: 1 + replay.copyCount(row.seq, place().position) } : row
  const isShown = ({ seq, receivedAt }: EventRow) => {
    const { fromMs, toMs, position } = place()
    const receivedMs = Date.parse(receivedAt)
    return seq <= position && receivedMs >= fromMs && receivedMs < toMs
  }

  const repository: EventsRepository = {
    ...events,
    select(filter) {
      const { newest, oldest, count, changed } = events.select(filter)
      return {
        newest: (afterSeq, upToSeq, limit) => newest(afterSeq, upToSeq, limit).map(asThen),
        oldest: (afterSeq, upToSeq, limit) => oldest(afterSeq, upToSeq, limit).map(asThen),
        count,
        changed: (afterSeq, upToSeq) => changed(afterSeq, upToSeq).map(asThen),
      }
    },
    arrivals(fromMs, toMs, bucketMs) {
      const { fromMs: firstMs, clockMs } = place()
      const nowMs = Math.floor(clockMs / 1_000) * 1_000
      return replay.series(Math.max(fromMs, firstMs), Math.min(toMs, nowMs), bucketMs)
    },
  }

  return {
    repository,
    filter(filter) {
      const { fromMs, toMs } = place()
      const { passesAll } = compileFilter(filter)
      const within = { ...filter, from: laterIso(filter.from, fromMs), to: earlierIso(filter.to, toMs) }
      return { ...compileFilter(within), passesAll }
    },
    get(seq) {
      const found = events.find(seq)
      if (!found || !isShown(found.event))
        throw new AppError('NOT_FOUND', { what: `Event ${seq} of this replay` })
      const { position, clockMs } = place()
      const event = asThen(found.event)
      // A signed copy that came later gave the event its fields, not what was to be seen then.
      const raw = journal.read(found.sourceSeq <= position ? found.sourceSeq : seq)
      const firstMs = Date.parse(event.receivedAt)
      const { messageId } = event
      const timeline =
        messageId === null
          ? [event]
          : events.timeline(messageId, detailListMax).filter((row) => row.seq <= position)
      const recovered = messageId === null ? null : source.recovered(messageId)
      return {
        event,
        rawBody: raw?.body.subarray(0, rawBodyMaxBytes).toString('utf8') ?? '',
        headers: raw ? (JSON.parse(raw.headersJson) as [string, string][]) : [],
        copies: [firstMs, ...replay.copies(seq, position, detailListMax - 1)].map((ms) => ({
          receivedAt: isoOf(ms),
          afterFirstMs: ms - firstMs,
        })),
        timeline: timeline.map(asThen),
        messageStatus:
          messageId === null ? null : furthestStatus(timeline.filter(({ kind }) => kind === 'dlr')),
        recovered: recovered !== null && Date.parse(recovered.readAt) < clockMs ? recovered : null,
        errorMeaning: errorMeaning(event.errorCode),
      }
    },
    holes(holes) {
      const { fromMs, clockMs } = place()
      return holes.flatMap((hole) => {
        const startMs = Date.parse(hole.from)
        const endMs = hole.to === null ? Infinity : Date.parse(hole.to)
        if (endMs <= fromMs || startMs >= clockMs) return []
        if (endMs <= clockMs) return [hole]
        const durationMs = clockMs - startMs
        return [{ ...hole, to: null, durationMs, proven: durationMs > retriesLastMs }]
      })
    },
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventBatch } from '../../../contract/live/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { beats, type Pulse } from '../../../lib/pulse.ts'
import type { CompiledFilter } from './event-filter.ts'
import { type EventScan, overAfter, seqsPerTurn } from './event-scan.ts'
import type { ProjectorState } from './event-writer.ts'
import type { EventsRepository, FilteredEvents } from './events.repository.ts'

/** Most new and most changed events in one batch (the contract's limit). */
const batchMax = 500

/**
 * Shortest time between bursts of batches, in milliseconds; an event after a silence is sent at once. Shorter
 * than the projector's rest, so that its batches go out without delay.
 */
const minGapMs = 45

/** How long one turn counts a filter's events, in milliseconds: about half of the time. */
const countForMs = 25

/** Longest time without a check, in case a signal was missed. */
const maxGapMs = 15_000

interface WatchSource {
  repository: EventsRepository
  scan: EventScan
  /** Fires after each batch of the projector. */
  pulse: Pulse
  state: () => ProjectorState
  clock: Clock
}

/** The next piece after `position`, limited in seqs, new events and changed events. */
function nextPiece(
  repository: EventsRepository,
  events: FilteredEvents,
  position: number,
  watermark: number,
): Pick<EventBatch, 'items' | 'changed' | 'upToSeq'> {
  let upToSeq = Math.min(position + seqsPerTurn, watermark)
  upToSeq = repository.nthCopy(position, upToSeq, batchMax) ?? upToSeq
  const items = events.oldest(position, upToSeq, batchMax)
  if (items.length === batchMax) upToSeq = items.at(-1)!.seq
  return { items, changed: events.changed(position, upToSeq), upToSeq }
}

/**
 * Follows a filter's events from `afterSeq`. Every batch is read from the store at the client's position, so a
 * slow client catches up in pieces and costs no memory. Positions are journal seqs, which cover duplicates as
 * well as new events. During a rebuild the watch waits until the projector has passed its position again. Ends
 * when `signal` aborts.
 */
export async function* watchEvents(
  source: WatchSource,
  filter: CompiledFilter,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void> {
  const { repository, scan, pulse, clock } = source
  const events = repository.select(filter)
  let position = afterSeq
  let hasSent = false
  let isCounting = false
  /** Old events may be deleted while nothing arrives. */
  let sentTotal = 0
  const turns = beats(pulse, clock, { minGapMs, maxGapMs }, signal)
  try {
    while (!(await turns.next()).done) {
      const { watermark, storedTotal } = source.state()
      if (hasSent && !isCounting && watermark <= position && storedTotal === sentTotal) continue
      const matchingTotal = filter.passesAll
        ? storedTotal
        : await scan.count(filter, watermark, { isOver: overAfter(clock, countForMs), signal })
      isCounting = matchingTotal === null
      // Continue counting in the next turn.
      if (isCounting) pulse.fire()
      do {
        const piece =
          watermark > position
            ? nextPiece(repository, events, position, watermark)
            : { items: [], changed: [], upToSeq: position }
        position = piece.upToSeq
        const hasNews = piece.items.length > 0 || piece.changed.length > 0
        if (!hasSent || hasNews || (position >= watermark && !isCounting)) {
          hasSent = true
          sentTotal = storedTotal
          yield { ...piece, storedTotal, matchingTotal }
        }
        if (position < watermark) await nextTurn()
      } while (position < watermark && !signal.aborted)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await turns.return()
  }
}

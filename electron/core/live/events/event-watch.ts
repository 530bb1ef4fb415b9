import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventBatch } from '../../../contract/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { beats, type Pulse } from '../../../lib/pulse.ts'
import type { CompiledFilter } from './event-filter.ts'
import { type EventScan, overAfter, seqsPerTurn } from './event-scan.ts'
import type { ProjectorState } from './event-writer.ts'
import type { EventsRepository, FilteredEvents } from './events.repository.ts'

/** Events in one batch, new ones and changed ones each: the contract's bound. */
const batchMax = 500

/**
 * At most one burst of batches in this time, milliseconds; an event after a silence goes out at once. Shorter than the projector's own
 * rest, so that what it made in a flood goes out at once, and not when it is nearly as old as what comes next.
 */
const minGapMs = 45

/** How long a turn counts the events of a filter before others have theirs, milliseconds: about half of the time. */
const countForMs = 25

/** A look without a sign from the projector, so that nothing can be missed for longer. */
const maxGapMs = 15_000

export interface WatchSource {
  repository: EventsRepository
  scan: EventScan
  /** Fires after each batch of the projector. */
  pulse: Pulse
  state: () => ProjectorState
  clock: Clock
}

/** The next piece after `position`: bounded in seqs looked at, in new events and in changed ones. */
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
 * Follows the events of a filter from `afterSeq` on. Every batch is read from the store by the client's own position, so a
 * client that falls behind gets all it missed in pieces and costs no memory. Positions are journal seqs: they account for
 * copies as well as for new events. While the projector rebuilds, the watch waits until it is past the position again.
 * Ends when `signal` aborts.
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
  let told = false
  let isCounting = false
  /** Old events may be taken away while nothing arrives. */
  let toldTotal = 0
  const turns = beats(pulse, clock, { minGapMs: minGapMs, maxGapMs: maxGapMs }, signal)
  try {
    while (!(await turns.next()).done) {
      const { watermark, storedTotal } = source.state()
      if (told && !isCounting && watermark <= position && storedTotal === toldTotal) continue
      const matchingTotal = filter.passesAll
        ? storedTotal
        : await scan.count(filter, watermark, { isOver: overAfter(clock, countForMs), signal })
      isCounting = matchingTotal === null
      // It goes on where it stopped, with the next turn.
      if (isCounting) pulse.fire()
      do {
        const piece =
          watermark > position
            ? nextPiece(repository, events, position, watermark)
            : { items: [], changed: [], upToSeq: position }
        position = piece.upToSeq
        const hasNews = piece.items.length > 0 || piece.changed.length > 0
        if (!told || hasNews || (position >= watermark && !isCounting)) {
          told = true
          toldTotal = storedTotal
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

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'
import { eventsContract } from './events.ts'

/** How many times faster than it was; `max` waits for nothing. */
export const replaySpeeds = [1, 5, 30, 120, 'max'] as const
export type ReplaySpeed = (typeof replaySpeeds)[number]
const speed = z.literal(replaySpeeds)

/** A replay of stored events: the record as it was at `clock`, which goes on by itself while it plays. */
export const replaySchema = z.object({
  id: z.string(),
  /** The span, [from, to), in whole seconds. */
  from: isoTime,
  to: isoTime,
  /** Events of the span that arrived before this are shown. */
  clock: isoTime,
  speed,
  playing: z.boolean(),
  /** True when the clock stands at the end of the span. */
  atEnd: z.boolean(),
  /** Times in which nothing arrived are passed over. */
  skipQuiet: z.boolean(),
  /** Events of the span that are shown, and all of them. */
  shown: z.int(),
  total: z.int(),
  /** Events that arrived in the span and were deleted since, for their age or the size of the record. */
  gone: z.int(),
  /** Rises when the clock was set: what was read before does not go on from there. */
  jump: z.int(),
})
export type Replay = z.infer<typeof replaySchema>

const span = z.object({ from: isoTime, to: isoTime })

export const replayContract = {
  /** The replay of the active connection, null when there is none: at once, then as it goes on, a few times a second. */
  state: procedure.output(eventIterator(z.object({ replay: replaySchema.nullable(), asOf: isoTime }))),
  /**
   * Begins a replay, in place of one that runs. A part of a second at either end counts as the whole one; the second that
   * is not over and what lies ahead are cut off. INVALID_INPUT for times that cannot be read or do not rise; REPLAY_EMPTY when nothing was stored then.
   */
  start: procedure
    .input(span.extend({ speed: speed.default(1), skipQuiet: z.boolean().default(false) }))
    .output(replaySchema),
  /** REPLAY_ENDED when there is none. `step` shows what arrived next and stays there; `seek` goes to a whole second of the span. */
  control: procedure
    .input(
      z.discriminatedUnion('action', [
        z.object({ action: z.literal(['pause', 'resume', 'step']) }),
        z.object({ action: z.literal('seek'), at: isoTime }),
        z.object({ action: z.literal('speed'), speed }),
        z.object({ action: z.literal('skipQuiet'), on: z.boolean() }),
      ]),
    )
    .output(replaySchema),
  /** Ends it; does nothing when there is none. */
  stop: procedure.output(z.object({})),

  // What the same calls of `events` answer, of the record as it was at the replay's clock. REPLAY_ENDED when there is none.
  search: eventsContract.search,
  watch: eventsContract.watch,
  get: eventsContract.get,
  series: eventsContract.series,
  holes: eventsContract.holes,
}

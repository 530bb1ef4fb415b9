import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'
import { eventSeriesSchema, eventsContract, holeSchema } from './events.ts'
import { recordingVerdictSchema, signedBySchema } from './recorder.ts'

/** How many times faster than it was; `max` waits for nothing. */
export const replaySpeeds = [1, 5, 30, 120, 'max'] as const
export type ReplaySpeed = (typeof replaySpeeds)[number]
const speed = z.literal(replaySpeeds)

/** The signed file whose events are replayed, as it says of itself. */
const replayedFileSchema = z.object({
  connection: z.string(),
  fingerprint: z.string(),
  signedBy: signedBySchema,
})

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
  /** Null where the events are those that this console stored. */
  recording: replayedFileSchema.nullable(),
})
export type Replay = z.infer<typeof replaySchema>

const pace = z.object({ speed: speed.default(1), skipQuiet: z.boolean().default(false) })
const span = z.object({ from: isoTime, to: isoTime })

export const replayContract = {
  /** The replay of the active connection, null when there is none: at once, then as it goes on, a few times a second. */
  state: procedure.output(eventIterator(z.object({ replay: replaySchema.nullable(), asOf: isoTime }))),
  /**
   * Begins a replay, in place of one that runs. A part of a second at either end counts as the whole one; the second that
   * is not over and what lies ahead are cut off. INVALID_INPUT for times that cannot be read or do not rise; REPLAY_EMPTY when nothing was stored then.
   */
  start: procedure.input(span.extend(pace.shape)).output(replaySchema),
  /**
   * Checks a signed file that was handed in and begins a replay of all its events, in place of one that runs; nothing of it is stored with
   * the events of this console. A file that is not whole ends with its verdict, and nothing is replayed. FILE_GONE, FILE_OUT_OF_STEP,
   * RECORDING_EMPTY, RECORDING_UNREADABLE, RECORDING_NOT_AS_CHECKED, RECORDING_NO_ROOM, DISK_FULL.
   */
  load: procedure
    .input(pace.extend({ fileId: z.string() }))
    .output(
      eventIterator(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('checking'), doneBytes: z.number(), totalBytes: z.number() }),
          z.object({ kind: z.literal('loading'), doneBytes: z.number(), totalBytes: z.number() }),
          z.object({ kind: z.literal('refused'), verdict: recordingVerdictSchema }),
          z.object({ kind: z.literal('started'), replay: replaySchema }),
        ]),
      ),
    ),
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

  /** Arrivals and holes of the whole span, for its time line. REPLAY_ENDED. */
  profile: procedure
    .input(z.object({ bucketMs: z.int().positive() }))
    .output(z.object({ series: eventSeriesSchema, holes: z.array(holeSchema) })),

  // What the same calls of `events` answer, of the record as it was at the replay's clock. REPLAY_ENDED when there is none.
  search: eventsContract.search,
  watch: eventsContract.watch,
  get: eventsContract.get,
  series: eventsContract.series,
  holes: eventsContract.holes,
}

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'

/** The key that this console signs recordings with. The private half is in the keychain and never leaves the core. */
export const recorderKeySchema = z.object({
  /** SHA-256 of the public key (SPKI, DER), lower-case hexadecimal. */
  fingerprint: z.string(),
  madeAt: isoTime,
  /** `memory`: there is no keychain to keep it, so that the next run signs with another one. */
  keptIn: z.enum(['keychain', 'memory']),
  /** Fingerprints of this console's keys before, newest first: they were lost with their entry in the keychain. */
  earlier: z.array(z.string()),
})
export type RecorderKey = z.infer<typeof recorderKeySchema>

/** What a whole recording says of itself. Whoever signed it wrote this. */
const recordingHeadSchema = z.object({
  connection: z.string(),
  service: z.string(),
  from: z.string(),
  to: z.string(),
  madeAt: z.string(),
  console: z.string(),
  events: z.int(),
  /** Events that arrived in the span; those beyond `events` were no longer kept. Null where the file does not say. */
  arrived: z.int().nullable(),
  gaps: z.int(),
})

export const signedBySchema = z.enum(['this-console', 'earlier-key', 'another-key'])

export const recordingVerdictSchema = z.discriminatedUnion('kind', [
  /** Not a byte of it is other than when it was signed with the key of this fingerprint. */
  z.object({
    kind: z.literal('whole'),
    fingerprint: z.string(),
    signedBy: signedBySchema,
    head: recordingHeadSchema,
  }),
  /** `line` is the first that does not hold, counted from 1. */
  z.object({ kind: z.literal('changed'), line: z.int(), why: z.string() }),
  /** Its end is missing; the lines there are hold together, which proves nothing without the signature. */
  z.object({ kind: z.literal('cut-off'), lines: z.int() }),
  z.object({ kind: z.literal('not-a-recording'), why: z.string() }),
])
export type RecordingVerdict = z.infer<typeof recordingVerdictSchema>

export const recorderContract = {
  /** Null until the first recording is written. */
  key: procedure.output(z.object({ key: recorderKeySchema.nullable() })),
  /**
   * Writes the stored events of a span, [from, to) in whole seconds, into a signed file. The file is the task's `refId`. INVALID_INPUT
   * for times that cannot be read or do not rise, RECORDER_KEY_UNREADABLE.
   */
  export: procedure
    .input(z.object({ from: isoTime, to: isoTime }))
    .output(z.object({ taskId: z.string(), key: recorderKeySchema })),
  /** Checks a file that was handed in: how far it is, and at the end the verdict. FILE_GONE, FILE_OUT_OF_STEP. */
  verify: procedure
    .input(z.object({ fileId: z.string() }))
    .output(
      eventIterator(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('reading'), doneBytes: z.number(), totalBytes: z.number() }),
          z.object({ kind: z.literal('verdict'), verdict: recordingVerdictSchema }),
        ]),
      ),
    ),
}

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'

/** The key that signs exports. Its private half is in the keychain and never leaves the core. */
export const signingKeySchema = z.object({
  /** SHA-256 of the public key (SPKI, DER), lower-case hexadecimal. */
  fingerprint: z.string(),
  madeAt: isoTime,
  /** `memory`: there is no keychain, so the next run makes a new key. */
  keptIn: z.enum(['keychain', 'memory']),
  /** Fingerprints of earlier keys, newest first: they were lost with their keychain entry. */
  earlier: z.array(z.string()),
})
export type SigningKey = z.infer<typeof signingKeySchema>

/** What a valid file says about itself; its signer wrote it. */
const headSchema = z.object({
  connection: z.string(),
  service: z.string(),
  from: z.string(),
  to: z.string(),
  madeAt: z.string(),
  console: z.string(),
  events: z.int(),
  /** Events that arrived in the period; those beyond `events` had been deleted. Null where the file does not say. */
  arrived: z.int().nullable(),
  gaps: z.int(),
})

const verdictSchema = z.discriminatedUnion('kind', [
  /** Every byte is as it was when the key with this fingerprint signed it. */
  z.object({
    kind: z.literal('whole'),
    fingerprint: z.string(),
    signedBy: z.enum(['this-console', 'earlier-key', 'another-key']),
    head: headSchema,
  }),
  /** `line` is the first damaged one, counted from 1. */
  z.object({ kind: z.literal('changed'), line: z.int(), why: z.string() }),
  /** Its end is missing. The lines up to there fit together, which proves nothing without the signature. */
  z.object({ kind: z.literal('cut-off'), lines: z.int() }),
  z.object({ kind: z.literal('not-an-export'), why: z.string() }),
])
export type Verdict = z.infer<typeof verdictSchema>

export const evidenceContract = {
  /** Null until the first signed export. */
  key: procedure.output(z.object({ key: signingKeySchema.nullable() })),
  /**
   * Writes the stored events of a period, [from, to) in whole seconds, to a signed file. The file is the task's `refId`. INVALID_INPUT
   * for unreadable or descending times, SIGNING_KEY_UNREADABLE.
   */
  export: procedure
    .input(z.object({ from: isoTime, to: isoTime }))
    .output(z.object({ taskId: z.string(), key: signingKeySchema })),
  /** Verifies an uploaded file: progress, then the verdict. FILE_GONE, FILE_OUT_OF_STEP. */
  verify: procedure
    .input(z.object({ fileId: z.string() }))
    .output(
      eventIterator(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('reading'), doneBytes: z.number(), totalBytes: z.number() }),
          z.object({ kind: z.literal('verdict'), verdict: verdictSchema }),
        ]),
      ),
    ),
}

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from '../define.ts'

/** Key for signed exports. The private half is in the keychain and never leaves the core. */
export const signingKeySchema = z.object({
  /** SHA-256 of the public key (SPKI, DER), lower-case hex. */
  fingerprint: z.string(),
  madeAt: isoTime,
  /** `memory`: no keychain, so the next start creates a new key. */
  keptIn: z.enum(['keychain', 'memory']),
  /** Fingerprints of lost keys, newest first. */
  earlier: z.array(z.string()),
})
export type SigningKey = z.infer<typeof signingKeySchema>

/** Contents of a valid file, as its signer wrote them. */
const headSchema = z.object({
  connection: z.string(),
  service: z.string(),
  from: z.string(),
  to: z.string(),
  madeAt: z.string(),
  console: z.string(),
  events: z.int(),
  /** Events received in the period; those beyond `events` were deleted. Null when the file doesn't say. */
  arrived: z.int().nullable(),
  gaps: z.int(),
})

const verdictSchema = z.discriminatedUnion('kind', [
  /** Unchanged since the key with this fingerprint signed it. */
  z.object({
    kind: z.literal('valid'),
    fingerprint: z.string(),
    signedBy: z.enum(['this-console', 'earlier-key', 'another-key']),
    head: headSchema,
  }),
  /** Changed or cut off after it was signed, or never signed. */
  z.object({ kind: z.literal('changed') }),
  z.object({ kind: z.literal('newer-version') }),
  z.object({ kind: z.literal('not-an-export') }),
])
export type Verdict = z.infer<typeof verdictSchema>

export const signedExportsContract = {
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

import * as z from 'zod'
import { procedure, nothing } from '../define.ts'
import { pieceLength } from '../limits.ts'

/** Files between page and core, in pieces of at most `pieceBytes`: uploads, and downloads of what tasks wrote. */
export const filesContract = {
  /** Starts an upload. Bytes are kept with the connection until used, or for a day. */
  begin: procedure
    .input(z.object({ name: z.string().min(1).max(255), sizeBytes: z.int().min(0) }))
    .output(z.object({ fileId: z.string() })),
  /** Appends `base64` at `offset`, which must equal the bytes received. Returns the new total. */
  append: procedure
    .input(z.object({ fileId: z.string(), offset: z.int().min(0), base64: z.string().max(pieceLength) }))
    .output(z.object({ receivedBytes: z.int() })),
  /** Deletes an upload or a result. */
  discard: procedure.input(z.object({ fileId: z.string() })).output(nothing),
  /** One piece of a result; `endOfFile` with the last. */
  read: procedure
    .input(z.object({ fileId: z.string(), offset: z.int().min(0) }))
    .output(z.object({ name: z.string(), sizeBytes: z.int(), base64: z.string(), endOfFile: z.boolean() })),
}

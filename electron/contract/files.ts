import * as z from 'zod'
import { procedure } from './define.ts'
import { pieceLength } from './limits.ts'

/**
 * Files between page and core, in pieces of at most `pieceBytes`, so that no message is unbounded. A page
 * hands in what the operator dropped on it; it takes out what a task wrote.
 */
export const filesContract = {
  /** Announces a file. Its bytes are kept in the connection's folder until they are used or a day has passed. */
  begin: procedure
    .input(z.object({ name: z.string().min(1).max(255), sizeBytes: z.int().min(0) }))
    .output(z.object({ fileId: z.string() })),
  /** Appends `base64` at `offset`, which must be the number of bytes there are. Answers how many there are now. */
  append: procedure
    .input(z.object({ fileId: z.string(), offset: z.int().min(0), base64: z.string().max(pieceLength) }))
    .output(z.object({ receivedBytes: z.int() })),
  /** Forgets a file that was handed in or made. */
  discard: procedure.input(z.object({ fileId: z.string() })).output(z.object({})),
  /** A piece of a file that a task made. `endOfFile` with the last. */
  read: procedure
    .input(z.object({ fileId: z.string(), offset: z.int().min(0) }))
    .output(z.object({ name: z.string(), sizeBytes: z.int(), base64: z.string(), endOfFile: z.boolean() })),
}

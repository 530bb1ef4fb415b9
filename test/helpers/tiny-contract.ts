import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { procedure } from '../../electron/contract/define.ts'

/** A contract with one procedure per behaviour of a channel, served by `tiny-core-thread.ts`. */
export const tinyContract = {
  echo: procedure.input(z.object({ text: z.string() })).output(z.object({ text: z.string() })),
  /** Fails with PORT_TAKEN for the port given. */
  refuse: procedure.input(z.object({ port: z.number() })).output(z.object({})),
  /** Throws what no error map knows. */
  explode: procedure.output(z.object({})),
  /** Answers only when aborted, or never. */
  hang: procedure.output(z.object({})),
  /** Counts from 0 until it is stopped. */
  count: procedure.output(eventIterator(z.object({ n: z.number() }))),
  /** `sizeBytes` letters. */
  blob: procedure.input(z.object({ sizeBytes: z.number() })).output(z.object({ text: z.string() })),
  /** Streams open now, calls of `hang` open now and calls of `hang` that were aborted. */
  census: procedure.output(z.object({ streams: z.number(), hanging: z.number(), aborted: z.number() })),
  /** Ends the thread with an uncaught error. */
  crash: procedure.output(z.object({})),
  /** Answers, then blocks the event loop forever. */
  stall: procedure.output(z.object({})),
  /** Keeps on taking memory. */
  fill: procedure.output(z.object({})),
  /** What the thread was started with, and what the host's ports answer. */
  ports: procedure.output(
    z.object({
      startWith: z.string(),
      restartAfter: z.string().nullable(),
      secret: z.string().nullable(),
      errorCode: z.string().nullable(),
    }),
  ),
}

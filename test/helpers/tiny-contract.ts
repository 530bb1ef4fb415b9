import { type ContractRouterClient, eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { procedure } from '../../electron/contract/define.ts'

/** A contract with one procedure per behaviour of a channel, served by `tiny-core-thread.ts`. */
export const tinyContract = {
  echo: procedure.input(z.object({ text: z.string() })).output(z.object({ text: z.string() })),
  /** Fails with PORT_TAKEN for the given port. */
  refuse: procedure.input(z.object({ port: z.number() })).output(z.object({})),
  /** Throws an undeclared error. */
  explode: procedure.output(z.object({})),
  /** Answers only when aborted, or never. */
  hang: procedure.output(z.object({})),
  /** Counts from 0 until stopped. */
  count: procedure.output(eventIterator(z.object({ n: z.number() }))),
  /** `sizeBytes` letters. */
  blob: procedure.input(z.object({ sizeBytes: z.number() })).output(z.object({ text: z.string() })),
  /** Open streams, open calls of `hang` and aborted calls of `hang`. */
  census: procedure.output(z.object({ streams: z.number(), hanging: z.number(), aborted: z.number() })),
  /** Ends the thread with an uncaught error. */
  crash: procedure.output(z.object({})),
  /** Answers, then blocks the event loop forever. */
  stall: procedure.output(z.object({})),
  /** Answers, then blocks the event loop without using the processor. */
  wait: procedure.input(z.object({ ms: z.number() })).output(z.object({})),
  /** Answers, then runs a query in SQLite forever. */
  query: procedure.output(z.object({})),
  /** Allocates memory forever. */
  fill: procedure.output(z.object({})),
  /** The thread's start data, and the answers of the host's ports. */
  ports: procedure.output(
    z.object({
      startWith: z.string(),
      restartAfter: z.string().nullable(),
      secret: z.string().nullable(),
      errorCode: z.string().nullable(),
    }),
  ),
}

export type TinyClient = ContractRouterClient<typeof tinyContract>

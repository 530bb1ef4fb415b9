import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import type { Contract } from '#contract/contract.ts'

type Inputs = InferContractRouterInputs<Contract>
type Outputs = InferContractRouterOutputs<Contract>

/** A stream may be an async generator. */
type Answer<O> = O extends AsyncIterable<infer Item> ? AsyncGenerator<Item, void> : O | Promise<O>

/** One answer per procedure. It may throw an `AppError`, wait, or return a stream. */
export type Script = {
  [F in keyof Contract]: {
    [P in keyof Contract[F]]: (
      input: P extends keyof Inputs[F] ? Inputs[F][P] : never,
      signal: AbortSignal | undefined,
      /** The connection that the call is for. */
      connectionId?: string,
    ) => P extends keyof Outputs[F] ? Answer<Outputs[F][P]> : never
  }
}

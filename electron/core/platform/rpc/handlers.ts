import type { AnyContractProcedure, ContractProcedure } from '@orpc/contract'
import {
  implement,
  type Context,
  type InferSchemaInput,
  type InferSchemaOutput,
  type Router,
} from '@orpc/server'

/** The functions that answer a contract. Each gets the input, if its call has one, and a signal that ends with the page or the call. */
export type CallsOf<Contract> = {
  [Name in keyof Contract]: Contract[Name] extends ContractProcedure<
    infer Input,
    infer Output,
    infer _Errors,
    infer _Meta
  >
    ? (
        ...given: unknown extends InferSchemaOutput<Input>
          ? [signal: AbortSignal]
          : [input: InferSchemaOutput<Input>, signal: AbortSignal]
      ) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>
    : never
}

type Call = (...given: unknown[]) => unknown

/** Answers each call of a contract by the function with its name. `callsOf` gives them for the connection that the call names. */
export function handlersOf<Contract extends Record<string, AnyContractProcedure>, Slice extends Context>(
  contract: Contract,
  callsOf: (context: Slice) => CallsOf<Contract>,
): Router<Contract, Slice> {
  const handlers = Object.entries(contract).map(([name, procedure]) => {
    const hasInput = procedure['~orpc'].inputSchema !== undefined
    const handler = implement(procedure)
      .$context<Slice>()
      .handler(({ context, input, signal }) => {
        const call = callsOf(context)[name] as Call
        return hasInput ? call(input, signal) : call(signal)
      })
    return [name, handler]
  })
  return Object.fromEntries(handlers) as Router<Contract, Slice>
}

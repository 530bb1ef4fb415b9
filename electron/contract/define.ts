import { oc } from '@orpc/contract'
import * as z from 'zod'
import { type ErrorCode, errorTable } from './errors.ts'

const errorData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

const procedureErrors = Object.fromEntries(
  Object.keys(errorTable).map((code) => [code, { data: errorData }]),
) as Record<ErrorCode, { data: typeof errorData }>

/** Starts a procedure of the contract. Every procedure may answer with any code of the error table. */
export const procedure = oc.errors(procedureErrors)

/** ISO 8601 date-time in UTC. A string on the wire, so that both transports carry the same. */
export const isoTime = z.string()

/** An error as the renderer shows it: the operator's sentence, its code, and the values behind it. */
export const errorViewSchema = z.object({
  code: z.string(),
  text: z.string(),
  retryable: z.boolean(),
  data: errorData,
})
export type ErrorView = z.infer<typeof errorViewSchema>

/** How fresh an answer is: taken from the service just now, or the last one that was kept. */
export const freshnessSchema = z.object({
  /** When the service gave this answer. */
  asOf: isoTime,
  source: z.enum(['live', 'cache']),
  /** Why it is not live, when it is not; null while the service is still being asked. */
  error: errorViewSchema.nullable(),
})
export type Freshness = z.infer<typeof freshnessSchema>

import { oc } from '@orpc/contract'
import * as z from 'zod'
import { type ErrorCode, errorTable } from './errors.ts'

const errorData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

const procedureErrors = Object.fromEntries(
  Object.keys(errorTable).map((code) => [code, { data: errorData }]),
) as Record<ErrorCode, { data: typeof errorData }>

/** Starts a procedure. Each can return any error of the table. */
export const procedure = oc.errors(procedureErrors)

/** ISO 8601 date-time in UTC. A string, so both transports carry the same value. */
export const isoTime = z.string()

/** An error for display: text, code and values. */
export const errorViewSchema = z.object({
  code: z.string(),
  text: z.string(),
  retryable: z.boolean(),
  data: errorData,
})
export type ErrorView = z.infer<typeof errorViewSchema>

/** Age of an answer: live, or the last stored one. */
export const freshnessSchema = z.object({
  /** When the service gave it. */
  asOf: isoTime,
  source: z.enum(['live', 'cache']),
  /** Why it isn't live; null while the request is running. */
  error: errorViewSchema.nullable(),
})
export type Freshness = z.infer<typeof freshnessSchema>

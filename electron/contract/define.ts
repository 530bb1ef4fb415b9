import { oc } from '@orpc/contract'
import * as z from 'zod'
import { type ErrorCode, errorCodes } from './errors.ts'
import { isPhrase, type Said } from './phrases.ts'

/** A phrase of the catalogues, or plain text. */
export const saidSchema = z.custom<Said>((value) => typeof value === 'string' || isPhrase(value))

const errorData = z.record(
  z.string(),
  z.union([saidSchema, z.object({ time: z.string() }), z.number(), z.boolean(), z.null()]),
)

const procedureErrors = Object.fromEntries(errorCodes.map((code) => [code, { data: errorData }])) as Record<
  ErrorCode,
  { data: typeof errorData }
>

type Schema<Of> = Of extends z.ZodType ? z.infer<Of> : never

/** What the handler of a procedure gets: its input with defaults filled in. */
export type InputOf<Contract, Name extends keyof Contract> = Contract[Name] extends {
  '~orpc': { inputSchema?: infer Of }
}
  ? Schema<Of>
  : never
/** What the handler of a procedure returns. */
export type OutputOf<Contract, Name extends keyof Contract> = Contract[Name] extends {
  '~orpc': { outputSchema?: infer Of }
}
  ? Schema<Of>
  : never

/** Starts a procedure. Each can return any error of the table. */
export const procedure = oc.errors(procedureErrors)

/** The answer of a call that only does something. */
export const nothing = z.void()

/** ISO 8601 date-time in UTC. A string, so both transports carry the same value. */
export const isoTime = z.string()

/** An error for display: its code, whether the service acted, and the values of its text. */
export const errorViewSchema = z.object({
  code: z.string(),
  acted: z.enum(['no', 'maybe']),
  data: errorData,
})
export type ErrorView = z.infer<typeof errorViewSchema>

/** A count; with `atLeast` there may be more. */
export const openCountSchema = z.object({ value: z.int(), atLeast: z.boolean() })
export type OpenCount = z.infer<typeof openCountSchema>

/** Age of an answer: live, or the last stored one. */
export const freshnessSchema = z.object({
  /** When the service gave it. */
  asOf: isoTime,
  source: z.enum(['live', 'cache']),
  /** Why it isn't live; null while the request is running. */
  error: errorViewSchema.nullable(),
})
export type Freshness = z.infer<typeof freshnessSchema>

/** A page of a list of the service, or its last stored answer. */
export const servicePage = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    /** Records of this page that can't be read; older stored answers lack it. */
    unreadable: z.int().optional(),
    total: z.int(),
    /** There may be more than `total`, because the last reading was incomplete or the service gives no total. */
    atLeast: z.boolean().optional(),
    page: z.int(),
    perPage: z.int(),
    freshness: freshnessSchema,
  })

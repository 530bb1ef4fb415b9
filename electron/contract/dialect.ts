import * as z from 'zod'

/** Where the console's belief about an open name comes from. Only `proven` was shown by the service's own answers. */
export const provenanceSchema = z.enum(['proven', 'assumed', 'set by hand'])
export type Provenance = z.infer<typeof provenanceSchema>

const known = <T extends z.ZodType>(value: T) => z.object({ value, provenance: provenanceSchema })

const parameterName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\w.[\]-]+$/, 'Letters, digits, _ . - [ ] only')
const word = z.string().trim().min(1).max(100)
const words = z.array(word).max(50)

/**
 * The names that the spec leaves open ("not shown"), as the console uses them for one connection,
 * each with where it comes from. Edited under Settings.
 */
export const dialectSchema = z.object({
  /** GET /dnc/check: the query parameter that carries the number. */
  dncCheckParameter: known(parameterName),
  /** GET /analytics/*: the query parameters of the span and how a day is written (`2026-01-31`, or with a time in UTC). */
  analyticsDates: known(
    z.object({
      startParameter: parameterName,
      endParameter: parameterName,
      format: z.enum(['date', 'date-time']),
    }),
  ),
  /** GET /error-codes/search: the query parameter of the search text. */
  errorCodeSearchParameter: known(parameterName),
  /** POST /webhooks: what to subscribe to for each family. */
  webhookCreateEvents: known(z.object({ dlr: words, mo: words })),
  /** GET /webhooks/subscriptions: every name that counts as one of the family. */
  webhookEventFamilies: known(z.object({ dlr: words, mo: words })),
  /** POST /webhooks/{id}/test: the `event_type` of each family. */
  webhookTestEvents: known(z.object({ dlr: word, mo: word })),
  /** Subscription states under which deliveries arrive. */
  webhookActiveStatuses: known(words),
  /** Template states that can be sent without a warning. */
  sendableTemplateStatuses: known(words),
  /** Scheduled-message states that still wait for their time. */
  waitingScheduledStatuses: known(words),
})
export type Dialect = z.infer<typeof dialectSchema>

/** The open names that a safe probe can find. */
export const probedNameSchema = z.enum(['dncCheckParameter', 'errorCodeSearchParameter', 'analyticsDates'])
export type ProbedName = z.infer<typeof probedNameSchema>

import * as z from 'zod'

/** Source of a field name. `proven`: the service's responses confirmed it. */
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

/** Names and states the spec leaves open ("not shown"), with their source, per connection. Edited in Settings. */
export const fieldNamesSchema = z.object({
  /** GET /dnc/check: query parameter for the number. */
  dncCheckParameter: known(parameterName),
  /** GET /analytics/*: query parameters for the period, and the date format (`2026-01-31`, or a UTC time). */
  analyticsDates: known(
    z.object({
      startParameter: parameterName,
      endParameter: parameterName,
      format: z.enum(['date', 'date-time']),
    }),
  ),
  /** GET /error-codes/search: query parameter for the text. */
  errorCodeSearchParameter: known(parameterName),
  /** POST /webhooks: event names to subscribe to per family. */
  webhookCreateEvents: known(z.object({ dlr: words, mo: words })),
  /** GET /webhooks/subscriptions: all names that belong to a family. */
  webhookEventFamilies: known(z.object({ dlr: words, mo: words })),
  /** POST /webhooks/{id}/test: `event_type` per family. */
  webhookTestEvents: known(z.object({ dlr: word, mo: word })),
  /** Subscription states in which events arrive. */
  webhookActiveStatuses: known(words),
  /** Template states that send without a warning. */
  sendableTemplateStatuses: known(words),
  /** States of scheduled messages that are still waiting. */
  waitingScheduledStatuses: known(words),
})
export type FieldNames = z.infer<typeof fieldNamesSchema>

/** Names that can be detected with safe requests. */
export const detectableNameSchema = z.enum([
  'dncCheckParameter',
  'errorCodeSearchParameter',
  'analyticsDates',
])
export type DetectableName = z.infer<typeof detectableNameSchema>

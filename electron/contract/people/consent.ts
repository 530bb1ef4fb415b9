import * as z from 'zod'
import { consentKeysMax } from './consent-values.ts'

/** What happens to numbers whose row says no in a column about consent. `no`: keys of the values that mean no. */
export const consentChoiceSchema = z.object({
  column: z.int().nonnegative(),
  action: z.enum(['hold', 'skip', 'ignore']),
  no: z.array(z.string().max(200)).max(consentKeysMax),
})

export type ConsentChoice = z.infer<typeof consentChoiceSchema>

/**
 * Choices of a check or a send, which hold nobody. A column that isn't among them is `skip` with the values that are `isNo`, unless some of
 * `unknownBesideNo` aren't: then nothing starts.
 */
export const skipChoices = z
  .array(consentChoiceSchema.extend({ action: z.enum(['skip', 'ignore']) }))
  .max(50)
  .default([])

/** A column about consent to be contacted, with the rows of each value. `never`: the person never agreed. */
export const consentColumnSchema = z.object({
  column: z.int(),
  values: z.array(
    z.object({
      key: z.string(),
      value: z.string(),
      count: z.int(),
      means: z.enum(['no', 'never', 'yes', 'unknown']),
      /** Counts as a no without a choice. */
      isNo: z.boolean(),
    }),
  ),
  /** Rows with further values that are no yes: they count as a no. */
  others: z.int(),
})
export type ConsentColumn = z.infer<typeof consentColumnSchema>

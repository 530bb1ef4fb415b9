import * as z from 'zod'

/** How numbers without a plus are read, beside their region. */
export const numberReading = {
  /** Every number carries its country code, also without a plus. Only those with a leading zero are read as dialled in the region. */
  hasCountryCodes: z.boolean(),
}

/** The column of a file (from 0) that names the country in which a row's numbers are dialled. */
export const countryColumn = { countryColumn: z.int().min(0).nullish() }

/** Numbers that are also valid in another reading. Both are checked against DNC and holds. */
export const readableTwoWays = z.int()

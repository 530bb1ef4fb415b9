import * as z from 'zod'

/** How numbers without a plus are read, beside their region. */
export const numberReading = {
  /** Every number carries its country code, also without a plus. Only those with a leading zero are read as dialled in the region. */
  hasCountryCodes: z.boolean(),
}

/** ISO 3166 alpha-2: where numbers without a country code are dialled. Null if unknown: only those with their country code are read. */
export const numberRegion = z.string().length(2).nullable()

/** The column of a file (from 0) that names the country in which a row's numbers are dialled. */
export const countryColumn = { countryColumn: z.int().min(0).nullish() }

/** All columns of a file (from 0) with numbers of a row's person, in any order; those that the file shows if it is missing. */
export const numberColumns = { numberColumns: z.array(z.int().min(0)).max(500).optional() }

/** Numbers that are also valid in another reading. Both are checked against DNC and holds. */
export const readableTwoWays = z.int()

import * as z from 'zod'

/** How numbers without a plus are read, beside their region. */
export const numberReading = {
  /** Reads `0049…` as `+49…`. */
  doubleZeroIsPlus: z.boolean(),
  /** In a region with calling code 49, reads `49…` as `+49…` where that is a valid number. */
  ownCodeIsPlus: z.boolean(),
}

/** Numbers that start with their region's calling code and are valid with and without it. */
export const readableTwoWays = z.int()

import * as z from 'zod'

/** How numbers without a plus are read where they could be dialled abroad; their region stands beside it. */
export const numberReading = {
  /** Reads `0049…` as `+49…`. */
  doubleZeroIsPlus: z.boolean(),
  /** Of a region whose calling code is 49, reads `49…` as `+49…` wherever that makes a number. */
  ownCodeIsPlus: z.boolean(),
}

/** How many numbers begin with their region's own calling code and are a number both with and without it. */
export const readableTwoWays = z.int()

const digitsOf = (number: string | null) => number?.replace(/\D/g, '')

/** Whether two numbers in international form have the same digits. The search of events also finds longer numbers. */
export const isSameNumber = (one: string | null, other: string | null): boolean =>
  digitsOf(one) === digitsOf(other)

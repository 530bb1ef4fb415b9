/** Spaces, brackets, dashes, dots, slashes, and the direction marks of copied numbers. */
const between = String.raw`\s().\-/\u2010-\u2015\u2212\u200e\u200f\u202a-\u202e\u2066-\u2069`
const numberLike = new RegExp(`^[${between}]*[+＋]?[${between}]*[0-9][${between}0-9]*$`)

/** Whether a text can be a number or part of one: ASCII digits, usual separators and a leading plus. */
export const isNumberLike = (text: string): boolean => numberLike.test(text)

export const digitsOf = (text: string): string => text.replace(/\D/g, '')

/** Whether it names its country with a plus or 00. */
export const hasCountry = (text: string): boolean => /^\D*[+＋]/.test(text) || /^00[1-9]/.test(digitsOf(text))

/**
 * Whether a text repeats a number without its calling code: `0171 2345678` for +49 171 2345678. Good enough to confirm a number, not to
 * read one.
 */
export function repeatsNational(text: string, number: string): boolean {
  const digits = digitsOf(number)
  const national = digitsOf(text).replace(/^0+/, '')
  const codeLength = digits.length - national.length
  return national.length >= 6 && codeLength >= 1 && codeLength <= 3 && digits.endsWith(national)
}

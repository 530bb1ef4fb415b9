/** Spaces, brackets, dashes, dots and slashes, and marks of direction that come with a copied number. */
const between = String.raw`\s().\-/\u2010-\u2015\u2212\u200e\u200f\u202a-\u202e\u2066-\u2069`
const numberLike = new RegExp(`^[${between}]*[+＋]?[${between}]*[0-9][${between}0-9]*$`)

/** Whether a text can be a number or a part of one: ASCII digits, and nothing but what people put between them and a plus before them. */
export const isNumberLike = (text: string): boolean => numberLike.test(text)

/** Whether a number-like text says its country: by its plus, or by the 00 dialled in its place. */
export const hasCountry = (text: string): boolean =>
  /^\D*[+＋]/.test(text) || /^00[1-9]/.test(text.replace(/\D/g, ''))

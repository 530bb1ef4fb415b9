/** The decimal mark of a number's text. */
export type DecimalMark = 'point' | 'comma'

/** A phrase that reads after the text. `whole` and `decimal`: the two meanings, so written that each has one. */
type Reason =
  | { key: `number.${'zeros' | 'notNumber' | 'digits'}` }
  | { key: 'number.twoWays'; whole: string; decimal: string }
  | { key: 'number.currency'; currency: string }
/** `text`: the number as JSON writes it, with its decimals as written (`1234.50`). */
export type ReadNumber = { ok: true; text: string } | { ok: false; reason: Reason }

const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
/** Groups of three, or Indian ones: three, before them twos. `g` is the separator. */
const grouped = (g: string) =>
  String.raw`\d{1,3}(?<three>${g})\d{3}(?:\k<three>\d{3})*|\d{1,2}(?<two>${g})\d{2}(?:\k<two>\d{2})*\k<two>\d{3}`
const neutral = String.raw`[ \u00a0\u2007\u2009\u202f'’]`
const shape = (group: string, mark: string) =>
  new RegExp(
    String.raw`^(?<sign>[+-]?)(?<whole>\d+|${grouped(`(?:${neutral}|${group})`)})(?:${mark}(?<decimals>\d+))?$`,
  )
const shapes = { point: shape(',', String.raw`\.`), comma: shape(String.raw`\.`, ',') }

/** The codes of signs and words. */
const codes: Readonly<Record<string, string>> = {
  '€': 'EUR',
  EURO: 'EUR',
  EUROS: 'EUR',
  $: 'USD',
  US$: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  RS: 'INR',
  FR: 'CHF',
  R$: 'BRL',
  ZŁ: 'PLN',
  KČ: 'CZK',
  FT: 'HUF',
  '₺': 'TRY',
  TL: 'TRY',
  '₽': 'RUB',
  РУБ: 'RUB',
  ЛВ: 'BGN',
  LEI: 'RON',
}
const currency = String.raw`[A-Z]{0,3}\p{Sc}|[Ee]uros?|[Kk]r\.?|Kč|zł|F[rt]\.?|Rs\.?|lei|TL|лв\.?|руб\.?|${Intl.supportedValuesOf('currency').join('|')}`
const amount = new RegExp(
  String.raw`^(?<sign>[+-]?)\s*(?:(?<before>${currency})\s*)?(?<number>[+-]?\d.*?)(?:\s*(?<after>${currency}))?$`,
  'u',
)
/** Written for no decimals. */
const noDecimals = /(?<=\d[.,])[-–—]+$/

/** A number's text without one sign, word or code of a currency before or behind it, which is `currency` as written. */
function amountOf(written: string): { text: string; currency: string | null } {
  const text = written.replace(invisible, '').trim().replace(/^[−–]/, '-')
  const { sign, before, number, after } = amount.exec(text)?.groups ?? {}
  if (number === undefined || (before !== undefined && after !== undefined)) return { text, currency: null }
  return { text: sign + number.replace(noDecimals, '00'), currency: before ?? after ?? null }
}

/** The currency of a number's text, as written; null without one. */
export const currencyOf = (written: string): string | null => amountOf(written).currency
const codeOf = (currency: string): string => {
  const word = currency.toUpperCase().replace('.', '')
  return codes[word] ?? word
}
/** Whether two texts name one currency: `€` and `EUR`. */
export const isSameCurrency = (one: string, other: string): boolean => codeOf(one) === codeOf(other)

/** A read text as a number, or the text itself where a number would drop decimals: `12.50`. */
export function keptNumber(text: string): number | string {
  const number = Number(text)
  return String(number) === text ? number : text
}

const refuse = (key: `number.${'zeros' | 'notNumber' | 'digits'}`): ReadNumber => ({
  ok: false,
  reason: { key },
})

/**
 * Reads a number whose decimal mark is known. Groups of digits may be separated by the other mark, a space or an apostrophe; a currency may
 * stand beside it. Refuses all else: percent, exponents, leading zeros, and more than 15 digits.
 */
export function readNumber(written: string, mark: DecimalMark): ReadNumber {
  const found = shapes[mark].exec(amountOf(written).text)?.groups
  if (!found) return refuse('number.notNumber')
  const whole = found['whole']!.replace(/\D/g, '')
  const { decimals } = found as { decimals?: string }
  if (/^0\d/.test(whole)) return refuse('number.zeros')
  if ((whole + (decimals ?? '')).replace(/^0+/, '').length > 15) return refuse('number.digits')
  const number = decimals === undefined ? whole : `${whole}.${decimals}`
  return { ok: true, text: found['sign'] === '-' && Number(number) !== 0 ? `-${number}` : number }
}

/** A read text without needless zeros: `1.5` for `1.500`. */
export const shortNumber = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

/** Reads one number without others to compare. Refuses a text with two meanings, such as `1.500`. */
export function readLoneNumber(written: string): ReadNumber {
  const point = readNumber(written, 'point')
  const comma = readNumber(written, 'comma')
  if (!point.ok || !comma.ok) return point.ok ? point : comma.ok ? comma : point
  if (point.text === comma.text) return point
  const isDecimal = point.text.includes('.')
  const whole = isDecimal ? comma.text : point.text
  const short = shortNumber(isDecimal ? point.text : comma.text)
  // Three decimals look like a group of digits; four don't.
  const decimal = /\.\d{3}$/.test(short) ? `${short}0` : short
  return { ok: false, reason: { key: 'number.twoWays', whole, decimal } }
}

/** A number with a decimal point, so written that it has no other meaning: `1.2340` for `1.234`. */
export function clearDecimals(text: string): string {
  const read = readLoneNumber(text)
  return !read.ok && read.reason.key === 'number.twoWays' ? read.reason.decimal : text
}

import { shownPercent } from '#contract/views/campaign-alert-rules.ts'
import type { OpenCount } from '#contract/define.ts'
import { byLocale } from '../i18n/locale.ts'

const counts = byLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }))
const decimals = (minimum: number, maximum: number) =>
  byLocale(
    (locale) =>
      new Intl.NumberFormat(locale, { minimumFractionDigits: minimum, maximumFractionDigits: maximum }),
  )
const oneDecimal = decimals(1, 1)
const amounts = decimals(2, 2)
const smallAmounts = decimals(2, 6)
const shares = byLocale(
  (locale) =>
    new Intl.NumberFormat(locale, {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      useGrouping: false,
    }),
)

/** A count with thousands separators: `1,234,567`. */
export function formatCount(value: number): string {
  return counts().format(value)
}

/** A count that may be higher: `1,000+`. */
export const formatOpenCount = ({ value, atLeast }: OpenCount): string =>
  formatCount(value) + (atLeast ? '+' : '')

/** A value with one decimal: `2.1`. */
export const formatDecimal = (value: number): string => oneDecimal().format(value)

/** An amount with two decimals, up to six below one, and no currency sign, because the service gives none. */
export function formatAmount(value: number): string {
  return (Math.abs(value) < 1 ? smallAmounts : amounts)().format(value)
}

const exactly = Array.from({ length: 7 }, (_digits, digits) => decimals(digits, digits))

/** Amounts of a column with the same number of decimals, 2 to 6, as many as needed. */
export function alignedAmounts(values: readonly number[]): (value: number) => string {
  const needed = values.map((value) => value.toFixed(6).replace(/0+$/, '').split('.')[1]!.length)
  const format = exactly[Math.max(2, ...needed)]!
  return (value) => format().format(value)
}

/** A share of `whole` as `12.3%`; an em dash if `whole` is zero. */
export function formatShare(part: number, whole: number): string {
  return whole <= 0 ? '–' : shares().format(shownPercent(part, whole) / 100)
}

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in the largest unit that leaves a whole part: `812 bytes`, `1.4 MiB`. */
export function formatBytes(sizeBytes: number): string {
  let size = sizeBytes
  let unit = 0
  while (size >= 1024 && unit < byteUnits.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 ? formatCount(size) : oneDecimal().format(size)} ${byteUnits[unit]}`
}

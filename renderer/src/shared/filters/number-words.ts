import { digitsOf, hasCountry, isNumberLike } from '#contract/number-text.ts'
import { regionName } from '../format/regions.ts'
import { t } from '../i18n/shared.texts.ts'

/** A number that can be searched for. */
export const numberSample = '+49 151 23456789'

/** Fewer digits match too many numbers. */
const digitsMin = 4

/** Whether a search text may be a number. */
export const mayBeNumber = (typed: string): boolean =>
  isNumberLike(typed) && digitsOf(typed).length >= digitsMin

/** How a number in national form is searched for; null for any other text, and while its country is unknown. */
export function dialledNote(typed: string, region: string | null): string | null {
  const digits = digitsOf(typed)
  if (region === null || !mayBeNumber(typed) || hasCountry(typed) || !digits.startsWith('0')) return null
  return t('number.dialled', {
    region: regionName(region),
    digits: digits.replace(/^0+(?=.)/, ''),
    sample: numberSample,
  })
}

/** What to write when a number without a country code matches nothing; null for any other text. */
export function notFoundNote(typed: string): string | null {
  if (!mayBeNumber(typed) || hasCountry(typed)) return null
  return t('number.addCountry', { sample: numberSample })
}

import { scientific } from './clean-number.ts'

/** A day in digits: its year last or first, with two or four digits. */
const dayShape = /^(?:(\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d\d)|(\d{4})([-./]?)(\d{1,2})\6(\d{1,2}))$/
/** A time of day behind a date, with its zone. */
const timeOfDay = /(?:,? |T)\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?(?:Z| ?[+-]\d\d:?\d\d)?$/i

const mayBeDay = (year: string, month: number, day: number): boolean =>
  /^(?:19|20|)\d\d$/.test(year) && month >= 1 && month <= 12 && day >= 1 && day <= 31

/** Whether a text is written as a date, with or without a time. `short`: so few signs that it may be a number as well. */
export function dateShape(text: string): 'clear' | 'short' | null {
  const [, first = '', , second = '', last = '', year, sign, month = '', day = ''] =
    dayShape.exec(text.replace(timeOfDay, '')) ?? []
  if (year !== undefined)
    return mayBeDay(year, Number(month), Number(day)) ? (sign === '' ? 'short' : 'clear') : null
  const [one, two] = [Number(first), Number(second)]
  if (!mayBeDay(last, one, two) && !mayBeDay(last, two, one)) return null
  return last.length === 4 ? 'clear' : 'short'
}

const numberShape = /^['=" ]{0,3}(?:(?:tel|whatsapp):\s*)?[+＋]?[\d\s().\-/]+"?$/i
/** With other decimals than zeros it is an amount. */
const amount = /^\d+[.,]\d*[1-9]\d*$/
const [digitsMin, digitsMax] = [7, 15]

/** How many digits a text has that looks like a phone number; 0 for any other. */
export function numberShapeDigits(cell: string): number {
  const text = cell.trim()
  const [, , whole = '', , exponent] = scientific.exec(text) ?? []
  const isNumber = numberShape.test(text) && !amount.test(text) && dateShape(text) === null
  const digits = exponent === undefined ? text.replace(/\D/g, '').length : whole.length + Number(exponent)
  return (isNumber || exponent !== undefined) && digits >= digitsMin && digits <= digitsMax ? digits : 0
}

import { isMobile } from './numbering-plans.ts'
import { readDigits } from './read-digits.ts'

/** A plan that takes a larger share of all digits proves nothing: of those with the number's length, and of all lengths. */
const [chanceMax, anyLengthMax] = [0.4, 0.25]
const lengths = [7, 8, 9, 10, 11, 12, 13]
const trials = 300
const golden = (Math.sqrt(5) - 1) / 2
/** By `code length mobile`. */
const chances = new Map<string, number>()
/** By `code mobile`. */
const rareInAll = new Map<string, boolean>()

/** The share of evenly spread national numbers of a length that are valid, or mobile. */
function chanceOf(code: string, length: number, mobile: boolean): number {
  const key = `${code} ${length} ${mobile}`
  let chance = chances.get(key)
  if (chance === undefined) {
    let valid = 0
    for (let at = 1; at <= trials; at++) {
      const national = String(Math.floor(((at * golden) % 1) * 10 ** length)).padStart(length, '0')
      const read = readDigits(`+${code}${national}`, 'US')
      if (read && 'e164Digits' in read && (!mobile || isMobile(read.e164Digits))) valid++
    }
    chances.set(key, (chance = valid / trials))
  }
  return chance
}

/** Whether few digits of any length would be valid numbers, or mobiles, of a calling code. */
export function isRareInAll(code: string, mobile: boolean): boolean {
  const key = `${code} ${mobile}`
  let isRareCode = rareInAll.get(key)
  if (isRareCode === undefined) {
    const sum = lengths.reduce((all, length) => all + chanceOf(code, length, mobile), 0)
    rareInAll.set(key, (isRareCode = sum <= anyLengthMax * lengths.length))
  }
  return isRareCode
}

/** The same of digits of one length. */
export const isRare = (code: string, length: number, mobile: boolean): boolean =>
  chanceOf(code, length, mobile) <= chanceMax

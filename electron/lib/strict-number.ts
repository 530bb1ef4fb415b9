/** The decimal mark of a number's text. */
export type DecimalMark = 'point' | 'comma'

/** `reason` is a phrase that reads after the text. */
type Reason = { key: `number.${'zeros' | 'notNumber' | 'digits' | 'twoWays'}` }
/** `text`: the number as JSON writes it, with its decimals as written (`1234.50`). */
export type ReadNumber = { ok: true; text: string } | { ok: false; reason: Reason }

// eslint-disable-next-line no-misleading-character-class -- single characters that are removed
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

/** A read text as a number, or the text itself where a number would drop decimals: `12.50`. */
export function keptNumber(text: string): number | string {
  const number = Number(text)
  return String(number) === text ? number : text
}

const refuse = (key: Reason['key']): ReadNumber => ({ ok: false, reason: { key } })

/**
 * Reads a number whose decimal mark is known. Groups of digits may be separated by the other mark, a space or an apostrophe. Refuses all
 * else: signs of currencies, percent, exponents, leading zeros, and more than 15 digits.
 */
export function readNumber(written: string, mark: DecimalMark): ReadNumber {
  const text = written.replace(invisible, '').trim().replace(/^[−–]/, '-')
  const found = shapes[mark].exec(text)?.groups
  if (!found) return refuse('number.notNumber')
  const whole = found['whole']!.replace(/\D/g, '')
  const { decimals } = found as { decimals?: string }
  if (/^0\d/.test(whole)) return refuse('number.zeros')
  if ((whole + (decimals ?? '')).replace(/^0+/, '').length > 15) return refuse('number.digits')
  const number = decimals === undefined ? whole : `${whole}.${decimals}`
  return { ok: true, text: found['sign'] === '-' && Number(number) !== 0 ? `-${number}` : number }
}

const bothWays = (text: string) => ({ point: readNumber(text, 'point'), comma: readNumber(text, 'comma') })

/** Reads one number without others to compare. Refuses a text with two meanings, such as `1.500`. */
export function readLoneNumber(text: string): ReadNumber {
  const { point, comma } = bothWays(text)
  if (!point.ok || !comma.ok) return point.ok ? point : comma.ok ? comma : point
  return point.text === comma.text ? point : refuse('number.twoWays')
}

/** A value read both ways; null where it is no number. */
export interface TwoReadings {
  written: string
  point: string | null
  comma: string | null
}

/** One mark must fit this many times as many values as the other. */
const clearShare = 2
const samplesMax = 3

/**
 * Finds the decimal mark of a column from all its values. `mark` is null when it isn't clear; then `samples` are values with two
 * meanings, or values that fit only one mark.
 */
export function createMarkFinder() {
  const only = { point: 0, comma: 0 }
  let ambiguous = 0
  const samples: { ambiguous: TwoReadings[]; single: TwoReadings[] } = { ambiguous: [], single: [] }
  const take = (kind: keyof typeof samples, one: TwoReadings) => {
    const kept = samples[kind]
    if (kept.length < samplesMax && kept.every(({ written }) => written !== one.written)) kept.push(one)
  }
  return {
    add(written: string): void {
      const { point, comma } = bothWays(written)
      const one = { written, point: point.ok ? point.text : null, comma: comma.ok ? comma.text : null }
      if (one.point === one.comma) return
      if (one.point !== null && one.comma !== null) {
        ambiguous++
        return take('ambiguous', one)
      }
      only[one.comma === null ? 'point' : 'comma']++
      take('single', one)
    },
    result(): { mark: DecimalMark | null; samples: TwoReadings[] } {
      const { point, comma } = only
      const isClear =
        point + comma === 0 ? ambiguous === 0 : Math.max(point, comma) >= clearShare * Math.min(point, comma)
      const mark = isClear ? (comma > point ? 'comma' : 'point') : null
      return { mark, samples: [...samples.ambiguous, ...samples.single].slice(0, samplesMax) }
    },
  }
}

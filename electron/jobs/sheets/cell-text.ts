import { numericMark } from '../../lib/csv/row-reader.ts'

/** How a style shows numbers. */
export type NumberShape =
  | { kind: 'plain' | 'percent' }
  /** At least so many decimals. `sign`: a literal percent sign behind them. */
  | { kind: 'decimals'; least: number; sign?: string }
  | { kind: 'date' | 'time' | 'duration' }
  /** An integer among other characters, such as `+00 000` or `"INV-"0000`: literals, and places for digits. */
  | { kind: 'digits'; parts: readonly { text: string; places: number; zeros: number }[] }

const plain: NumberShape = { kind: 'plain' }
const percent: NumberShape = { kind: 'percent' }

/** Formats that Excel doesn't write out: amounts, dates, times and their East Asian kinds. */
function builtInShape(id: number): NumberShape {
  if (id === 9 || id === 10) return percent
  if ([2, 4, 7, 8, 39, 40, 43, 44].includes(id)) return { kind: 'decimals', least: 2 }
  if (id === 45 || id === 47 || (id >= 18 && id <= 21)) return { kind: 'time' }
  if (id === 46) return { kind: 'duration' }
  const isDate = (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  return isDate ? { kind: 'date' } : plain
}

/** Literals of a number format: quoted or escaped text, padding, and colours, conditions and locales in brackets. */
const literals = /"([^"]*)"|\\(.)|_.|\*.|\[(?![hms]+\])[^\]]*\]/gi

/** A percent sign as text behind the digits: the number isn't multiplied. */
const literalSign = /(?:"[^"%‰]*([%‰])[^"]*"|\\([%‰]))[^0#?]*$/

/** The shape of a number format. `code` is its text, if the file gives one. */
export function shapeOf(id: number, code: string | undefined): NumberShape {
  if (code === undefined) return builtInShape(id)
  const isConditional = /\[[<>=]/.test(code)
  const section = /^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)![0]
  const bare = section.replace(literals, '')
  const [sign] = literalSign.exec(section)?.slice(1).filter(Boolean) ?? []
  if (/general|standard/i.test(bare) || bare === '@')
    return sign === undefined ? plain : { kind: 'decimals', least: 0, sign }
  if (/\[[hms]+\]/i.test(bare)) return { kind: 'duration' }
  // An E with a sign is an exponent. AM/PM comes with hours.
  const letters = bare.replace(/e[+-]|am\/pm|a\/p/gi, '')
  const hasTime = /[hs]/i.test(letters)
  if (/[dygb]/i.test(letters) || (!hasTime && /m/i.test(letters))) return { kind: 'date' }
  if (hasTime) return { kind: 'time' }
  if (bare.includes('%')) return percent
  const [, zeros] = /^[^.]*\.(0+)[^0#?E.]*$/.exec(bare) ?? []
  const shape = zeros === undefined && !isConditional ? digitsShape(section, bare) : plain
  if (shape.kind === 'digits' || (zeros === undefined && sign === undefined)) return shape
  return { kind: 'decimals', least: zeros?.length ?? 0, ...(sign === undefined ? {} : { sign }) }
}

/** Digits with literals among them, if the format shows more than the number's digits. */
function digitsShape(section: string, bare: string): NumberShape {
  if (!/^[+0# ()/-]*$/.test(bare)) return plain
  const parts: { text: string; places: number; zeros: number }[] = []
  const text = section.replace(/_.|\*.|\[[^\]]*\]/g, '')
  for (const [whole, quoted, escaped] of text.matchAll(/"([^"]*)"|\\(.)|[0#]+|[^0#"\\]+/g)) {
    const isPlaces = /^[0#]+$/.test(whole)
    parts.push({
      text: isPlaces ? '' : (quoted ?? escaped ?? whole),
      places: isPlaces ? whole.length : 0,
      zeros: isPlaces ? whole.replaceAll('#', '').length : 0,
    })
  }
  const isPadded = parts.reduce((sum, { zeros }) => sum + zeros, 0) > 1
  return isPadded || parts.some(({ text: one }) => /[\d+]/.test(one)) ? { kind: 'digits', parts } : plain
}

/** Fills the places of a format from the right. Digits without a place come first. */
function withDigits(parts: Extract<NumberShape, { kind: 'digits' }>['parts'], digits: string): string {
  let left = digits
  let text = ''
  const first = parts.findIndex(({ places }) => places > 0)
  for (let at = parts.length - 1; at >= 0; at--) {
    const { text: literal, places, zeros } = parts[at]!
    if (places === 0) {
      text = literal + text
      continue
    }
    const taken = at === first ? left : left.slice(Math.max(0, left.length - places))
    left = left.slice(0, left.length - taken.length)
    text = taken.padStart(zeros, '0') + text
  }
  return text
}

/** A stored number with all its digits, without an exponent. Other text is returned as it is. */
export function numberText(stored: string): string {
  // As most are written.
  if (/^[1-9]\d{0,14}$/.test(stored)) return stored
  const value = Number(stored)
  if (stored.trim() === '' || !Number.isFinite(value)) return stored
  return plainNumber(value)
}

/** Without the noise of binary fractions: spreadsheets show 15 digits of `0.30000000000000004`. */
function plainNumber(value: number): string {
  const text = String(Number.isInteger(value) ? value : Number(value.toPrecision(15)))
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === '') return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : sign + digits.padEnd(point, '0')
}

export const percentText = (share: number): string => `${plainNumber(share * 100)}%`

/** An amount as its format shows it, such as `12.50`. Never drops a decimal. */
export function withDecimals(value: number, least: number): string {
  const text = plainNumber(value)
  const [whole, decimals = ''] = text.split('.')
  return least === 0 ? text : `${whole}.${decimals.padEnd(least, '0')}`
}

/** Marks a number with decimals, so that its point is never taken for a group separator. */
export const marked = (text: string): string => (/^-?\d+\.\d+$/.test(text) ? text + numericMark : text)

const daySeconds = 86_400
const two = (value: number) => String(value).padStart(2, '0')

function clockText(seconds: number): string {
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

/**
 * A day number as an ISO date, with its time unless that is midnight. Excel's calendar of 1900 has a 29 February. Null when no date
 * has this number.
 */
function dateText(serial: number, is1904: boolean): string | null {
  if (serial < 0 || serial >= 2_958_466) return null
  // Seconds are stored as fractions of a day, which are not exact.
  const seconds = Math.round(serial * daySeconds)
  const day = Math.floor(seconds / daySeconds)
  const time = seconds % daySeconds === 0 ? '' : `T${clockText(seconds % daySeconds)}`
  if (!is1904 && day === 60) return `1900-02-29${time}`
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < 60 ? 31 : 30)
  return new Date(start + day * daySeconds * 1_000).toISOString().slice(0, 10) + time
}

/** The text of a numeric cell: all digits, or an ISO date or time where its style shows one. */
export function shapedNumber(stored: string, shape: NumberShape, is1904: boolean): string {
  if (shape.kind === 'plain') return numberText(stored)
  const value = Number(stored)
  if (stored.trim() === '' || !Number.isFinite(value)) return stored
  if (shape.kind === 'percent') return percentText(value)
  if (shape.kind === 'decimals') return withDecimals(value, shape.least) + (shape.sign ?? '')
  if (shape.kind === 'digits')
    return Number.isInteger(value) && value >= 0
      ? withDigits(shape.parts, plainNumber(value))
      : numberText(stored)
  if (value >= 0 && (shape.kind === 'duration' || (shape.kind === 'time' && value < 1)))
    return clockText(Math.round(value * daySeconds))
  return dateText(value, is1904) ?? numberText(stored)
}

/** An ISO date without a time of midnight. */
export const isoDate = (text: string): string => text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '')

import { withoutGrouping } from './clean-number.ts'

/** Between two numbers in one text, unless a digit group follows. */
const separators =
  /\s*(?::::|[;|&\n\t,]|\s\/\s|(?<=\d)\s\/|\/\s|\s(?:or|and|oder|und|ou|et|y|e)\s)\s*|(?<=\d[\s).,/-]*)(?=\+)/i
/** A number and another ending for it, as in `030 1234-56/57`. */
const twoEndings = /^(.*?(\d+))\s*(?:\/|,\s)\s*-?\s*(\d{1,6})$/s
/** Fewer digits are an area code or part of a number. */
const wholeMin = 7
/** More digits are no number, with any prefix and extension. */
const wholeMax = 24

const digitsIn = (text: string): number => text.replace(/\D/g, '').length
const shapeOf = (text: string): string => text.trim().replace(/\d/g, '0')

/**
 * The numbers of a text that holds several, as written but without grouping; null if it holds one. `isNumber` says whether a part can be read; `isOne`, whether
 * the whole text can.
 */
export function severalNumbers(
  written: string,
  isNumber: (part: string) => boolean,
  isOne: boolean,
): string[] | null {
  const text = withoutGrouping(written)
  const isWhole = (part: string) => {
    const digits = digitsIn(part)
    return digits >= wholeMin && digits <= wholeMax && isNumber(part)
  }
  const parts = text.split(separators).filter((part) => digitsIn(part) > 0)
  if (
    parts.length > 1 &&
    parts.every((part) => digitsIn(part) >= wholeMin) &&
    (!isOne || parts.every(isWhole))
  )
    return parts
  const bySlash = text.split('/')
  if (bySlash.length > 1 && bySlash.every(isWhole)) return bySlash
  const [, front, lastGroup, ending] = twoEndings.exec(text) ?? []
  if (front !== undefined && isWhole(front)) {
    const { length } = ending!
    const other = front.slice(0, -length) + ending!
    if (!isOne || length <= 2 || length < lastGroup!.length)
      return length <= lastGroup!.length ? [front, other] : [front]
  }
  return byBlank(text, isWhole, isOne)
}

/** Splits at a blank between two whole numbers. If the text can be one number, only numbers of one shape count. */
function byBlank(text: string, isWhole: (part: string) => boolean, isOne: boolean): string[] | null {
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    const first = text.slice(0, at)
    const rest = text.slice(at + 1)
    const isAlike = shapeOf(first) === shapeOf(rest)
    if ((isOne && !isAlike) || !isWhole(first)) continue
    if (isAlike || isWhole(rest)) return [first, rest]
    const others = isOne ? null : byBlank(rest, isWhole, isOne)
    if (others) return [first, ...others]
  }
  return null
}

import { withoutGrouping } from './clean-number.ts'

/** Words between two numbers, and from the first to the last of several. */
const words =
  'or|od|oder|o|ó|ou|of|and|und|u|y|et|e|en|i|bzw|sowie|plus|auch|also|alternativ|eller|og|och|lub|или|и|або|та'
const rangeWords = 'bis|to|till|until|thru|through|al|a|à|hasta|até|tot|до'
/** A number in scientific notation, up to its E, and from there. */
const [mantissa, power] = [String.raw`(?<!\d)\d[.,]\d+`, String.raw`e\+?\d{1,2}(?!\d)`]
const [mantissaEnd, powerStart] = [new RegExp(`${mantissa}$`), new RegExp(`^${power}`, 'i')]
const anyWord = String.raw`(?<!\p{L})(?!(?<=${mantissa})${power})(?:${words}|${rangeWords})(?!\p{L})\.?`
/** Between two numbers in one text, unless a digit group follows. */
const separators = new RegExp(
  String.raw`\s*(?::::|<br ?\/?>|[;|&\n\t,\\•、，；／]|\s\/\s|(?<=\d)\s\/|\/\s|${anyWord})\s*|(?<=\d[\s).,/-]*)(?=\+)`,
  'iu',
)
const endings = (joints: string) =>
  new RegExp(String.raw`^(?:[\s(]*(?:${joints})[\s.…\p{Pd}]*\d{1,6})+\)?\s*$`, 'iu')
const sureJoints = String.raw`[/|&+]|[,;]\s|${anyWord}`
/** Other endings for a number before them, as in `030 1234-56/57`. */
const sureEndings = endings(sureJoints)
const extensionWord = String.raw`(?:ext\p{L}*|dw|durchwahl|anexo|poste|[xpw])(?!\p{L})`
/** The same behind any other word or a dash: they may be a note or a part of the number as well. */
const possibleEndings = endings(String.raw`${sureJoints}|(?!${extensionWord})\p{L}+\.?|\p{Pd}(?=\s)|…|\.{2,}`)
/** A dash without a blank: between the parts of one number, too. */
const dashedEnding = endings(String.raw`\p{Pd}`)
const betweenEnds = String.raw`(?:(?:${rangeWords})(?!\p{L})|\p{Pd}|…|\.{2,})`
const rangeJoint = new RegExp(String.raw`^[\s(]*${betweenEnds}`, 'iu')
const rangeJoints = new RegExp(String.raw`\s*(?<!\p{L})${betweenEnds}\s*`, 'giu')
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
  const joined = withEndings(text, sureEndings, (front, lengths) => {
    const [group = ''] = /\d+$/.exec(front) ?? []
    return isWhole(front) && (!isOne || lengths.every((length) => length <= 2 || length < group.length))
  })
  return joined ? [joined.front, ...joined.others] : byBlank(text, isWhole, isOne)
}

/** A number, and the same with other endings that follow it; null if none follow. */
function withEndings(
  text: string,
  shape: RegExp,
  isFront: (front: string, lengths: readonly number[]) => boolean,
): { front: string; rest: string; others: string[] } | null {
  for (const { index, 0: group } of text.matchAll(/\d+/g)) {
    const front = text.slice(0, index + group.length)
    const rest = text.slice(front.length)
    const found = shape.test(rest) ? rest.match(/\d+/g)! : []
    if (
      found.length === 0 ||
      (powerStart.test(rest) && mantissaEnd.test(front)) ||
      !isFront(
        front,
        found.map(({ length }) => length),
      )
    )
      continue
    const others = found.map(
      (ending) => front.replace(new RegExp(String.raw`(?:\d\D*){${ending.length}}$`), '') + ending,
    )
    return { front, rest, others }
  }
  return null
}

/**
 * The numbers that a text may mean by endings behind a number, and whether by the first and the last of several. `isNumber` says whether
 * a part may be one; `isOne`, whether the whole text can: then groups of one length behind a dash are still two endings.
 */
export function possibleEndingsOf(
  text: string,
  isNumber: (part: string) => boolean,
  isOne: boolean,
): { numbers: string[]; isRange: boolean } | null {
  const isSized = (part: string) => digitsIn(part) >= wholeMin && digitsIn(part) <= wholeMax
  for (const { index, 0: joint } of text.matchAll(rangeJoints)) {
    const numbers = [text.slice(0, index), text.slice(index + joint.length)]
    if (numbers.every((part) => isSized(part) && isNumber(part))) return { numbers, isRange: true }
  }
  const found =
    withEndings(text, possibleEndings, isSized) ??
    withEndings(
      text,
      dashedEnding,
      (front, lengths) =>
        isSized(front) &&
        lengths.length === 1 &&
        (!isOne || lengths[0] === /\d+$/.exec(front)![0].length) &&
        isNumber(front),
    )
  if (!found) return null
  const { front, rest, others } = found
  return { numbers: [front, ...others], isRange: others.length === 1 && rangeJoint.test(rest) }
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

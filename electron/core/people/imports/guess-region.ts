import { setImmediate as pause } from 'node:timers/promises'
import { callingCodeOf, callingCodes, planOf, regionsOf } from '../../../lib/phone/numbering-plans.ts'
import { parsePhone } from '../../../lib/phone/parse-phone.ts'
import { seededRandom } from '../../../lib/random.ts'

/** Numbers that every region is tried on, before the regions that fit are tried on all. */
const firstNumbers = 60
/** Of the best region's valid numbers, this share makes another one fit as well. */
const alikeShare = 0.98
/** Of the most mobile numbers of any region, this share counts as mostly mobile: territories share codes. */
const mobileShare = 0.9
/** Texts of random digits per first number. */
const randomsPerNumber = 4
/** Where several regions fit about as well, one of these is meant more often. */
const usual = new Set(
  'AE AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PH PK PL PT RO RU SA SE SG TH TR UA US VN ZA'.split(
    ' ',
  ),
)
/** How much more often. */
const usualFactor = 4
const hasPlus = /^(tel:\s*)?([+＋]|00)/i

/** How the numbers without a plus of a file are best read. */
export interface RegionGuess {
  region: string
  ownCodeIsPlus: boolean
  /** Without a plus. */
  numbers: number
  /** Those of them that are numbers of the region. */
  valid: number
  /** How many other regions fit as well. */
  alike: number
}

interface Fit {
  region: string
  callingCode: string
  valid: number
  mobile: number
}

/** The valid numbers of a region among texts, and how many of them are mobile. */
function fitOf(region: string, texts: readonly string[]): Fit {
  const { callingCode, mobile: shape } = planOf(region)
  let valid = 0
  let mobile = 0
  for (const text of texts) {
    const read = parsePhone(text, { region })
    if (!read.ok || callingCodeOf(String(read.digits))?.code !== callingCode) continue
    valid++
    if (!shape || shape.test(String(read.digits).slice(callingCode.length))) mobile++
  }
  return { region, callingCode, valid, mobile }
}

/** Texts of the same form with other digits behind a zero in front. Always the same ones. */
function randomLike(texts: readonly string[]): string[] {
  const random = seededRandom(1)
  const others = (text: string) => text.replace(/(?!^0)\d/g, () => String(Math.floor(random() * 10)))
  return texts.flatMap((text) => Array.from({ length: randomsPerNumber }, () => others(text)))
}

/** Whether `49…` without a plus means `+49…`: most of these are mobile that way, or nothing else in the file lacks its zero. */
function isOwnCodePlus(region: string, texts: readonly string[]): boolean {
  const { callingCode, mobile } = planOf(region)
  let twoWays = 0
  let mobileWithCode = 0
  let withoutZero = 0
  for (const text of texts) {
    const read = parsePhone(text, { region, ownCodeIsPlus: true })
    if (!read.ok) continue
    if (read.twoWays) {
      twoWays++
      if (!mobile || mobile.test(String(read.digits).slice(callingCode.length))) mobileWithCode++
    } else if (/^[1-9]/.test(text) && !text.startsWith(callingCode)) withoutZero++
  }
  return twoWays > 0 && (mobileWithCode * 2 > twoWays || twoWays > withoutZero)
}

/**
 * The region in which most numbers without a plus are valid. Of regions that fit alike: the one most numbers with a plus belong to, then
 * `home`, unless its numbers would be landlines and another's mobile, then the one with most mobile numbers, then the one with the
 * fewest numbers of that form.
 */
export async function guessRegion(cells: readonly string[], home: string): Promise<RegionGuess> {
  const texts = cells.map((cell) => cell.trim()).filter((text) => /\d/.test(text))
  const plain = texts.filter((text) => !hasPlus.test(text))
  const none = { region: home, ownCodeIsPlus: false, numbers: plain.length, valid: 0, alike: 0 }
  if (plain.length === 0) return none

  const abroad = new Map<string, number>()
  for (const text of texts.filter((one) => hasPlus.test(one))) {
    const read = parsePhone(text, { region: home, doubleZeroIsPlus: true })
    const code = read.ok ? callingCodeOf(String(read.digits))?.code : undefined
    if (code !== undefined) abroad.set(code, (abroad.get(code) ?? 0) + 1)
  }

  const homeCode = planOf(home).callingCode
  const regions = callingCodes
    .filter((code) => regionsOf(code).length > 0)
    .map((code) => (code === homeCode ? home : regionsOf(code)[0]!))
  const step = Math.max(1, Math.floor(plain.length / firstNumbers))
  const first = plain.filter((_, at) => at % step === 0)
  async function fitsOf(tried: readonly string[], numbers: readonly string[]) {
    const fits: Fit[] = []
    for (const region of tried) {
      fits.push(fitOf(region, numbers))
      await pause()
    }
    return fits
  }
  const best = (fits: readonly { valid: number }[]) => Math.max(...fits.map(({ valid }) => valid))

  const tried = await fitsOf(regions, first)
  const likely = tried.filter(({ valid }) => valid > 0 && valid >= best(tried) * 0.7)
  if (likely.length === 0) return none
  const fits = await fitsOf(
    likely.map(({ region }) => region),
    plain,
  )
  const alike = fits.filter(({ valid }) => valid >= best(fits) * alikeShare)
  const mostMobile = Math.max(...alike.map(({ mobile }) => mobile))
  const isHome = (fit: Fit) => fit.region === home && fit.mobile * 4 >= mostMobile
  // Random digits are seldom a number of the region where a match says most.
  const chances = new Map(
    (
      await fitsOf(
        alike.map(({ region }) => region),
        randomLike(first),
      )
    ).map((fit) => [fit.region, fit.mobile]),
  )
  const chance = ({ region }: Fit) => chances.get(region)! * (usual.has(region) ? 1 : usualFactor)
  const plusOf = ({ callingCode }: Fit) => abroad.get(callingCode) ?? 0
  const isMobile = ({ mobile }: Fit) => mobile >= mostMobile * mobileShare
  const [chosen] = alike.toSorted(
    (a, b) =>
      plusOf(b) - plusOf(a) ||
      Number(isHome(b)) - Number(isHome(a)) ||
      Number(isMobile(b)) - Number(isMobile(a)) ||
      chance(a) - chance(b),
  )
  return {
    region: chosen!.region,
    ownCodeIsPlus: isOwnCodePlus(chosen!.region, plain),
    numbers: plain.length,
    valid: chosen!.valid,
    alike: plusOf(chosen!) > 0 ? 0 : alike.filter((fit) => fit !== chosen && isMobile(fit)).length,
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { callingCodeOf, callingCodes, planOf, regionsOf } from '../../../lib/phone/numbering-plans.ts'
import { parsePhone } from '../../../lib/phone/parse-phone.ts'
import { seededRandom } from '../../../lib/random.ts'

/** Numbers every region is tested on, before the likely regions are tested on all. */
const firstNumbers = 60
/** A region fits as well as the best one from this share of its valid numbers. */
const tieShare = 0.98
/** A region counts as mostly mobile from this share of the highest mobile count. Territories share codes. */
const mobileShare = 0.9
/** Random texts per number of the first sample. */
const randomsPerNumber = 4
/** Common regions, preferred when several fit about equally well. */
const usual = new Set(
  'AE AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PH PK PL PT RO RU SA SE SG TH TR UA US VN ZA'.split(
    ' ',
  ),
)
/** Weight of a common region. */
const usualFactor = 4
const hasPlus = /^(tel:\s*)?([+＋]|00)/i

/** The best reading of a file's numbers without a plus. */
export interface RegionGuess {
  region: string
  ownCodeIsPlus: boolean
  /** Numbers without a plus. */
  numbers: number
  /** Those of them that are valid in the region. */
  valid: number
  /** Number of other regions that fit equally well. */
  alike: number
}

interface Fit {
  region: string
  callingCode: string
  valid: number
  mobile: number
}

/** Counts the valid numbers of a region, and the mobile ones among them. */
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

/** Texts of the same shape with random digits, keeping a leading zero. Deterministic. */
function randomLike(texts: readonly string[]): string[] {
  const random = seededRandom(1)
  const others = (text: string) => text.replace(/(?!^0)\d/g, () => String(Math.floor(random() * 10)))
  return texts.flatMap((text) => Array.from({ length: randomsPerNumber }, () => others(text)))
}

/**
 * Whether `49…` without a plus means `+49…`: most such numbers are then mobile, or few others lack their leading
 * zero.
 */
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
 * The region in which most numbers without a plus are valid. Ties go to the region of most numbers with a plus, then to `home` (unless
 * its numbers would be landlines and another's mobile), then to the most mobile numbers, then to the region where random numbers of this
 * shape are valid least often.
 */
export async function guessRegion(cells: readonly string[], home: string): Promise<RegionGuess> {
  const texts = cells.map((cell) => cell.trim()).filter((text) => /\d/.test(text))
  const plain = texts.filter((text) => !hasPlus.test(text))
  const none = { region: home, ownCodeIsPlus: false, numbers: plain.length, valid: 0, alike: 0 }
  if (plain.length === 0) return none

  const abroad = new Map<string, number>()
  for (const text of texts.filter((one) => hasPlus.test(one))) {
    const read = parsePhone(text, { region: home })
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
      await nextTurn()
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
  const alike = fits.filter(({ valid }) => valid >= best(fits) * tieShare)
  const mostMobile = Math.max(...alike.map(({ mobile }) => mobile))
  const isHome = (fit: Fit) => fit.region === home && fit.mobile * 4 >= mostMobile
  // A match says most in a region where random digits are rarely valid.
  const randomFits = await fitsOf(
    alike.map(({ region }) => region),
    randomLike(first),
  )
  const chances = new Map(randomFits.map((fit) => [fit.region, fit.mobile]))
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

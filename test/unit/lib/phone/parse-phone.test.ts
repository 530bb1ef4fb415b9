import { englishText } from '#electron/contract/phrases.ts'
import { type CountryCode, getCountries, ParseError, parsePhoneNumberWithError } from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, test } from 'vitest'
import { parsePhone } from '#electron/lib/phone/parse-phone.ts'
import { readDigits } from '#electron/lib/phone/read-digits.ts'

const numbersPerKind = 4_000

/** The library's reading of a text, in the form of `readDigits`. */
function byLibrary(text: string, region: string): string {
  try {
    const found = parsePhoneNumberWithError(text, region as CountryCode)
    if (found.ext) return 'an extension'
    return found.isValid() ? found.number.slice(1) : 'NOT_VALID'
  } catch (error) {
    if (error instanceof ParseError) return error.message
    throw error
  }
}

function byUs(text: string, region: string): string | null {
  const read = readDigits(text, region)
  return read && ('fault' in read ? read.fault : read.e164Digits)
}

/** Whole numbers from 0 below a limit, the same sequence each time. */
function createDice(seed: number) {
  let state = seed
  const roll = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
  return {
    roll,
    of: <T>(items: readonly T[]): T => items[roll(items.length)]!,
    digits: (length: number) => Array.from({ length }, () => roll(10)).join(''),
  }
}

const dice = createDice(20_261_121)
const regions = getCountries()
const codes = Object.keys(metadata.country_calling_codes)
const row = (region: string) => (metadata.countries as unknown as Record<string, unknown[]>)[region]!
const codeOf = (region: string) => row(region)[0] as string
const prefixOf = (region: string) => (row(region)[5] as string | 0 | undefined) || ''
const national = (region: string) => dice.digits(dice.of(row(region)[3] as number[]))
/** A valid number of a region with some of its last digits changed. */
const near = (region: string) => {
  const example = examples[region as CountryCode] ?? '123456789'
  const keep = example.length - dice.roll(5)
  return example.slice(0, keep) + dice.digits(example.length - keep)
}

describe('reads digits like the library', () => {
  test.each<[string, (region: string) => string]>([
    ['any calling code and any digits', () => `+${dice.of(codes)}${dice.digits(2 + dice.roll(14))}`],
    ['no calling code at all', () => `+${dice.digits(3 + dice.roll(12))}`],
    ['international', (region) => `+${codeOf(region)}${national(region)}`],
    ['international, near a real number', (region) => `+${codeOf(region)}${near(region)}`],
    [
      'international with the national prefix',
      (region) => `+${codeOf(region)}${prefixOf(region)}${near(region)}`,
    ],
    ['national', (region) => near(region)],
    ['national with its prefix', (region) => prefixOf(region) + near(region)],
    ['national, any digits', (region) => national(region)],
    ['international without its plus', (region) => codeOf(region) + near(region)],
    ['a double zero before it', () => `00${codeOf(dice.of(regions))}${near(dice.of(regions))}`],
    ['011 before it', () => `011${codeOf(dice.of(regions))}${near(dice.of(regions))}`],
    [
      'too short or too long',
      (region) => (dice.roll(2) ? '+' : '') + codeOf(region) + dice.digits(dice.roll(22)),
    ],
    [
      'of a neighbour that shares the code',
      () =>
        `+${dice.of(['1', '7', '44', '39', '61', '212', '262', '358', '599'])}${dice.digits(8 + dice.roll(3))}`,
    ],
  ])('%s', (_name, textFor) => {
    let left = 0
    for (let count = 0; count < numbersPerKind; count++) {
      const region = dice.of(regions)
      const text = textFor(region)
      if (text.replace('+', '').length < 3) continue
      const ours = byUs(text, region)
      if (ours === null) left++
      else expect(`${region} ${text} ${ours}`).toBe(`${region} ${text} ${byLibrary(text, region)}`)
    }
    expect(left).toBeLessThan(numbersPerKind / 10)
  })
})

test('reads a number between other characters like the library', () => {
  const pieces = [' ', '-', '.', '(', ')', '/', ' (', ') ', '', '', '', '', '\u00a0', '–', '[', '~']
  let valid = 0
  for (let count = 0; count < 3_000; count++) {
    const region = dice.of(regions)
    const digits = (dice.roll(3) ? `+${codeOf(region)}` : prefixOf(region)) + near(region)
    const text = [...digits].map((char) => dice.of(pieces) + char).join('') + dice.of(pieces)
    // Notations that the library doesn't know: a bracketed zero, two endings, and the marks of lists and footnotes.
    if (/^\d+ ?\(0\)|\/ ?-?\d{1,6}\D*$|[([\s]\d{1,3}\)$/.test(text.trim())) continue
    if (/^(?:- ?|\[\d|[(]?\d{1,3} ?[.)]+ )/.test(text.trim())) continue
    const parsed = parsePhone(text, { region })
    const wanted = byLibrary(text.trim(), region)
    if (parsed.ok) valid++
    expect(`${text} ${parsed.ok ? parsed.e164.slice(1) : 'none'}`).toBe(
      `${text} ${/^\d+$/.test(wanted) ? wanted : 'none'}`,
    )
    if (parsed.ok) expect(String(parsed.digits)).toBe(parsed.e164.slice(1))
  }
  expect(valid).toBeGreaterThan(750)
})

test.each([
  ['', 'it is empty'],
  ['   ', 'it is empty'],
  ['0'.repeat(65), 'it is too long'],
  ['12', 'it isn’t a known number (US)'],
  ['(+1) 000 000 0000', 'it isn’t valid in any country'],
  ['＋1 000 000 0000', 'it isn’t valid in any country'],
  ['15551234', 'it isn’t a known number (US)'],
  ['4.91512E+11', 'a spreadsheet rounded it'],
  ['4,9E11', 'a spreadsheet rounded it'],
  ['1', 'it is too short'],
  ['+', 'it contains no number'],
  ['---', 'it contains no number'],
  ['+1 415 555 26', 'it isn’t valid in any country'],
  ['+0 415 555 2671', 'its country code is unknown or missing'],
  ['+999 415 555 2671', 'its country code is unknown or missing'],
  ['1-800-FLOWERS', 'it contains letters (“FLOWERS”)'],
  ['+1 415 555 2671;ext=12', 'it has an extension or a note'],
  ['415-555-2671 x12', 'it has an extension or a note'],
  ['+1 415 abcdefghijklmnopqrst', 'it contains letters (“abcdefghijklmnop…”)'],
  ['+1 415 555 2671 #12', 'it has an extension or a note'],
  ['+1 415 555 2671 / +1 415 555 2672', 'it contains several numbers'],
  ['+4915120000006+4915120000007', 'it contains several numbers'],
  ['4155552671/4155552672', 'it contains several numbers'],
  ['415 555 2671; 415 555 2672', 'it contains several numbers'],
  ['415/5552671/4155552672/12', 'it is too long'],
  ['+14155552671123456789', 'it is too long'],
])('refuses %j because %s', (text, reason) => {
  const parsed = parsePhone(text, { region: 'US' })
  expect(parsed.ok ? parsed.e164 : englishText(parsed.reason)).toBe(reason)
})

describe('a number without plus', () => {
  const read = (text: string, region = 'DE') => parsePhone(text, { region })

  test.each(['4915112345678', '49 151 / 123-45678', '(49) 151 12345678', '49\u00a0151 12345678'])(
    'is read with the code of its region where that makes it a mobile, and flagged: %j',
    (text) => {
      expect(read(text)).toEqual({
        ok: true,
        digits: 4_915_112_345_678,
        e164: '+4915112345678',
        other: 494_915_112_345_678,
        twoWays: true,
      })
    },
  )

  test.each([
    // Emden's area code is 04921.
    ['49211234567', 'DE', '+4949211234567', 49_211_234_567, true],
    // No German number has so many digits without its zero.
    ['447911123456', 'DE', '+447911123456', 49_447_911_123_456, true],
    ['436645551777', 'DE', '+436645551777', 49_436_645_551_777, true],
    // As Americans write them, not Germans.
    ['(202) 555-0109', 'DE', '+12025550109', 492_025_550_109, true],
    ['202-555-0109', 'DE', '+12025550109', 492_025_550_109, true],
    ['(202) 5550109', 'DE', '+492025550109', 2_025_550_109, undefined],
    ['(601) 745-1234', 'CO', '+576017451234', 6_017_451_234, undefined],
    ['(202) 555-0109', 'US', '+12025550109', 2_025_550_109, undefined],
    ['3921234567', 'IT', '+393921234567', 3_921_234_567, undefined],
    ['447911123456', 'GB', '+447911123456', 0, undefined],
    ['14155552671', 'US', '+14155552671', 0, undefined],
    ['4742345678', 'US', '+14742345678', 4_742_345_678, undefined],
    ['15112345678', 'DE', '+4915112345678', 15_112_345_678, undefined],
  ])('%s in %s is %s, or perhaps %d', (text, region, e164, other, twoWays) => {
    expect(read(text, region)).toEqual({
      ok: true,
      digits: Number(e164),
      e164,
      other,
      ...(twoWays ? { twoWays } : {}),
    })
  })

  test('is read one way with double zero or trunk zero', () => {
    for (const text of ['+4915112345678', '004915112345678', '015112345678'])
      expect(read(text)).toEqual({ ok: true, digits: 4_915_112_345_678, e164: '+4915112345678', other: 0 })
    expect(read('04915112345678')).toEqual({
      ok: true,
      digits: 494_915_112_345_678,
      e164: '+494915112345678',
      other: 0,
    })
  })

  test.each([
    ['(212) 157-3467', 'US', 12_121_573_467],
    ['+1 212 157 3467', 'DE', 12_121_573_467],
    ['0612345', 'FR', undefined],
    ['0044 7700 900123', 'US', 447_700_900_123],
  ])('is possible or not when no plan knows it: %s in %s', (text, region, possible) => {
    const refused = read(text, region)
    expect(refused).toMatchObject({
      ok: false,
      ...(possible ? { fault: 'possible', possible: [possible] } : {}),
    })
    expect('possible' in refused).toBe(possible !== undefined)
  })
})

test.each([
  ['00 49 171 1234567', 'US', '+491711234567'],
  ['00-49-171-1234567', 'US', '+491711234567'],
  ['00 (49) 171 1234567', 'US', '+491711234567'],
  ['001 415 555 2671', 'DE', '+14155552671'],
])('reads the double zero of %s in %s as a plus', (text, region, e164) => {
  expect(parsePhone(text, { region })).toMatchObject({ ok: true, e164 })
})

test('reads non-geographic numbers', () => {
  expect(parsePhone('+800 1234 5678', { region: 'US' })).toEqual({
    ok: true,
    digits: 80_012_345_678,
    e164: '+80012345678',
    other: 0,
  })
})

test('refuses more than 15 digits, which a double can’t hold', () => {
  for (const text of ['+49800123456789012', '+49 800 123456789012', '0800123456789012'])
    expect(parsePhone(text, { region: 'DE' })).toMatchObject({
      ok: false,
      reason: { key: 'phone.digits', max: 15 },
    })
})

test.each([
  ['tel:+4917123456701', '+4917123456701'],
  ['TEL: +49 171 234-56701', '+4917123456701'],
  ['tel:0171 23456701', '+4917123456701'],
  ['M: 0171 23456701', '+4917123456701'],
  ['t. +49 171 23456701', '+4917123456701'],
  ['Tél.: 0171 23456701', '+4917123456701'],
  ['Natel: 0171 23456701', '+4917123456701'],
  ['mob 0171 23456701', '+4917123456701'],
  ['M 0171 23456701', '+4917123456701'],
  ['Telf +49 171 23456701', '+4917123456701'],
])('reads %s as a tel: link', (text, e164) => {
  expect(parsePhone(text, { region: 'DE' })).toMatchObject({ ok: true, e164 })
})

test.each([
  ['+52 1 55 1234 5678', { region: 'US' }],
  ['0052 1 55 1234 5678', { region: 'DE' }],
  ['5215512345678', { region: 'US', hasCountryCodes: true }],
  ['5215512345678', { region: 'MX' }],
  ['044 55 1234 5678', { region: 'MX' }],
  ['01 (55) 1234-5678', { region: 'MX' }],
] as const)('reads the old Mexican form %j by the plan of now, and keeps the old number', (text, options) => {
  expect(parsePhone(text, options)).toEqual({
    ok: true,
    digits: 525_512_345_678,
    e164: '+525512345678',
    other: 5_215_512_345_678,
  })
})

test('keeps the Mexican number of now as the other reading of a number that a region dials', () => {
  expect(parsePhone('5214531031659', { region: 'DE' })).toMatchObject({
    digits: 495_214_531_031_659,
    other: 524_531_031_659,
  })
})

test.each([',,123#', ',,123', ',123#', ';123', ';;1234#', 'p123', ' w 12', ' x12', ' ext. 12', ';ext=12'])(
  'offers the number before the pause or extension in “…%s”',
  (end) => {
    for (const text of ['+12025550108', '(202) 555-0108'])
      expect(parsePhone(text + end, { region: 'US' })).toMatchObject({
        fault: 'extension',
        numbers: [12_025_550_108],
      })
  },
)

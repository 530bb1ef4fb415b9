import { expect, test } from 'vitest'
import { type Reading, readEntry } from '#electron/lib/phone/entry-readings.ts'
import { spellingsOfLine } from '#electron/lib/phone/other-spellings.ts'

const number = (low: number): Reading => ({ kind: 'number', low, high: low })
const ending = (low: number): Reading => ({ kind: 'ending', low, high: low })
const range = (low: number, high: number): Reading => ({ kind: 'range', low, high })

test.each([
  ['+44 (0)7400 123456', null, 447_400_123_456, []],
  ['447400123458', null, 447_400_123_458, []],
  ['447400123458', 'GB', 447_400_123_458, []],
  ['07400123459', 'GB', 447_400_123_459, []],
  ['2025550108', 'US', 12_025_550_108, [number(2_025_550_108)]],
  // It may also be Austrian.
  ['12025550102', 'AT', 12_025_550_102, [number(4_312_025_550_102)]],
  ['+1 202 555 0101; +1 202 555 0102', null, 12_025_550_101, [number(12_025_550_102)]],
  // WhatsApp keeps the old form of a Mexican mobile.
  ['+5215512345678', null, 525_512_345_678, [number(5_215_512_345_678)]],
  // And of others.
  ['+551181234567', null, 551_181_234_567, [number(5_511_981_234_567)]],
  ['551181234567', null, 5_511_981_234_567, [number(551_181_234_567)]],
  ['+55 11 98123-4567', 'BR', 5_511_981_234_567, [number(551_181_234_567)]],
  ['+55 11 3123-4567', 'BR', 551_131_234_567, []],
  ['+54 11 5744-7700', null, 541_157_447_700, [number(5_491_157_447_700)]],
  ['011 15 5744-7700', 'AR', 5_491_157_447_700, [number(541_157_447_700)]],
  ['+39 0347 1234567', null, 3_903_471_234_567, [number(393_471_234_567)]],
  ['+39 347 1234567', null, 393_471_234_567, [number(3_903_471_234_567)]],
  // A landline or a mobile.
  ['+39 0331 1234567', null, 3_903_311_234_567, [number(393_311_234_567)]],
  ['+52 55 1234 5678', null, 525_512_345_678, [number(5_215_512_345_678)]],
  // Older plans: Vietnam, Gabon, Ivory Coast and Benin.
  ['+84 120 123 4567', null, 841_201_234_567, [number(84_701_234_567)]],
  ['0186 123 4567', 'VN', 84_561_234_567, [number(841_861_234_567)]],
  ['039 123 4567', 'VN', 84_391_234_567, [number(841_691_234_567)]],
  ['+84 98 123 4567', null, 84_981_234_567, []],
  ['+241 07 12 34 56', null, 24_107_123_456, [number(24_177_123_456), number(2_417_123_456)]],
  ['077 12 34 56', 'GA', 24_177_123_456, [number(24_107_123_456), number(2_417_123_456)]],
  ['07 12 34 56', 'CI', 2_250_707_123_456, [number(22_507_123_456)]],
  ['+225 46 12 34 56', null, 22_546_123_456, [number(2_250_546_123_456)]],
  ['+225 01 51 12 34 56', null, 2_250_151_123_456, [number(22_551_123_456)]],
  ['+225 05 47 12 34 56', null, 2_250_547_123_456, []],
  ['97 12 34 56', 'BJ', 2_290_197_123_456, [number(97_123_456), number(22_997_123_456)]],
  ['+229 01 97 12 34 56', null, 2_290_197_123_456, [number(22_997_123_456)]],
  // As long as no number of Argentina.
  ['+54151123456789', null, 54_151_123_456_789, [ending(3_456_789)]],
  // Too long for its country, so it begins no number.
  ['+141555501012', 'GB', 141_555_501_012, [ending(5_501_012)]],
  // No plan knows it, but it is as long as others: only itself.
  ['+14151000001', null, 14_151_000_001, []],
  ['+44 (0)7700900011', null, 447_700_900_011, [number(4_407_700_900_011)]],
  // Hungarian, or from a country in which numbers have ten digits.
  ['3612345678', null, 3_612_345_678, [ending(2_345_678)]],
] as const)('%j may be these numbers, country %s', (text, country, digits, readings) => {
  expect(readEntry(text, country)).toEqual({ digits, readings })
})

test.each([
  [393_471_234_567, [3_903_471_234_567]],
  [3_903_471_234_567, [393_471_234_567]],
  // Lombard landlines begin with 0331.
  [393_311_234_567, []],
  [3_903_311_234_567, []],
  [541_157_447_700, [5_491_157_447_700]],
])('%j is the same line as %j', (digits, others) => expect(spellingsOfLine(digits)).toEqual(others))

const many = Array.from({ length: 40 }, (_, at) => 447_400_123_400 + at)
test.each([
  ['a comma', many.map((one) => `+${one}`).join(', '), null],
  ['a line break', many.map((one) => `+${one}`).join('\n'), null],
  ['a blank', many.map((one) => `+${one}`).join(' '), null],
  ['a word', many.map((one) => `+${one}`).join(' or '), null],
  ['a slash', many.map((one) => `0${one - 440_000_000_000}`).join('/'), 'GB'],
  [
    'a blank, in groups',
    many.map((one) => `0${one - 440_000_000_000}`.replace(/(.{5})/, '$1 ')).join(' '),
    null,
  ],
  [
    'a blank, in groups without zero',
    many.map((one) => `${one - 440_000_000_000}`.replace(/(.{4})/, '$1 ')).join(' '),
    null,
  ],
  ['nothing', many.map((one) => `+${one}`).join(''), null],
])('reads every number of a long text, separated by %s', (_, text, country) => {
  expect(text.length).toBeGreaterThan(400)
  expect(many.filter((one) => !covers(text, country)(one))).toEqual([])
})

test('reads a number within a long note', () => {
  const words = 'She called twice and asked never to be called again, as agreed. '.repeat(8)
  for (const text of [`${words}+44 7400 123456`, `07400 123456 ${words}`, `${words}(07400) 123456 ${words}`])
    expect(covers(text, 'GB')(447_400_123_456)).toBe(true)
  expect(readEntry(words, 'GB')).toEqual({ digits: null, readings: [] })
})

test.each([
  '1.2025550107E10',
  '1.2025550107E+10',
  '+1.2025550107E10',
  '"1,2025550107e10"',
  '12025550107.0000',
])('%j is one number', (text) => {
  expect(readEntry(text, null)).toEqual({ digits: 12_025_550_107, readings: [] })
})

test.each([
  ['07400123459', null, [ending(123_459)]],
  ['(202) 555-0107', null, [ending(5_550_107)]],
  ['(202) 555-0107 x12', null, [ending(5_550_107)]],
  ['800-555-0107 home', null, [ending(5_550_107)]],
  ['07400 123473 / 123474', null, [ending(123_473), ending(123_474)]],
  ['07400123459 or 07400123460', null, [ending(123_459), ending(123_460)]],
  ['4.474E+11', null, [range(447_350_000_000, 447_450_000_000)]],
  ['+4,474E+11', null, [range(447_350_000_000, 447_450_000_000)]],
  ['7.4E+09', 'GB', [range(7_350_000_000, 7_450_000_000), range(447_350_000_000, 447_450_000_000)]],
  ['INFO', null, []],
  ['INFO', 'GB', []],
  ['72975', 'US', []],
  ['', 'US', []],
] as const)('keeps what the unreadable %j says, country %s', (text, country, readings) => {
  const read = readEntry(text, country)
  expect(read.digits).toBeNull()
  for (const reading of readings) expect(read.readings).toContainEqual(reading)
  if (readings.length === 0) expect(read.readings).toEqual([])
})

/** Every number that an entry blocks, or may be. */
function covers(text: string, country: string | null) {
  const { digits, readings } = readEntry(text, country)
  return (sought: number) =>
    digits === sought ||
    readings.some(({ kind, low, high }) =>
      kind === 'ending' ? sought % 1e7 === low : low <= sought && sought <= high,
    )
}

test.each([
  ...'od. od oder or und u. and & bzw. sowie bis to o ou y e en + / , ; |'
    .split(' ')
    .flatMap((word) => [`${word} -40`, `${word} 40`]),
  '– 40',
  '/ –40',
  'oder ...40',
  'oder …40',
  '(oder 40)',
  '(od. -40)',
  '(auch -40)',
  '/-40/-41',
  ', 40 und 41',
  ', -40, -41 oder -42',
  'alternativ 40',
  'или 40',
])('blocks both numbers of "… 39 %s"', (end) => {
  for (const [text, country] of [
    [`+49-151-666000 39 ${end}`, null],
    [`+49 151 66600039 ${end}`, 'DE'],
    [`0151 666 000-39 ${end}`, 'DE'],
    [`0151/66600039 ${end}`, null],
    [`004915166600039 ${end}`, 'AT'],
  ] as const) {
    const isCovered = covers(text, country)
    expect([text, isCovered(4_915_166_600_039), isCovered(4_915_166_600_040)]).toEqual([text, true, true])
    expect(isCovered(4_915_166_600_139)).toBe(false)
  }
})

test.each([
  ['+49 151 6660003 9 od. 40', 4_915_166_600_040],
  ['030 1234-10 bis -15', 493_012_3413],
  ['030 1234 10 - 15', 493_012_3413],
  ['030 1234-10 to 15', 493_012_3413],
  ['+49 30 123410 through 123415', 493_012_3413],
  ['030 1234-10…15', 493_012_3413],
  ['030 1234-10-15', 493_012_3413],
  ['+44 7911 120166-168', 447_911_120_167],
  ['+44 7911 120166–8', 447_911_120_167],
  ['+44 7911-120166-120168', 447_911_120_167],
  ['447911120166-168', 447_911_120_167],
  ['+1 202-555-0107-0109', 12_025_550_108],
  ['+447911120166-447911120168', 447_911_120_167],
  ['+44 7911 120166 bis +44 7911 120168', 447_911_120_167],
  ['+1 202 555 0107 - (202) 555-0109', 12_025_550_108],
  ['+49 151 66600039 – 0151/66600041', 4_915_166_600_040],
  ['0151 66600039 hasta +49 (151) 666000-41', 4_915_166_600_040],
  ['030 1234-10/11/12', 493_012_3412],
  ['030 1234-10, 11 u. 12', 493_012_3411],
  ['+49 151 66600039 od. 0151 66600040', 4_915_166_600_040],
  ['(0151) 666000-39 oder -40', 4_915_166_600_040],
  // A landline may be as short as what shows.
  ['+49 30 1234***', 49_301_234_567],
  ['+49 151 666****', 4_915_166_600_040],
  ['+4915166*', 4_915_166_600_040],
  ['+44740012', 447_400_123_456],
  ['+49 151 666000***', 4_915_166_600_040],
  ['00491516660XXXX', 4_915_166_600_040],
  ['4915•••••0040', 4_915_166_600_040],
  ['0151 666000##', 4_915_166_600_040],
  // A broken byte.
  ['+4915166600\ufffd40', 4_915_166_600_040],
])('blocks what %j names by an ending or a range', (text, sought) => {
  expect(covers(text, 'DE')(sought)).toBe(true)
  expect(covers(text, 'DE')(sought + 1e10)).toBe(false)
})

test.each([
  '07911 120166-168',
  '07911 120166 - 168',
  '07911 120166-07911 120168',
  '+44 7911 120166 - (07911) 120168',
])('suspects the number between those of %j without a country', (text) => {
  expect([7, 9].map((end) => covers(text, null)(447_911_120_160 + end))).toEqual([true, false])
})

test.each(['+49 30 1234-10', '+1 202-555-0107', '+33 1-23-45-67-89', '+44 20 7946-0958'])(
  'takes the digits of %j for one number',
  (text) => {
    expect(readEntry(text, null).readings.some(({ kind }) => kind !== 'number')).toBe(false)
  },
)

test.each(['ext. 40', 'x40', 'x 40', 'DW 40', '#40', '(1)'])('takes "%s" for no other number', (end) => {
  const isCovered = covers(`+49 151 66600039 ${end}`, 'DE')
  expect([4_915_166_600_039, 4_915_166_600_040, 4_915_166_600_031].map(isCovered)).toEqual([
    true,
    false,
    false,
  ])
})

const marked = 436_642_220_001
test.each([
  ...[' (1)', ' 1)', ' [2]', '[12]', '(2)', '_2', '\t2'].map((end) => `+43 664 2220001${end}`),
  ...['2) ', '[3] ', '#4 ', '(5) ', '6. '].map((start) => `${start}0664 2220001`),
  '+43 664 2220001 (2. Nummer)',
])('shows the number of %j and no longer one', (text) => {
  const { digits, readings } = readEntry(text, 'AT')
  expect(digits === null || digits === marked).toBe(true)
  expect(digits === marked || readings.some(({ kind, low }) => kind === 'number' && low === marked)).toBe(
    true,
  )
})

test.each([
  ['+43 664 2220001 1', 'AT', marked],
  ['+43 664 2220001 – 34', 'AT', marked],
  ['+43 664 2220001 1/2', 'AT', marked],
  ['+43 664 2220001 24/7', 'AT', marked],
  ['0664-222OOO1', 'AT', marked],
  ['0664 222 000l', 'AT', marked],
  ['1 800 FLOWERS', null, 18_003_569_377],
  ['1-800-FLOWERS', 'US', 18_003_569_377],
  ['800-FLOWERS', 'US', 18_003_569_377],
] as const)('blocks what %j may mean, country %s', (text, country, number) => {
  const { digits, readings } = readEntry(text, country)
  expect(digits === number || readings.some(({ kind, low }) => kind === 'number' && low === number)).toBe(
    true,
  )
})

test('suspects numbers that end like a local number without its area code', () => {
  expect(readEntry('5550143', 'DE').readings).toContainEqual(ending(5_550_143))
  // All numbers of Norway have eight digits.
  expect(readEntry('22123456', 'NO').readings).not.toContainEqual(ending(2_123_456))
})

import { type CountryCode, parsePhoneNumber } from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'
import { describe, expect, test } from 'vitest'
import { guessReading } from '#electron/lib/phone/guess-reading.ts'
import { parsePhone } from '#electron/lib/phone/parse-phone.ts'
import { seededRandom } from '#electron/lib/random.ts'

/** A guess in few words: `DE`, `codes`, or `ask DE AT codes`. */
function said(texts: readonly string[], home: string | null): string {
  const name = (of: { region: string; hasCountryCodes: boolean }) =>
    of.hasCountryCodes ? 'codes' : of.region
  const { reading, choices } = guessReading(texts, home)
  return reading ? name(reading) : `ask ${choices.map(name).join(' ')}`
}

/** Numbers of forms such as `06########`, their digits spread evenly. */
function numbers(forms: string, count = 60): string[] {
  const random = seededRandom(7)
  const form = forms.split(' ')
  return Array.from({ length: count }, (_, at) =>
    form[at % form.length]!.replaceAll('#', () => String(Math.floor(random() * 10))),
  )
}

const list = (text: string) => text.split(' ')
const mixed = list(
  '4915112345678 4915212345679 4916012345670 4917012345671 4917112345672 4917612345673 33612345678 393331234567 31612345678 447911123456 436641234567 12025550123 41791234567 46701234567 48512345678 351912345678',
)
const mostlyUs = list(
  '12025550101 12025550102 12025550103 12025550104 447911123456 33612345678 6591234567 85291234567 4791234567 4520123456',
)
const nanp = (areas: readonly number[]) =>
  Array.from({ length: 1_000 }, (_, at) => {
    const exchange = at % 33 === 0 ? 157 : 457
    return `(${areas[at % areas.length]}) ${exchange}-${String(3_000 + at)}`
  })

/** German mobiles with and without their zero, one landline, and two numbers that may be American. */
const twoWays =
  '15155507777, 0151 55599901, 0151 55599902, 0151 55599903, 15155599904, 2124573467, 0033612345679, 15155507778, 0151 5551 0567'.split(
    ', ',
  )
const spaced = (forms: string, count?: number) =>
  numbers(forms.replaceAll(' ', '_').replaceAll('|', ' '), count).map((text) => text.replaceAll('_', ' '))
const german = numbers('0151######## 0160####### 0176########', 19)
const american = '12122###### 13052###### 14152###### 16462###### 19722######'
const foreigners = ['447911123456', '33612345678', '4915112345678']

describe('decides a list that is clear, and asks about one that is not', () => {
  test.each<[list: string, texts: readonly string[], expected: Record<string, RegExp>]>([
    [
      'numbers with zero, and others that may lack it or have a country code',
      twoWays,
      { DE: /^ask DE codes$/, US: /^ask (?=.*DE).*codes/, AT: /^ask (?=.*DE).*codes/ },
    ],
    [
      'American numbers with a 1 that are German mobiles without zero',
      numbers('1515555####'),
      { DE: /^ask (DE codes|codes DE)$/, US: /^(US|codes)$/ },
    ],
    ['one of them', ['15155510047'], { DE: /^DE$/, US: /^(US|codes)$/ }],
    ['one among German numbers with zero', [...german, '15155599904'], { DE: /^ask (DE codes|codes DE)$/ }],
    ['one among many', [...numbers('0160####### 0176########', 150), '15155599904'], { DE: /^DE$/ }],
    ['half of all', [...numbers('0151555#####', 10), ...numbers('151555#####', 10)], { DE: /^ask / }],
    [
      'German mobiles without zero that are no other numbers',
      [...german, '17612345678', '15112345678'],
      { DE: /^DE$/ },
    ],
    [
      'German mobiles without zero, a few with a plus',
      [...numbers('151######## 160####### 176######## 172#######', 40), ...numbers('+49171#######', 3)],
      { DE: /^DE$/, AT: /^(DE$|ask .*DE)/ },
    ],
    [
      'German numbers with zero, a few with 0049',
      [...spaced('0151 ########|089 #######|0221 ######'), ...numbers('0049171#######', 3)],
      { DE: /^DE$/ },
    ],
    [
      'German numbers with zero or code',
      [...german, ...numbers('49151########', 10)],
      { DE: /^(DE|codes)$/ },
    ],
    ['German numbers and one foreign', [...german, '447911123456'], { DE: /^codes$/ }],
    ['German and American numbers', [...german, ...numbers(american, 5)], { DE: /^codes$/ }],
    [
      'Austrian numbers and one foreign',
      [...numbers('0664####### 0676#######', 19), '447911123456'],
      { AT: /^codes$/ },
    ],
    [
      'Austrian numbers and three foreign',
      [...numbers('0664####### 0676#######', 97), ...foreigners],
      { AT: /^codes$/ },
    ],
    [
      'Austrian numbers, some without zero',
      numbers('0664####### 0676####### 0699####### 664#######'),
      { AT: /^AT$/ },
    ],
    [
      'American numbers with a 1',
      numbers(american),
      { US: /^(US|codes)$/, DE: /^codes$/, AT: /^codes$/, GB: /^codes$/, CN: /^(codes|ask .*codes)/ },
    ],
    [
      'American numbers without',
      numbers(american).map((one) => one.slice(1)),
      { US: /^US$/, DE: /^(US$|ask US)/ },
    ],
    [
      'American numbers, half of them with a 1',
      [...numbers(american, 30), ...numbers(american, 30).map((one) => one.slice(1))],
      { US: /^US$/, DE: /^US$/ },
    ],
    [
      'American numbers with a 1, and foreign ones',
      [...numbers(american, 40), ...foreigners],
      { US: /^codes$/, DE: /^codes$/, AT: /^codes$/ },
    ],
    [
      'French numbers, a few with 0033',
      [...spaced('06 12 ## ## ##'), ...numbers('0033612######', 3)],
      { FR: /^FR$/, DE: /^(FR$|ask .*FR)/ },
    ],
    [
      'British mobiles without zero, which are also Mexican numbers',
      numbers('7412###### 7911###### 7533######'),
      { GB: /^GB$/, DE: /^(GB$|ask .*GB)/ },
    ],
    ['British mobiles, some without zero', numbers('07412###### 07911###### 7533######'), { GB: /^GB$/ }],
    [
      'Italian mobiles, a few with code',
      [...numbers('333####### 347#######', 40), ...numbers('39333#######', 3)],
      { IT: /^IT$/ },
    ],
    [
      'Polish mobiles, a few with code',
      [...numbers('51####### 60####### 88#######', 40), ...numbers('48512######', 3)],
      { PL: /^PL$/ },
    ],
    ['Chinese mobiles', numbers('138######## 159######## 186########'), { CN: /^CN$/ }],
    ['Indonesian mobiles without zero', numbers('812######## 857######## 878########'), { ID: /^ID$/ }],
    [
      'Swiss numbers, a few with 0041',
      [...spaced('079 ### ## ##|044 ### ## ##'), ...numbers('004179#######', 5)],
      { CH: /^CH$/ },
    ],
    [
      'Nigerian numbers and three foreign',
      [...numbers('0803####### 0816#######', 97), ...foreigners],
      { NG: /^codes$/ },
    ],
    [
      'South African numbers and three foreign',
      [...numbers('082####### 073#######', 97), ...foreigners],
      { ZA: /^codes$/ },
    ],
    [
      'Spanish numbers and three foreign',
      [...numbers('61####### 65####### 68#######', 97), ...foreigners],
      { ES: /^ES$/ },
    ],
    [
      'Brazilian numbers and three foreign',
      [...numbers('119######## 219########', 97), ...foreigners],
      { BR: /^BR$/ },
    ],
    [
      'Mexican numbers of the capital, which may be Turkish mobiles',
      numbers('55########', 200),
      { MX: /^MX$/, DE: /^ask (?=.*MX)/, FR: /^ask (?=.*MX)/, ES: /^ask (?=.*MX)/, TR: /^(TR$|ask )/ },
    ],
    [
      'German mobiles away from Germany',
      numbers('0171####### 0172####### 0176######## 0151########', 200),
      { GB: /^(DE$|ask (?=.*DE))/, AT: /^(DE$|ask (?=.*DE))/, FR: /^(DE$|ask (?=.*DE))/ },
    ],
    [
      'Italian mobiles away from Italy',
      numbers('333####### 347####### 328####### 320#######', 200),
      { MX: /^(IT$|ask (?=.*IT))/, US: /^(IT$|ask (?=.*IT))/ },
    ],
    [
      'Colombian mobiles away from Colombia',
      numbers('310####### 301####### 320####### 315#######', 200),
      { US: /^(CO$|ask (?=.*CO))/, CO: /^CO$/ },
    ],
    [
      'mobiles of the Emirates away from there',
      numbers('050####### 055####### 052####### 056#######', 100),
      { FR: /^(AE$|ask (?=.*AE))/, AE: /^AE$/ },
    ],
    ['German landlines of one town', numbers('030########', 100), { DE: /^DE$/ }],
    [
      'Kenyan numbers and three foreign',
      [...numbers('0712###### 0733######', 97), ...foreigners],
      { KE: /^codes$/ },
    ],
    [
      'American numbers of one area, some mistyped',
      Array.from({ length: 1_000 }, (_, at) => `(212) 457-${at % 33 === 0 ? 100 + at : 3_000 + at}`),
      { US: /^US$/, DE: /^(US$|ask US)/, AT: /^(US$|ask US)/ },
    ],
  ])('%s', (_name, texts, expected) => {
    for (const [home, answer] of Object.entries(expected))
      expect(`${home}: ${said(texts, home)}`).toMatch(new RegExp(answer.source.replace('^', `^${home}: `)))
  })
})

describe('judges lists of numbers without a plus', () => {
  test.each([
    ['of many countries', mixed],
    ['of many countries, most American', mostlyUs],
    ['that a program wrote as decimals', numbers('35840#######.0', 4)],
    ['of landlines that a program wrote as decimals', numbers('4930########.0', 8)],
    ['of mobiles that a program wrote as decimals', numbers('62812########.0', 8)],
  ])('%s: with country codes, on any computer', (_name, texts) => {
    for (const home of ['US', 'DE', 'AT', 'GB', 'IN', 'BR'])
      expect(`${home} ${said(texts, home)}`).toBe(`${home} codes`)
  })

  test('with a few mistyped American numbers: American, and never a country that takes any digits', () => {
    for (const home of ['US', 'AT']) {
      expect(guessReading(nanp([212, 305, 415, 646, 972]), home)).toMatchObject({
        reading: { region: 'US', hasCountryCodes: false },
        numbers: 600,
        valid: 581,
      })
    }
    // One area code may be another country's.
    expect(said(nanp([212]), 'US')).toBe('US')
    expect(said(nanp([212]), 'DE')).toMatch(/^ask US/)
  })

  test.each([
    ['DE', '0151######## 0160####### 0176########'],
    ['AT', '0664####### 0676####### 0699########'],
    ['GB', '07412###### 07533###### 07717###### 07811###### 07912######'],
    ['PL', '51####### 60####### 66####### 72####### 79####### 88#######'],
    ['BR', '1196####### 2198####### 3199#######'],
    ['TR', '0532####### 0544####### 0555#######'],
    ['RU', '8916####### 8903####### 8925#######'],
    ['US', '212-2##-#### 415-5##-#### 972-4##-#### 305-6##-#### 646-7##-####'],
  ])('finds %s by mobile numbers such as %s', (region, forms) => {
    expect(said(numbers(forms), region)).toBe(region)
    expect(said(numbers(forms), 'FI')).toMatch(new RegExp(`^(${region}$|ask .*${region})`))
  })

  test.each([
    ['DE', 'DE', '030####### 089######## 0221####### 04921######'],
    ['AT', 'AT', '015###### 0316###### 0662######'],
    ['FR', 'FR', '01 42 ## ## ## 03 88 ## ## ## 04 91 ## ## ##'],
    ['US', 'US', '212-457-3###'],
    ['GB', 'GB', '020 7946 0### 0161 496 0###'],
  ])('of landlines: %s on a computer there', (region, home, forms) => {
    const texts = numbers(forms.replaceAll(' ', '_')).map((text) => text.replaceAll('_', ' '))
    expect(said(texts, home)).toBe(region)
    expect(said(texts.slice(0, 3), home)).toBe(region)
  })

  test.each([
    ['US', ['2025550101', '123456789'], 1],
    ['US', ['2025550101', '2025550102', '2025550103', '12345678', '99999999', '11111111'], 3],
  ])('asks at home (%s) when few numbers of a list fit: %j', (home, texts, valid) => {
    const guess = guessReading(texts, home)
    expect(guess).toMatchObject({ reading: null, numbers: texts.length, valid })
    expect(guess.choices.map(({ region }) => region)).toContain(home)
    // Of a single choice, the samples are one that it reads, and what it can't read.
    const [{ samples }, ...others] = guess.choices as [(typeof guess.choices)[0]]
    if (others.length === 0)
      expect(samples).toMatchObject([
        { text: texts[0], phone: '+12025550101' },
        { text: texts[1], phone: null },
      ])
  })

  const mobile = '0151######## 0160#######'
  test.each([
    [
      'guests of a hotel, most from abroad',
      `0664####### 079####### 07400###### 087####### ${mobile}`,
      11,
      'ask',
    ],
    ['British mobiles', '07400###### 07700######', 4, 'ask'],
    ['French mobiles', '06########', 4, 'ask'],
    ['landlines that may be Italian', '030####### 089######## 0221#######', 12, 'ask'],
    ['mobiles of Germany', mobile, 4, 'DE'],
    ['mobiles and landlines of Germany', `${mobile} 0176######## 030#######`, 12, 'DE'],
  ])(
    'asks about the last country used, not stated, only where it may be wrong: %s',
    (_name, forms, count, is) => {
      const texts = numbers(forms, count)
      const { reading, choices } = guessReading(texts, null, 'DE')
      expect(reading?.region ?? 'ask').toBe(is)
      if (is === 'ask') {
        expect(choices.length).toBeGreaterThan(1)
        expect(choices.find(({ region }) => region === 'DE')?.samples[0]?.phone).toMatch(/^\+49/)
        // A stated country wins.
        expect(guessReading(texts, 'DE', 'GB')).toEqual(guessReading(texts, 'DE'))
      }
    },
  )

  test.each([
    ['GB', '07821###### 07539###### 07457###### 07312###### 07912######', 'IN', 'ask'],
    ['US', '212555#### 305555#### 415555####', 'CA', 'CA'],
  ])('asks if numbers prove another country than the last one used: %s', (region, forms, usual, is) => {
    const texts = numbers(forms, 30)
    expect(guessReading(texts, null).reading?.region).toBe(region)
    expect(guessReading(texts, usual).reading?.region).toBe(usual)
    const { reading, choices } = guessReading(texts, null, usual)
    expect(reading?.region ?? 'ask').toBe(is)
    if (is === 'ask') expect(choices.map((choice) => choice.region)).toEqual([usual, region])
  })

  test('shows both numbers of a text', () => {
    const [choice] = guessReading(['0170 3334442 / 0171 3334443'], null).choices
    expect(choice!.samples).toEqual([
      { text: '0170 3334442 / 0171 3334443', phone: '+491703334442 / +491713334443' },
    ])
  })

  test('decides when one number of four is mistyped, or none can be read anywhere', () => {
    expect(said(['2025550101', '2025550102', '2025550103', '20255501'], 'US')).toBe('US')
    expect(said(['12345678901234567'], 'US')).toBe('US')
  })

  test('lets home win where several fit, and asks elsewhere', () => {
    for (const home of ['FR', 'NL']) expect(said(numbers('0612######'), home)).toBe(home)
    expect(said(numbers('0612######'), 'US')).toMatch(/^ask .*FR/)
    expect(said(numbers('0612######', 1), 'US')).toMatch(/^ask /)
    expect(said(['2025550101'], 'US')).toBe('US')
    expect(said(['447911123456'], 'US')).toMatch(/^ask codes/)
    expect(said(numbers('49151########', 3), 'DE')).toBe('codes')
  })

  test('asks when numbers with a plus speak for another country than home', () => {
    const texts = [...numbers('0612######'), ...numbers('+31613######', 3), ...numbers('0032470######', 2)]
    expect(said(texts, 'FR')).toMatch(/^ask (FR NL|NL FR)$/)
  })

  test('reads numbers as dialled in a country that many numbers with a plus show', () => {
    const mixed = Array.from({ length: 6 }, (_, at) => [`+44 7911 12345${at}`, `+1 212 555 011${at}`]).flat()
    expect(said([...mixed, '07911 123467'], 'US')).toBe('GB')
    expect(said([...mixed, '212 555 0199'], 'GB')).toBe('US')
  })

  test('reads numbers as dialled, and those without zero with their country code', () => {
    const texts = [
      ...numbers('0151######## 0160####### 0176########', 97),
      '447911123456',
      '33612345678',
      '12025550123',
    ]
    expect(guessReading(texts, 'DE').reading).toEqual({ region: 'DE', hasCountryCodes: true })
  })

  const australian = '0491570101 (02)55501003 491570104 61491570107 +61491570102'
  test.each([
    ['NG', 'US', numbers('0803####### 0816####### 0705####### 234803####### 234706#######', 90), /^codes$/],
    ['NG', 'DE', numbers('080######## 080######## 234803#######', 90), /^codes$/],
    ['GH', 'GB', numbers('024####### 055####### 23324#######', 90), /^codes$/],
    ['PL', 'FR', numbers('60####### 51####### 4860####### 4851#######', 12), /^PL$/],
    ['PL', 'US', numbers('60####### 51####### 4860####### 4851#######', 12), /^PL$/],
    [
      'PL',
      'US',
      [...list('48602123401 48602123402 48602123404 602123405 (22)1234508'), '602123406, 602123407'],
      /^PL$/,
    ],
    ['AU', 'US', list(australian), /^AU$/],
    ['AU', 'FR', list(australian), /^ask AU/],
  ] as const)(
    'lets numbers with a code prove the country of the others: %s in %s',
    (region, home, texts, answer) => {
      expect(said(texts, home)).toMatch(answer)
      const { reading, choices } = guessReading(texts, home)
      expect((reading ?? choices[0])?.region).toBe(region)
    },
  )

  test.each([
    ['FR', '61####### 62####### 66####### 76####### 78#######'],
    ['FR', '6########'],
    ['NL', '61####### 62####### 64#######'],
    ['ES', '61####### 65####### 68####### 72#######'],
    ['SE', '70####### 72####### 73####### 76#######'],
    ['AU', '41####### 42####### 43####### 40#######'],
    ['GB', '7400###### 7533###### 7712###### 7911######'],
    ['BE', '47####### 48####### 49#######'],
    ['MX', '552####### 333####### 818####### 554####### 336#######'],
  ])('offers %s for its mobiles without 0, such as %s, away from there', (region, forms) => {
    const texts = numbers(forms, 200)
    for (const home of ['US', 'DE', 'JP'])
      expect(`${home}: ${said(texts, home)}`).toMatch(new RegExp(`: (${region}$|ask .*${region})`))
  })

  test.each([
    ['Mexican', numbers('552####### 333####### 818#######', 200)],
    ['Polish, two with code', numbers('602###### 501###### 48602###### 48512###### 790###### 22123####', 9)],
    ['of many lengths', list('123456789 987654321 111111111 55555555 4444444 2025550101 33333333333')],
    ['mostly nonsense', list('2025550101 999999999 99999999 9999999 88888888888 000000000')],
    ['British without 0', numbers('7412###### 7911###### 7533######', 200)],
  ])('offers no reading that can’t read half of a list, or none of its samples: %s', (_name, texts) => {
    for (const home of ['US', 'DE', 'FR', 'GB', 'BR']) {
      const { numbers, choices } = guessReading(texts, home)
      for (const { valid, samples, ...choice } of choices) {
        expect({ home, ...choice, isHalf: valid * 2 >= numbers }).toMatchObject({ isHalf: true })
        expect(samples.filter(({ phone }) => phone !== null).length).toBeGreaterThan(0)
      }
    }
  })

  test('shows a number of each written form', () => {
    const texts = numbers('080######## 080######## 080######## 080######## 44791#######', 50)
    const { choices } = guessReading(texts, 'US')
    const forms = choices.map(({ samples }) => samples.map(({ text }) => text.startsWith('0')))
    expect(forms.length).toBeGreaterThan(1)
    for (const form of forms) expect(form).toEqual([true, true, false])
  })

  test('shows three numbers that the choices read differently', () => {
    const { reading, choices } = guessReading(numbers('0612######'), 'US')
    expect(reading).toBeNull()
    expect(choices.length).toBeGreaterThan(1)
    for (const { samples } of choices) expect(samples).toHaveLength(3)
    expect(new Set(choices.map(({ samples }) => samples[0]!.phone)).size).toBe(choices.length)
  })

  test.each([
    ['nothing', []],
    ['numbers with a plus', ['+4915120007919', '004915120007919', '+1 202 555 0101']],
    ['short codes and words', ['12345', 'n/a', '', '110']],
  ])('of %s: as at home', (_name, texts) => {
    expect(guessReading(texts, 'AT')).toEqual({
      reading: { region: 'AT', hasCountryCodes: false },
      choices: [],
      numbers: 0,
      valid: 0,
    })
  })

  test.each([
    ['German mobiles', german, /^DE$/],
    ['numbers with country codes', mixed, /^codes$/],
    ['numbers with a plus, most German', list('+4915120007919 004915120007918 +12025550101'), /^DE$/],
    ['mobiles of two countries', numbers('0612######'), /^ask .*FR/],
    ['one number', ['2025550101'], /^ask /],
    ['nothing readable', ['12345678901234567'], /^ask $/],
    ['no number', ['n/a'], /^ask $/],
  ])('without an expected country, decides by the numbers alone: %s', (_name, texts, answer) => {
    expect(said(texts, null)).toMatch(answer)
  })

  test('leaves out short codes, rounded numbers and words, and counts numbers with an extension', () => {
    const texts = [...numbers('415-555-2###x12', 20), '12345', '4.2E+11', 'none']
    expect(guessReading(texts, 'US')).toMatchObject({ reading: { region: 'US' }, numbers: 20, valid: 20 })
  })
})

type Row = [code: string, ...unknown[]]
const rowOf = (region: string) => (metadata.countries as unknown as Record<string, Row>)[region]!

/** Random mobile numbers of a region, without its code. */
function mobiles(region: string, count: number, seed: number): string[] {
  const random = seededRandom(seed)
  const [landlines, ownMobiles] = rowOf(region)[11] as [string, number[]?][]
  // American mobiles are numbered like landlines.
  const [pattern, lengths = rowOf(region)[3] as number[]] = ownMobiles![0] ? ownMobiles! : landlines!
  const shape = new RegExp(`^(?:${pattern})$`)
  const found = new Set<string>()
  while (found.size < count) {
    const length = lengths[Math.floor(random() * lengths.length)]!
    const national = Array.from({ length }, () => Math.floor(random() * 10)).join('')
    if (shape.test(national)) found.add(national)
  }
  return [...found]
}

const countries = list(
  'US GB FR NG ZA ES BR KE IN MX PL IT SE NL AU JP TR ID PH EG PK CA DE AT CH BE DK NO FI PT GR HU CZ RO UA IE IL AE SA SG',
)
const guests = ['447911123456', '33612345678', '4915112345678', '12025550123']

describe('random mobile numbers of a country and three foreign ones', () => {
  test.each(countries)('%s: read right, or asked', (region) => {
    const [code] = rowOf(region)
    const own = mobiles(region, 57, 11)
    const foreign = guests.filter((guest) => !guest.startsWith(code)).slice(0, 3)
    const national = (one: string) =>
      parsePhoneNumber(`+${code}${one}`, region as CountryCode).formatNational()
    const forms = {
      'with country code': own.map((one) => code + one),
      formatted: own.map(national),
      'as dialled': own.map((one) => national(one).replace(/\D/g, '')),
      'without trunk zero': own,
    }
    for (const [form, texts] of Object.entries(forms))
      for (const home of new Set([region, 'DE'])) {
        const { reading, choices } = guessReading([...texts, ...foreign], home)
        if (!reading) {
          // French mobiles without zero are also Dutch or Spanish ones.
          if (home === region) expect(form).toBe('without trunk zero')
          expect(choices.length).toBeGreaterThan(1)
          continue
        }
        const read = texts.map((text) => parsePhone(text, reading))
        const wrong = read.filter((one, at) => one.ok && one.e164 !== `+${code}${own[at]}`)
        expect({ form, home, reading, wrong }).toEqual({ form, home, reading, wrong: [] })
        expect(read.filter((one) => !one.ok).length).toBeLessThan(3)
        if (form !== 'without trunk zero' && code !== '39')
          for (const text of foreign) {
            const guest = parsePhone(text, reading)
            if (guest.ok) expect(guest.e164).toBe(`+${text}`)
          }
      }
  })
})

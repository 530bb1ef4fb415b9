import { describe, expect, test } from 'vitest'
import { countryOfRow } from '#electron/jobs/table/country-of-row.ts'
import { regionOfCountry, unknownCountry } from '#electron/lib/phone/country-names.ts'
import { carryTheirCode, parseInCountry } from '#electron/lib/phone/parse-in-country.ts'

test.each([
  ['AT', 'AT at Austria Österreich ÖSTERREICH Autriche A AUT +43 43 0043'],
  ['GB', 'GB UK United_Kingdom England Vereinigtes_Königreich Reino_Unido Royaume-Uni GBR 44'],
  ['US', 'US USA U.S.A. United_States United_States_of_America Vereinigte_Staaten Estados_Unidos +1'],
  ['TR', 'TR Turkey Türkiye Türkei Turquía'],
  ['NL', 'NL Netherlands The_Netherlands Holland Niederlande Países_Bajos Nederland'],
  ['CZ', 'CZ Czechia Czech_Republic Tschechien'],
  ['DE', 'D DE Germany Deutschland Alemania Allemagne Германия'],
])('%s has these names: %s', (region, names) => {
  for (const name of names.split(' '))
    expect(`${name} ${regionOfCountry(name.replaceAll('_', ' '))}`).toBe(`${name} ${region}`)
})

test.each(['', ' ', 'Bavaria', 'yes', 'n/a', '999', '0', '12345', '+', 'Landline', 'Name'])(
  '%j names no country',
  (text) => {
    expect(regionOfCountry(text)).toBeNull()
  },
)

test.each([
  ['HK', 'Hong Kong|Hongkong|Hong Kong SAR, China|HKG|852|China, Hong Kong SAR'],
  [
    'GB',
    'United Kingdom (UK)|U.K.|UK (United Kingdom)|England, UK|Ireland (Northern)|GB - United Kingdom|Great Britain',
  ],
  [
    'US',
    'United States (US)|U S A|The United States|united-states|US (+1)|+1 (US)|UNITED STATES OF AMERICA (THE)',
  ],
  [
    'DE',
    'Deutschland (DE)|Germany, Federal Republic of|Germany (Bavaria)|Germany +49|+49 Germany|D-Deutschland',
  ],
  ['KR', 'Korea, Republic of|Korea (the Republic of)|Korea, Rep.|South Korea|Korea (South)'],
  ['KP', "Korea, Democratic People’s Republic of|Korea, Dem. People's Rep.|North Korea"],
  ['TT', 'Trinidad and Tobago|Trinidad & Tobago|TTO'],
  ['MO', 'Macau|Macao|Macao SAR, China'],
  ['CI', "Ivory Coast|Cote d'Ivoire|Côte d’Ivoire (Ivory Coast)"],
  ['CZ', 'Czech Rep.|Czech Republic (the)|Czechia'],
  ['GR', 'EL|Hellas|Greece (EL)'],
  ['CD', 'Congo (Kinshasa)|Congo, Dem. Rep.|Congo, The Democratic Republic of the|DRC|DR Congo'],
  ['CG', 'Congo (Brazzaville)|Congo, Rep.|Republic of the Congo'],
  ['AS', 'American Samoa|Samoa (American)|Samoa, American'],
  ['VG', 'Virgin Islands (British)|Virgin Islands, British|British Virgin Islands'],
  ['VI', 'Virgin Islands (U.S.)|Virgin Islands (US)|US Virgin Islands'],
  ['IR', 'Iran, Islamic Republic of|Iran (Islamic Republic of)|Iran, Islamic Rep.'],
  ['MM', 'Burma|Myanmar'],
  ['SS', 'South Sudan|Sudan (South)'],
  ['TW', 'China (Taiwan)|Taiwan, Province of China|Taiwan (Province of China)|Taiwan, China|Taiwan'],
  ['VN', 'Vietnam|Viet Nam|Socialist Republic of Vietnam'],
  ['LC', 'Saint Lucia|St Lucia|St. Lucia'],
  ['KN', 'St. Kitts & Nevis|Saint Kitts and Nevis'],
  ['SZ', 'Swaziland/Eswatini|Swaziland'],
  ['MK', 'Macedonia|North Macedonia|Macedonia, the former Yugoslav Republic of'],
  ['SX', 'Saint Martin (Dutch part)|Sint Maarten (Dutch part)'],
  ['RU', 'Russian Federation|Russia'],
  ['CH', 'CH (Switzerland)|Schweiz/Suisse/Svizzera|Swiss Confederation'],
  ['BO', 'Bolivia, Plurinational State of|Bolivia (Plurinational State of)'],
  ['GM', 'Gambia, The|The Gambia|Gambia (the)'],
  ['KR', '대한민국'],
  ['IL', 'ישראל'],
  ['UA', 'Україна'],
  ['BS', 'Bahamas, The|Bahamas'],
])('%s also has these names: %s', (region, names) => {
  for (const name of names.split('|')) expect(`${name} ${regionOfCountry(name)}`).toBe(`${name} ${region}`)
})

test.each(['Ireland (South)', 'US, Canada', 'Georgia, USA', 'Guinea (French)', 'Canada (+44)'])(
  '%j names no certain country',
  (text) => {
    expect(regionOfCountry(text)).toBeNull()
  },
)

test.each([
  ['Germany', 'DE'],
  ['Bavaria', unknownCountry],
  ['yes', unknownCountry],
  ['999', unknownCountry],
  ['', null],
  [' ', null],
  ['-', null],
  ['n/a', null],
  ['NULL', null],
  ['NA', 'NA'],
])('a row with the country %j is of %s', (cell, country) => {
  expect(countryOfRow(['Ann', cell], 1)).toBe(country)
  expect(countryOfRow(['Ann', cell], null)).toBeNull()
})

const de = { region: 'DE', hasCountryCodes: false }
const us = { region: 'US', hasCountryCodes: false }
const codes = { region: 'DE', hasCountryCodes: true }

describe('a number in its row’s country', () => {
  test.each([
    ['0664 5551302', 'AT', de, '+436645551302'],
    ['0664/5551404', 'AT', us, '+436645551404'],
    ['(202) 555-0171', 'US', de, '+12025550171'],
    ['202.555.0171', 'US', codes, '+12025550171'],
    ['07400 900171', 'GB', de, '+447400900171'],
    ['55 1234 5678', 'MX', de, '+525512345678'],
    ['0151 55512345', 'DE', us, '+4915155512345'],
    ['+49 151 55512345', 'AT', us, '+4915155512345'],
    ['0049 151 55512345', 'AT', us, '+4915155512345'],
    ['436645551302', 'AT', codes, '+436645551302'],
    ['436645551302', 'AT', de, '+436645551302'],
    ['4915155512345', 'AT', codes, '+4915155512345'],
    ['12025550171', 'US', codes, '+12025550171'],
    ['12025550171', 'US', de, '+12025550171'],
    ['6645551302', 'AT', codes, '+436645551302'],
    ['0664 5551302', null, de, '+496645551302'],
  ])('%s in %s', (text, country, list, expected) => {
    const read = parseInCountry(text, country, list)
    expect(read.ok && read.e164).toBe(expected)
  })

  test('is checked under the list’s reading too', () => {
    expect(parseInCountry('0664 5551302', 'AT', de)).toMatchObject({ other: 496645551302 })
    expect(parseInCountry('6645551302', 'AT', codes)).toMatchObject({ twoWays: true })
  })

  test.each([
    ['07400 123456', de, 'country'],
    ['7400123456', de, 'country'],
    ['07400 123456', codes, 'country'],
    ['n/a', de, 'none'],
    ['9123 4567', de, 'country'],
    ['436645551302', de, 'country'],
    ['', de, 'empty'],
  ])('of an unknown country, %j is refused', (text, list, fault) => {
    expect(parseInCountry(text, unknownCountry, list)).toMatchObject({ ok: false, fault })
  })

  test.each([
    ['+44 7400 123456', de],
    ['0044 7400 123456', de],
    ['447400123456@c.us', de],
    ['447400123456', codes],
  ])('of an unknown country, %j is read by its country code', (text, list) => {
    expect(parseInCountry(text, unknownCountry, list)).toMatchObject({ e164: '+447400123456' })
  })

  test('isn’t read in another country if that one refuses it', () => {
    expect(parseInCountry('(020) 555', 'US', de)).toMatchObject({ ok: false })
    expect(parseInCountry('0151 55512345', 'US', de)).toMatchObject({ ok: false })
  })
})

test.each([
  ['436645551302 AT, 4915155512345 DE, 12025550171 US, 2025550172 US', true],
  ['6645551302 AT, 15155512345 DE, 2025550171 US', false],
  ['0664 AT, +43664 AT', false],
])('%s carry their code: %s', (list, expected) => {
  const numbers = list.split(', ').map((one) => {
    const [text = '', country = null] = one.split(' ')
    return { text, country }
  })
  expect(carryTheirCode(numbers)).toBe(expected)
})

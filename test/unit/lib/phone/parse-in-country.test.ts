import { describe, expect, test } from 'vitest'
import { regionOfCountry } from '#electron/lib/phone/country-names.ts'
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

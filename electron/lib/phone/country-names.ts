import { fold } from '../fold.ts'
import { callingCodes, regionsOf } from './numbering-plans.ts'
import { isPhoneRegion } from './parse-phone.ts'

/** Languages in which exports name countries. */
const languages = 'en de es fr it pt nl pl sv da nb fi cs tr ru ar zh ja'.split(' ')

/** Other usual names, plates and codes of three letters. */
const others: Record<string, string> = {
  AE: 'ARE|UAE',
  AR: 'ARG',
  AT: 'A|AUT|Republik Österreich',
  AU: 'AUS',
  BE: 'B|BEL',
  BR: 'BRA',
  CA: 'CAN|CDN',
  CH: 'CHE|SUI',
  CL: 'CHL',
  CN: 'CHN|PRC|PR China',
  CO: 'COL',
  CZ: 'CZE|Czech Republic|Tschechische Republik',
  DE: 'D|DEU|GER|BRD|Bundesrepublik Deutschland|Federal Republic of Germany',
  DK: 'DNK',
  EG: 'EGY',
  ES: 'E|ESP',
  FI: 'FIN',
  FR: 'F|FRA',
  GB: 'UK|GBR|Great Britain|Britain|England|Scotland|Wales|Northern Ireland|Großbritannien|United Kingdom of Great Britain and Northern Ireland',
  GR: 'GRC',
  HU: 'HUN',
  ID: 'IDN',
  IE: 'IRL|Republic of Ireland',
  IL: 'ISR',
  IN: 'IND',
  IT: 'I|ITA',
  JP: 'JPN',
  KE: 'KEN',
  KR: 'KOR|Korea|Republic of Korea',
  LI: 'LIE|FL',
  LU: 'LUX|L',
  MX: 'MEX',
  MY: 'MYS',
  NG: 'NGA',
  NL: 'NLD|Holland|The Netherlands',
  NO: 'NOR|N',
  NZ: 'NZL',
  PE: 'PER',
  PH: 'PHL|The Philippines',
  PK: 'PAK',
  PL: 'POL',
  PT: 'PRT|P',
  RO: 'ROU',
  RU: 'RUS|Russian Federation',
  SA: 'SAU|KSA',
  SE: 'SWE|S',
  SG: 'SGP',
  TH: 'THA',
  TR: 'TUR|Turkey',
  UA: 'UKR',
  US: 'USA|U.S.A.|U.S.|United States of America|America|Vereinigte Staaten von Amerika',
  VN: 'VNM|Viet Nam',
  ZA: 'ZAF|RSA',
}

let names: Map<string, string> | undefined

function regionByName(): Map<string, string> {
  const found = new Map<string, string>()
  const add = (name: string | undefined, region: string) => {
    const key = fold(name ?? '').trim()
    if (key !== '' && !found.has(key)) found.set(key, region)
  }
  const regions = callingCodes.flatMap((code) => [...regionsOf(code)]).filter(isPhoneRegion)
  for (const region of regions) add(region, region)
  for (const [region, list] of Object.entries(others)) for (const name of list.split('|')) add(name, region)
  for (const language of languages) {
    const display = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    for (const region of regions) add(display.of(region), region)
  }
  return found
}

/** The region (ISO 3166, two letters) that a cell names: by its name in a usual language, its code, or its calling code (`+43`). Null if none. */
export function regionOfCountry(text: string): string | null {
  const name = fold(text).trim()
  if (name === '') return null
  const code = /^(?:\+|00)?([1-9]\d{0,2})$/.exec(name)?.[1]
  if (code !== undefined) return callingCodes.includes(code) ? (regionsOf(code)[0] ?? null) : null
  names ??= regionByName()
  return names.get(name) ?? null
}

import { fold } from '../fold.ts'
import { callingCodes, regionsOf } from './numbering-plans.ts'
import { isPhoneRegion } from './parse-phone.ts'

/** The country of a row that names an unknown one; no country has this code. */
export const unknownCountry = 'ZZ'

/** Languages in which exports name countries. */
const languages = 'en de es fr it pt nl pl sv da nb fi cs hu ro el tr uk ru he ar zh ja ko'.split(' ')

/** ISO 3166: each code of two letters with its code of three. */
const codesOfThree =
  'ACASC ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD ' +
  'BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BWBWA BYBLR BZBLZ CACAN CCCCK ' +
  'CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU DJDJI ' +
  'DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB GBGBR ' +
  'GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GTGTM GUGUM GWGNB GYGUY HKHKG HNHND HRHRV ' +
  'HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM ' +
  'KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY ' +
  'MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS MVMDV ' +
  'MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER ' +
  'PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB ' +
  'SCSYC SDSDN SESWE SGSGP SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ ' +
  'TCTCA TDTCD TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA USUSA UYURY ' +
  'UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM XKXKX YEYEM YTMYT ZAZAF ZMZMB ZWZWE'

/** Other usual names and codes: of ISO 3166, the World Bank, shops, sports, and on cars. */
const others: Record<string, string> = {
  AE: 'UAE|Emirates',
  AF: 'Islamic State of Afghanistan',
  AG: 'Antigua',
  AT: 'A|Republik Österreich',
  BA: 'Bosnia',
  BE: 'B',
  BL: 'Saint Barts',
  BN: 'Brunei Darussalam',
  BO: 'Plurinational State of Bolivia',
  BQ: 'Bonaire, Sint Eustatius and Saba|Bonaire, Saint Eustatius and Saba|Bonaire',
  BS: 'Bahamas, The',
  CA: 'CDN',
  CC: 'Cocos Islands|Keeling Islands',
  CD: 'DRC|DR Congo|Democratic Republic of the Congo|Congo Kinshasa|Zaire',
  CG: 'Congo Brazzaville|Republic of the Congo|Congo Republic|Congo',
  CH: 'SUI|Swiss Confederation|Schweiz/Suisse/Svizzera',
  CI: 'Ivory Coast',
  CN: "PRC|PR China|P.R. China|People's Republic of China|Mainland China",
  CV: 'Cabo Verde',
  CZ: 'Czech Republic|Tschechische Republik',
  DE: 'D|GER|BRD|Bundesrepublik Deutschland|Federal Republic of Germany',
  DK: 'DEN',
  DO: 'Dominican Rep.',
  EG: 'Arab Republic of Egypt',
  ES: 'E',
  FK: 'Falkland Islands Malvinas|Malvinas',
  FM: 'Federated States of Micronesia',
  FR: 'F',
  GB: 'UK|U K|Great Britain|Britain|England|Scotland|Wales|Northern Ireland|Großbritannien|United Kingdom of Great Britain and Northern Ireland',
  GM: 'Republic of The Gambia',
  GR: 'EL|Hellas|Hellenic Republic',
  HK: 'Hong Kong China|Hong Kong S.A.R.|Hong Kong SAR',
  HR: 'CRO',
  HT: 'Republic of Haiti',
  IE: 'Republic of Ireland|Eire|Irish Republic',
  IR: 'Islamic Republic of Iran',
  IT: 'I',
  KG: 'Kyrgyz Republic',
  KN: 'Saint Kitts',
  KP: "Democratic People's Republic of Korea|DPRK|Democratic Republic of Korea",
  KR: 'Korea|Republic of Korea|ROK',
  LA: "Lao|Lao PDR|Lao People's Democratic Republic",
  LI: 'FL',
  LU: 'L',
  LY: 'Libyan Arab Jamahiriya',
  MD: 'Republic of Moldova',
  MF: 'Saint Martin French part',
  MK: 'Macedonia|Former Yugoslav Republic of Macedonia|FYROM|F.Y.R.O.M.|Republic of Macedonia',
  MM: 'Burma',
  MO: 'Macau|Macau SAR|Macao China|Macau China|Macao S.A.R.',
  NL: 'NED|Holland|Kingdom of the Netherlands',
  NO: 'N',
  PH: 'Philippines|Republic of the Philippines',
  PN: 'Pitcairn',
  PS: 'Palestine|State of Palestine|Palestinian Territory|Occupied Palestinian Territory|West Bank and Gaza|Palestinian Authority',
  PT: 'P|POR',
  PW: 'Belau',
  RU: 'Russian Federation',
  SA: 'KSA|Kingdom of Saudi Arabia',
  SE: 'S',
  SH: 'Saint Helena, Ascension and Tristan da Cunha|Saint Helena',
  SJ: 'Svalbard and Jan Mayen Islands',
  SK: 'Slovak Republic',
  SS: 'South Sudan',
  ST: 'Sao Tome',
  SX: 'Saint Martin Dutch part|Sint Maarten Dutch part',
  SY: 'Syrian Arab Republic',
  SZ: 'Swaziland|Swaziland/Eswatini',
  TC: 'Turks and Caicos',
  TL: 'East Timor|Timor Leste',
  TR: 'Turkey|Republic of Turkey|Republic of Türkiye',
  TT: 'Trinidad',
  TW: 'Taiwan China|Taiwan Province of China|Taiwan ROC|Taiwan Republic of China|Chinese Taipei',
  TZ: 'United Republic of Tanzania',
  US: 'U S|U S A|United States of America|America|Vereinigte Staaten von Amerika|Etats-Unis d’Amérique|Estados Unidos de América|EEUU|EE UU|EUA|Etats Unis|Stati Uniti d’America',
  VA: 'Vatican|Holy See|Holy See Vatican City State|Vatican City State',
  VC: 'Saint Vincent',
  VE: 'Bolivarian Republic of Venezuela|República Bolivariana de Venezuela',
  VG: 'Virgin Islands British|BVI',
  VI: 'Virgin Islands US|Virgin Islands of the United States|USVI|United States Virgin Islands',
  VN: 'Viet Nam|Socialist Republic of Vietnam',
  WF: 'Wallis and Futuna Islands',
  XK: 'Republic of Kosovo|Kosova',
  ZA: 'RSA|Republic of South Africa',
}

const abbreviations: Record<string, string> = {
  rep: 'republic',
  dem: 'democratic',
  fed: 'federated',
  st: 'saint',
  sts: 'states',
  is: 'islands',
}
const joints = new Set(['the', 'of', 'and'])

/** One key for the spellings of a name: `Korea, Rep.` and `the Republic of Korea`. */
const keyOf = (name: string): string =>
  fold(name)
    .replace(/\.(?=\p{L}|$|[\s,()])|'/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => abbreviations[word] ?? word)
    .filter((word) => word !== '' && !joints.has(word))
    .toSorted()
    .join(' ')

let names: Map<string, string> | undefined

function regionByName(): Map<string, string> {
  const found = new Map<string, string>()
  const add = (name: string | undefined, region: string) => {
    const key = keyOf(name ?? '')
    if (key !== '' && !found.has(key)) found.set(key, region)
  }
  const regions = callingCodes.flatMap((code) => [...regionsOf(code)]).filter(isPhoneRegion)
  // Before names, as a code must not be an abbreviation.
  for (const region of regions) found.set(region.toLowerCase(), region)
  for (const codes of codesOfThree.split(' ')) add(codes.slice(2), codes.slice(0, 2))
  for (const [region, list] of Object.entries(others)) for (const name of list.split('|')) add(name, region)
  for (const language of languages)
    for (const style of ['long', 'short'] as const) {
      const display = new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' })
      for (const region of regions) add(display.of(region), region)
    }
  return found
}

/** Words in brackets that turn a name into another country's. */
const another =
  /\b(?:north|south|east|west|equatorial|dem|democratic|people|american|british|french|dutch|spanish|portuguese|new)/

/** The regions that a name, a code, or a calling code (`+43`) means, the likeliest first. */
function regionsNamed(text: string): readonly string[] {
  const code = /^(?:\+|00)?([1-9]\d{0,2})$/.exec(text)?.[1]
  if (code !== undefined) return callingCodes.includes(code) ? regionsOf(code) : []
  names ??= regionByName()
  const key = keyOf(text)
  const region = names.get(text) ?? names.get(key)
  return region === undefined ? [] : [region]
}

function readCountry(text: string): string | null {
  const name = fold(text).trim()
  const [region] = regionsNamed(name)
  if (region !== undefined) return region
  // A country with its other name or a code. They must agree.
  const parts = name
    .split(/[(),/|;:]|\s-\s|(?<=^\+\d+)\s|-(?=\p{L}{4})|\s(?=\+)/u)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const [first = [], ...rest] = parts.map(regionsNamed)
  const [named] = first.length > 1 ? (rest[0] ?? []) : first
  if (named === undefined) return null
  const known = [first, ...rest].filter((regions) => regions.length > 0)
  if (known.some((regions) => !regions.includes(named))) return null
  const [, bracket = ''] = /\((.*)\)$/.exec(name) ?? []
  const isWhole = known.length === parts.length
  return isWhole || (parts.length === 2 && bracket !== '' && !another.test(bracket)) ? named : null
}

const answers = new Map<string, string | null>()
const answersMax = 1_000

/** The region (ISO 3166, two letters) that a cell names: by its name in a usual language, its code, or its calling code (`+43`). Null if none. */
export function regionOfCountry(text: string): string | null {
  const known = answers.get(text)
  if (known !== undefined) return known
  if (answers.size >= answersMax) answers.clear()
  const region = readCountry(text)
  answers.set(text, region)
  return region
}

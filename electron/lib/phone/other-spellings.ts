import { callingCodeOf, isMobile, planOf } from './numbering-plans.ts'

type Form = readonly [form: RegExp, other: string]

/** National numbers that began like `was`, and begin like `is` in the plan of today. `rest` follows. */
const renumbered = (was: string, is: string, rest: string): Form[] => [
  [new RegExp(`^${was}(${rest})$`), `${is}$1`],
  [new RegExp(`^${is}(${rest})$`), `${was}$1`],
]

/** Vietnam, 2018: eleven digits with the zero became ten. */
const vietnam = {
  ...{ 120: 70, 121: 79, 122: 77, 126: 76, 128: 78, 123: 83, 124: 84, 125: 85, 127: 81, 129: 82 },
  ...{ 162: 32, 163: 33, 164: 34, 165: 35, 166: 36, 167: 37, 168: 38, 169: 39, 186: 56, 188: 58, 199: 59 },
}
/** Gabon, 2019: another digit instead of the zero, or before it where it was dropped. */
const gabon = { 1: 11, 2: 62, 4: 74, 5: 65, 6: 66, 7: 77 }
/** Ivory Coast, 2021: the network before the number. Its second digit tells the network of a mobile. */
const ivoryCoast = { '01': '[0-3]', '05': '[4-6]', '07': '[7-9]' }

/** Other spellings of a national number, by its calling code. */
const forms: Partial<Record<string, readonly Form[]>> = {
  // Services and WhatsApp keep Brazilian mobiles without the ninth digit, Argentine ones without the 9, and Mexican ones with a 1.
  55: [
    [/^(\d\d)([6-9]\d{7})$/, '$19$2'],
    [/^(\d\d)9([6-9]\d{7})$/, '$1$2'],
  ],
  54: renumbered('', '9', String.raw`[1-9]\d{9}`),
  52: renumbered('1', '', String.raw`[2-9]\d{9}`),
  // People write Italian mobiles with the zero of the trunk.
  39: renumbered('0', '', String.raw`3\d{8,9}`),
  84: Object.entries(vietnam).flatMap(([was, is]) => renumbered(was, String(is), String.raw`\d{7}`)),
  241: Object.entries(gabon).flatMap(([was, is]) => [
    ...renumbered(`0${was}`, String(is), String.raw`\d{6}`),
    ...renumbered(was, String(is), String.raw`\d{6}`),
    ...renumbered(was, `0${was}`, String.raw`\d{6}`),
  ]),
  225: Object.entries(ivoryCoast).flatMap(([is, second]) =>
    renumbered('', is, String.raw`[04-9]${second}\d{6}`),
  ),
  // Benin, 2024.
  229: renumbered('', '01', String.raw`[2-9]\d{7}`),
}

/** Numbers that services, people and older lists use for the same line, or may. E.164 digits without the plus. */
export function otherSpellings(number: number): number[] {
  const digits = String(number)
  const { code = '' } = callingCodeOf(digits) ?? {}
  const national = digits.slice(code.length)
  return (forms[code] ?? []).flatMap(([form, other]) =>
    form.test(national) ? Number(code + national.replace(form, other)) : [],
  )
}

const isItalianLandline = (number: number): boolean => {
  const [, national = ''] = /^39(0\d+)$/.exec(String(number)) ?? []
  return planOf('IT').landline!.test(national)
}

/** Those that are surely the same line: +39 0331 1234567 is a landline, and +39 331 1234567 a mobile of someone else. */
export const spellingsOfLine = (number: number): number[] =>
  otherSpellings(number).filter((other) => !isItalianLandline(number) && !isItalianLandline(other))

/** Whether E.164 digits are surely a landline: their plan has them as one, and neither them nor another spelling as a mobile number. */
export function isLandline(digits: string): boolean {
  const { code, regions } = callingCodeOf(digits) ?? { code: '', regions: [] }
  return (
    regions.some((region) => planOf(region).landline?.test(digits.slice(code.length))) &&
    !isMobile(digits) &&
    !spellingsOfLine(Number(digits)).some((other) => isMobile(String(other)))
  )
}

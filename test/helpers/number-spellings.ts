import fc from 'fast-check'

/** A number by its parts. `trunk` is dialled before it within its country. */
export interface SpelledNumber {
  region: string
  code: string
  national: string
  trunk: string
}

/** Invented numbers of ranges for fiction, and of mobile plans. */
export const spelledNumbers: readonly SpelledNumber[] = [
  { region: 'US', code: '1', national: '2025550143', trunk: '' },
  { region: 'GB', code: '44', national: '7400123456', trunk: '0' },
  { region: 'FR', code: '33', national: '612345678', trunk: '0' },
  { region: 'DE', code: '49', national: '15112345678', trunk: '0' },
  { region: 'ZA', code: '27', national: '821234567', trunk: '0' },
  { region: 'NG', code: '234', national: '8021234567', trunk: '0' },
  { region: 'ES', code: '34', national: '612345678', trunk: '' },
  { region: 'BR', code: '55', national: '11961234567', trunk: '0' },
]

const blanks = ['', ' ', '\u00a0', '\u2009', '\u202f', '-', '\u2011', '\u2013', '.', '/']
const invisible = ['', '', '', '\u200b', '\u200e', '\u2060', '\ufeff', '\u00ad']
const zeros = ['0', '０', '٠', '०']
const otherDigits = (text: string, zero: string) =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)))

/** Digits in groups of three or more, with the same separator, which no reader may take for another mark. */
function grouped(digits: string, size: number, separator: string): string {
  const groups: string[] = []
  for (let rest = digits; rest !== '';) {
    const take = rest.length < 2 * size ? rest.length : size
    groups.push(rest.slice(0, take))
    rest = rest.slice(take)
  }
  return groups.join(separator)
}

type Dice = { of: <T>(items: readonly T[]) => T }

/** Spellings with the country code. */
const international: readonly ((number: SpelledNumber, dice: Dice) => string)[] = [
  ({ code, national }) => `+${code}${national}`,
  ({ code, national }) => `00${code}${national}`,
  ({ code, national }) => `+${code} (0)${national}`,
  ({ code, national }) => `+${code}(0) ${national}`,
  ({ code, national }) => `whatsapp:+${code}${national}`,
  ({ code, national }) => `tel:+${code}-${national}`,
  ({ code, national }) => `tel:+${code}${national};ext=12`,
  ({ code, national }) => `sms:+${code}${national}`,
  ({ code, national }) => `${code}${national}@c.us`,
  ({ code, national }) => `${code}${national}@s.whatsapp.net`,
  ({ code, national }) => `https://wa.me/${code}${national}`,
  ({ code, national }) => `sip:+${code}${national}@example.com;user=phone`,
  ({ code, national }) => `+${code}${national}/TYPE=PLMN`,
  ({ code, national }) => `+${code}${national}.0`,
  ({ code, national }) => `+${code}${national},00`,
  ({ code, national }) => `="+${code}${national}"`,
  ({ code, national }) => `'+${code}${national}`,
  ({ code, national }) => `"+${code} ${national}"`,
  ({ code, national }) => `Mobile: +${code} ${national}`,
  ({ code, national }) => `+${code} ${national} (work)`,
  ({ code, national }) => `+${code} ${national} ext. 7`,
  ({ code, national }) => `\u202a+${code} ${national}\u202c`,
  ({ code, national }, dice) => `+${code}${dice.of(blanks)}${grouped(national, 3, dice.of(blanks))}`,
  ({ code, national }, dice) => `+${code} (${national.slice(0, 3)})${dice.of(blanks)}${national.slice(3)}`,
  ({ code, national }, dice) => [...`+${code}${national}`].map((char) => char + dice.of(invisible)).join(''),
  ({ code, national }, dice) => otherDigits(`+${code}${national}`, dice.of(zeros)),
  ({ code, national }, dice) => otherDigits(`＋${code} ${national}`, dice.of(zeros)),
]

/** Spellings that a program made of a number; they lost its plus. */
const computed: readonly ((number: SpelledNumber) => string)[] = [
  ({ code, national }) => `${code}${national}`,
  ({ code, national }) => `${code}${national}.0`,
  ({ code, national }) => `${code}${national},0`,
  ({ code, national }) => {
    const digits = code + national
    return `${digits[0]}.${digits.slice(1)}E+${digits.length - 1}`
  },
  ({ code, national }) => {
    const digits = code + national
    return `${digits[0]}.${digits.slice(1)}E${digits.length - 1}`
  },
  ({ code, national }) => `${code}${national}.0000`,
  ({ code, national }) => `${code}${national}.000000`,
  ({ code, national }) => (code + national).replace(/\B(?=(?:\d{3})+$)/g, ','),
]

/** Spellings as dialled within the country. */
const dialled: readonly ((number: SpelledNumber, dice: Dice) => string)[] = [
  ({ trunk, national }) => trunk + national,
  ({ trunk, national }, dice) => trunk + grouped(national, 3, dice.of(blanks.slice(0, 8))),
  ({ trunk, national }, dice) => otherDigits(trunk + national, dice.of(zeros)),
  ({ trunk, national }) => `tel:${trunk}${national}`,
  ({ trunk, national }, dice) => [...(trunk + national)].map((char) => char + dice.of(invisible)).join(''),
]

const kinds = { international, computed, dialled }

/** A number, and a text that means it. Written without the reader that it tests. */
export const spelling = (kind: keyof typeof kinds) =>
  fc
    .tuple(fc.constantFrom(...spelledNumbers), fc.nat(), fc.infiniteStream(fc.nat(1_000)))
    .map(([number, which, stream]) => {
      const dice: Dice = { of: (items) => items[stream.next().value! % items.length]! }
      const make = kinds[kind][which % kinds[kind].length]!
      return { number, text: make(number, dice), digits: Number(number.code + number.national) }
    })

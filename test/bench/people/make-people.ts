import { closeSync, openSync, writeSync } from 'node:fs'

/** The same random sequence in each run. */
export function createDice(seed: number) {
  let state = seed >>> 0
  const roll = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
  return { roll, of: <T>(items: readonly T[]): T => items[roll(items.length)]! }
}
type Dice = ReturnType<typeof createDice>

const commonGiven =
  'Ana Ben Chloé Dana Emil Fatima Göran Hana Ivan Jana Kofi Lena Mikael Nora Omar Paula Quentin Rosa Søren Tara Uma Viktor Wanda Xenia Yusuf Zoë'.split(
    ' ',
  )
const commonFamily =
  'Abel Brandt Costa Dubois Eriksson Fischer García Hansen Ito Jensen Kowalski Lopez Müller Novák Okafor Petrov Quinn Rossi Silva Tanaka Ueda Vogel Weber Xu Yılmaz Zhang'.split(
    ' ',
  )

/** Distinct names of two to four syllables. */
function makeNames(count: number, dice: Dice): string[] {
  const begins = 'b d f g h j k l m n p r s t v w z br dr kr st sch tr ch sh y'.split(' ')
  const middles = 'a e i o u ai ei ou ia ö ü é'.split(' ')
  const ends = ['', 'n', 'r', 's', 'l', 'm', 'tz', 'nd', 'ck', 'sson', 'ova', 'ski']
  const names = new Set<string>()
  while (names.size < count) {
    const syllables = Array.from({ length: 1 + dice.roll(3) }, () => dice.of(begins) + dice.of(middles))
    const name = syllables.join('') + dice.of(ends)
    names.add(name[0]!.toUpperCase() + name.slice(1))
  }
  return [...names]
}
const rareGiven = makeNames(800, createDice(1))
const rareFamily = makeNames(6_000, createDice(2))
/** A few names are common, many are rare. */
const given = (dice: Dice) => dice.of(dice.roll(10) < 3 ? commonGiven : rareGiven)
const family = (dice: Dice) => dice.of(dice.roll(10) < 2 ? commonFamily : rareFamily)

const cities = Array.from({ length: 200 }, (_, at) => `city${at}`)
const areaCodes = [201, 212, 303, 312, 404, 415, 512, 617, 702, 818, 905, 917]
const middle = (dice: Dice) => String(200 + dice.roll(800))
const digits = (dice: Dice, length: number) => String(dice.roll(10 ** length)).padStart(length, '0')

/** A valid number as E.164 digits, a third of them North American. */
function makeNumber(dice: Dice): string {
  const kind = dice.roll(9)
  if (kind < 3) return `1${dice.of(areaCodes)}${middle(dice)}${digits(dice, 4)}`
  if (kind === 3) return `4917${dice.of([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])}${digits(dice, 7)}`
  if (kind === 4) return `447${dice.of([4, 5, 7, 8, 9])}${digits(dice, 8)}`
  if (kind === 5) return `336${digits(dice, 8)}`
  if (kind === 6) return `9198${digits(dice, 8)}`
  if (kind === 7) return `346${digits(dice, 8)}`
  return `467${dice.of([0, 2, 3, 6, 9])}${digits(dice, 7)}`
}

/** As people write it: numbers of North America, the default region, in many ways; others with their country code. */
function written(number: string, dice: Dice): string {
  if (dice.roll(100) < 54) return `+${number}`
  if (!number.startsWith('1') || number.length !== 11) {
    const code = number.slice(0, 2)
    const rest = number.slice(2)
    return dice.of([
      `+${code} ${rest.slice(0, 3)} ${rest.slice(3)}`,
      `+${code}-${rest}`,
      `00${code}${rest}`,
      `${code} ${rest}`,
    ])
  }
  const [area, exchange, line] = [number.slice(1, 4), number.slice(4, 7), number.slice(7)]
  return dice.of([
    `(${area}) ${exchange}-${line}`,
    `${area}-${exchange}-${line}`,
    `${area}.${exchange}.${line}`,
    `1-${area}-${exchange}-${line}`,
    `+1 (${area}) ${exchange}-${line}`,
    `${area}${exchange}${line}`,
  ])
}

/**
 * Writes a table of contacts: name, phone, email and a tag. Of a hundred phones 54 are E.164, about 11 are not numbers, five repeat. The
 * same file for the same `seed`.
 */
export function makePeople(file: string, rows: number, seed: number): void {
  const dice = createDice(seed)
  const fd = openSync(file, 'w')
  const recent: string[] = []
  let text = 'Name,Phone,E-mail,City\n'
  for (let row = 0; row < rows; row++) {
    const [first, last] = [given(dice), family(dice)]
    const name = dice.roll(10) === 0 ? `"${last}, ${first}"` : `${first} ${last}`
    let number = makeNumber(dice)
    if (recent.length > 100 && dice.roll(100) < 5) number = dice.of(recent)
    else if (recent.length < 5_000) recent.push(number)
    else recent[dice.roll(5_000)] = number
    const phone =
      dice.roll(100) < 6
        ? dice.of(['n/a', '12345', '+49', '555-01', '+99912345678', '1234567'])
        : written(number, dice)
    const email =
      dice.roll(10) < 7
        ? `${first
            .toLowerCase()
            .normalize('NFKD')
            .replace(/[^a-z]/g, '')}.${row}@example.org`
        : ''
    text += `${name},${phone},${email},${dice.roll(2) === 0 ? dice.of(cities) : ''}\n`
    if (text.length > 1 << 20) {
      writeSync(fd, text)
      text = ''
    }
  }
  writeSync(fd, text)
  closeSync(fd)
}

/** Distinct numbers as E.164 digits, for a DNC list. */
export function makeNumbers(count: number, seed: number): Set<string> {
  const dice = createDice(seed)
  const numbers = new Set<string>()
  while (numbers.size < count) numbers.add(makeNumber(dice))
  return numbers
}

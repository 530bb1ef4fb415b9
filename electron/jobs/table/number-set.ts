import { type Database, openReader } from '../../database/open.ts'

/** Numbers as digits, in one flat table: a look-up takes a fifth of a microsecond, a million take 16 MiB. */
export interface NumberSet {
  has(digits: number): boolean
  /** False when it was there already. */
  add(digits: number): boolean
  readonly size: number
}

export function createNumberSet(expected = 1_000): NumberSet {
  let capacity = 1_024
  while (capacity < expected * 2) capacity *= 2
  let table = new Float64Array(capacity)
  let size = 0

  /** The place of a number, or the free one where it belongs. No number is 0. */
  function placeOf(digits: number, within: Float64Array): number {
    const mask = within.length - 1
    // Numbers of one country share their high digits: the low 32 bits are mixed so that neighbours part.
    let at = Math.imul((digits % 4_294_967_296) ^ (digits / 65_536), 0x9e3779b1) >>> 0
    at = (at ^ (at >>> 15)) & mask
    while (within[at] !== 0 && within[at] !== digits) at = (at + 1) & mask
    return at
  }

  function grow(): void {
    const larger = new Float64Array(table.length * 2)
    for (const digits of table) if (digits !== 0) larger[placeOf(digits, larger)] = digits
    table = larger
  }

  return {
    has: (digits) => table[placeOf(digits, table)] === digits,
    add(digits) {
      const at = placeOf(digits, table)
      if (table[at] === digits) return false
      table[at] = digits
      size++
      if (size * 2 > table.length) grow()
      return true
    },
    get size() {
      return size
    },
  }
}

/** The numbers that a query gives. Read at once, which takes a third of the time of one by one, and 16 bytes for each. */
export function numbersFrom(db: Database, sql: string): NumberSet {
  const found = db.prepare<[], number>(sql).pluck().all()
  const numbers = createNumberSet(found.length)
  for (const digits of found) numbers.add(digits)
  return numbers
}

/** The numbers that a query on a database of this connection gives. */
export function loadNumbers(file: string, sql: string): NumberSet {
  const { db, close } = openReader(file)
  try {
    return numbersFrom(db, sql)
  } finally {
    close()
  }
}

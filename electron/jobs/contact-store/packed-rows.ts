import type { ImportRow } from './store-types.ts'

/**
 * Import rows between threads, by column: copying a few long texts and typed arrays takes a tenth of the time of
 * objects. Texts are joined by NUL, which no cell contains.
 */
export interface PackedRows {
  count: number
  /** E.164 without the plus. */
  digits: Float64Array
  /** Contact with the number; 0 for none. */
  ids: Float64Array
  marks: Uint8Array
  /** Other numbers of contacts, each behind the contact's number. */
  others: number[]
  names: string
  emails: string
  /** Undefined when no row has one. */
  firstNames: string | undefined
  lastNames: string | undefined
  notes: string | undefined
  /** Distinct tags as JSON, and the index for each row. */
  tagSets: string[]
  tagAt: Uint32Array
}

const joint = '\0'

/** Other numbers that fill a message, for each of its rows: contacts without a row have some too. */
const othersPerRow = 4

/** Collects rows for one message. */
export function createRowPacker(capacity: number) {
  let count = 0
  let digits = new Float64Array(capacity)
  let ids = new Float64Array(capacity)
  let marks = new Uint8Array(capacity)
  let tagAt = new Uint32Array(capacity)
  let names: string[] = []
  let emails: string[] = []
  let firstNames: string[] = []
  let lastNames: string[] = []
  let notes: string[] = []
  let others: number[] = []
  let sets = new Map<string, number>()

  function addOthers(number: number, more: readonly number[]): void {
    for (const other of more) others.push(number, other)
  }

  return {
    get count() {
      return count
    },
    get isFull() {
      return count === capacity || others.length >= 2 * othersPerRow * capacity
    },
    /** Other numbers of a contact without a row. */
    addOthers,
    add(row: ImportRow): void {
      digits[count] = row.digits
      ids[count] = row.id
      marks[count] = row.marks
      addOthers(row.digits, row.others)
      names.push(row.name)
      emails.push(row.email)
      firstNames.push(row.firstName)
      lastNames.push(row.lastName)
      notes.push(row.note)
      let set = sets.get(row.tagsJson)
      if (set === undefined) sets.set(row.tagsJson, (set = sets.size))
      tagAt[count++] = set
    },
    /** Returns and clears the rows. */
    take(): PackedRows {
      const rows: PackedRows = {
        count,
        digits: digits.subarray(0, count),
        ids: ids.subarray(0, count),
        marks: marks.subarray(0, count),
        others,
        names: names.join(joint),
        emails: emails.join(joint),
        firstNames: joinedIfAny(firstNames),
        lastNames: joinedIfAny(lastNames),
        notes: joinedIfAny(notes),
        tagSets: [...sets.keys()],
        tagAt: tagAt.subarray(0, count),
      }
      count = 0
      digits = new Float64Array(capacity)
      ids = new Float64Array(capacity)
      marks = new Uint8Array(capacity)
      tagAt = new Uint32Array(capacity)
      names = []
      emails = []
      firstNames = []
      lastNames = []
      notes = []
      others = []
      sets = new Map()
      return rows
    },
  }
}

const joinedIfAny = (texts: readonly string[]) =>
  texts.some((text) => text !== '') ? texts.join(joint) : undefined

/** Texts of packed rows. */
export const unpackTexts = ({ count, names, emails, ...some }: PackedRows) => ({
  names: count === 0 ? [] : names.split(joint),
  emails: count === 0 ? [] : emails.split(joint),
  firstNames: some.firstNames?.split(joint),
  lastNames: some.lastNames?.split(joint),
  notes: some.notes?.split(joint),
})

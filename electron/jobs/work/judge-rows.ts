import type { Database } from '../../database/open.ts'
import { readCell } from '../../lib/csv/write-cell.ts'
import type { CsvRow } from '../../lib/csv/row-reader.ts'
import { parsePhone } from '../../lib/phone/parse-phone.ts'
import { isSameContact, type MergeFields, mergeRow } from '../book/merge-row.ts'
import { marks } from '../book/book-types.ts'
import type { ImportRow } from '../book/protocol.ts'
import { createNumberSet, type NumberSet } from '../table/number-set.ts'
import type { ImportChoices, ImportCounts, JudgedRow, RowOutcome } from './protocol.ts'

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const cellMax = 500

export const noCounts = (): ImportCounts => ({
  rows: 0,
  new: 0,
  update: 0,
  unchanged: 0,
  duplicateInFile: 0,
  duplicateInBook: 0,
  dnc: 0,
  invalid: 0,
  marked: 0,
})

const countOf: Record<RowOutcome, keyof ImportCounts> = {
  new: 'new',
  update: 'update',
  unchanged: 'unchanged',
  'duplicate-in-file': 'duplicateInFile',
  'duplicate-in-book': 'duplicateInBook',
  dnc: 'dnc',
  invalid: 'invalid',
}

/** What a row is read as, before it is compared with anything. */
type ReadRow = { ok: true; digits: number; fields: MergeFields } | { ok: false; reason: string }

/** Tags of a cell: a JSON object of texts, or `key=value` pairs between semicolons. Null when it is neither. */
function readTags(cell: string): Record<string, string> | null {
  const text = cell.trim()
  const tags = Object.create(null) as Record<string, string>
  if (text === '') return tags
  if (text.startsWith('{')) {
    try {
      const parsed = JSON.parse(text) as unknown
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
      for (const [key, value] of Object.entries(parsed)) {
        if (typeof value !== 'string') return null
        tags[key] = value
      }
      return tags
    } catch {
      return null
    }
  }
  for (const pair of text.split(';')) {
    const at = pair.indexOf('=')
    if (pair.trim() === '') continue
    if (at <= 0) return null
    tags[pair.slice(0, at).trim()] = pair.slice(at + 1).trim()
  }
  return tags
}

/** Reads rows by the columns' targets. */
function createRowReading(choices: ImportChoices): (row: CsvRow) => ReadRow {
  const { columns, defaultRegion: region, doubleZeroIsPlus, extraTags } = choices
  const plainExtra = Object.keys(extraTags).length === 0
  return ({ cells, problem }) => {
    if (problem !== null) return { ok: false, reason: `The row is malformed: ${problem}.` }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== ''))
      return { ok: false, reason: `The row has ${cells.length} cells, the table has ${columns.length}.` }
    let phone = ''
    const names: string[] = []
    let email = ''
    let note = ''
    let tags: Record<string, string> | null = null
    for (let at = 0; at < columns.length; at++) {
      const cell = readCell(cells[at] ?? '')
      if (cell === '') continue
      if (cell.includes('\0')) return { ok: false, reason: `Column ${at + 1} holds a NUL character.` }
      const target = columns[at]!
      if (target.to === 'phone') phone = cell
      else if (target.to === 'name') names.push(cell.trim())
      else if (target.to === 'email') email = cell.trim()
      else if (target.to === 'note') note = cell
      else if (target.to === 'tag') {
        tags ??= Object.create(null) as Record<string, string>
        tags[target.tagKey] = cell
      } else if (target.to === 'tags') {
        const read = readTags(cell)
        if (!read)
          return { ok: false, reason: 'The tags are neither a JSON object of texts nor key=value pairs.' }
        tags = Object.assign(tags ?? (Object.create(null) as object), read) as Record<string, string>
      }
    }
    const parsed = parsePhone(phone, { region, doubleZeroIsPlus })
    if (!parsed.ok) return { ok: false, reason: `The phone cannot be used: ${parsed.reason}.` }
    if (email !== '' && !emailShape.test(email)) return { ok: false, reason: 'The e-mail is no address.' }
    const tagsJson = tags === null && plainExtra ? '{}' : JSON.stringify(Object.assign(tags ?? {}, extraTags))
    return { ok: true, digits: parsed.digits, fields: { name: names.join(' '), email, note, tagsJson } }
  }
}

/** A row with what becomes of it, and what is to be stored of it, if anything. */
export interface Judgement {
  judged: JudgedRow
  store: ImportRow | null
}

export interface RowJudge {
  /** Takes the next row. Null for one that an earlier run has dealt with. */
  judge(row: CsvRow): Judgement | null
  /** For `keep-last`: to be given every row once before the first is judged. */
  foresee(row: CsvRow): void
  counts: ImportCounts
}

/**
 * Says what an import does with each row. Preview and import use this one code, so that the one equals the other. `upToRow`: rows
 * that an earlier run stored; they count as seen, and `counts` begins with what that run counted.
 */
export function createRowJudge(parts: {
  choices: ImportChoices
  book: Database
  dnc: NumberSet
  held: NumberSet
  upToRow?: number
  counts?: ImportCounts
}): RowJudge {
  const { choices, book, dnc, held, upToRow = 0 } = parts
  const counts = parts.counts ?? noCounts()
  const read = createRowReading(choices)
  const inBook = createNumberSet()
  for (const digits of book.prepare<[], number>('SELECT digits FROM contacts').pluck().iterate())
    inBook.add(digits)
  const fieldsOf = book.prepare<[number], MergeFields>(
    'SELECT c.name, c.email, c.note, t.json AS tagsJson FROM contacts c JOIN tag_sets t ON t.id = c.tag_set WHERE c.digits = ?',
  )
  const seen = createNumberSet()
  /** The last row of numbers that come more than once. */
  const lastRow = new Map<number, number>()
  const foreseen = createNumberSet()
  const keepLast = choices.duplicatesInFile === 'keep-last'

  /** Whether the number comes again and this is not the row that counts. */
  function isDouble(digits: number, rowNumber: number): boolean {
    if (!keepLast) return !seen.add(digits)
    const last = lastRow.get(digits)
    return last !== undefined && last !== rowNumber
  }

  function against(
    digits: number,
    fields: MergeFields,
    rowNumber: number,
  ): { outcome: RowOutcome; reason: string | null; store: ImportRow | null } {
    if (isDouble(digits, rowNumber))
      return {
        outcome: 'duplicate-in-file',
        reason: `The number comes ${keepLast ? 'again further down' : 'further up already'} in this file.`,
        store: null,
      }
    const mark = (dnc.has(digits) ? marks.dnc : 0) | (held.has(digits) ? marks.held : 0)
    if (mark !== 0 && choices.dncHits === 'skip')
      return {
        outcome: 'dnc',
        reason: mark & marks.dnc ? 'The number is on the Do Not Contact list.' : 'The number is held here.',
        store: null,
      }
    const store: ImportRow = { ...fields, digits, marks: mark, update: choices.duplicatesInBook === 'update' }
    if (!inBook.has(digits)) return { outcome: 'new', reason: null, store }
    if (choices.duplicatesInBook === 'skip')
      return { outcome: 'duplicate-in-book', reason: 'The book has a contact with this number.', store: null }
    const known = fieldsOf.get(digits)
    if (known && isSameContact(mergeRow(known, fields), known))
      return { outcome: 'unchanged', reason: 'The book has all of this already.', store: null }
    return { outcome: 'update', reason: 'The book’s contact is filled and overwritten.', store }
  }

  return {
    counts,
    foresee(row) {
      if (!keepLast) return
      const result = read(row)
      if (result.ok && !foreseen.add(result.digits)) lastRow.set(result.digits, row.rowNumber)
    },
    judge(row) {
      const result = read(row)
      if (row.rowNumber <= upToRow) {
        if (result.ok && !keepLast) seen.add(result.digits)
        return null
      }
      const found = result.ok
        ? { phone: `+${result.digits}`, ...against(result.digits, result.fields, row.rowNumber) }
        : { phone: null, outcome: 'invalid' as const, reason: result.reason, store: null }
      counts.rows++
      counts[countOf[found.outcome]]++
      if (found.store && found.store.marks !== 0) counts.marked++
      const { store, ...rest } = found
      return {
        store,
        judged: {
          ...rest,
          rowNumber: row.rowNumber,
          line: row.line,
          cells: row.cells.map((cell) => (cell.length > cellMax ? `${cell.slice(0, cellMax)}…` : cell)),
        },
      }
    },
  }
}

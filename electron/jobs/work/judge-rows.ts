import type { Database } from '../../database/open.ts'
import { fieldProblem } from '../../lib/contact-fields.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import type { CsvRow } from '../../lib/csv/row-reader.ts'
import { parsePhone } from '../../lib/phone/parse-phone.ts'
import { isSameContact, type MergeFields, mergeRow } from '../book/merge-row.ts'
import { marks } from '../book/book-types.ts'
import type { ImportRow } from '../book/import-row.ts'
import { createNumberSet, numbersFrom } from '../table/number-set.ts'
import type { BlockedNumbers } from './blocked-numbers.ts'
import type { ImportChoices, ImportCounts, JudgedRow, RowOutcome } from './protocol.ts'

/** Of a cell that is shown, so many characters. */
const shownMax = 500

/** A row as a page shows it: long cells cut. */
export const toShown = (row: JudgedRow): JudgedRow => ({
  ...row,
  cells: row.cells.map((cell) => (cell.length > shownMax ? `${cell.slice(0, shownMax)}…` : cell)),
})

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

/** Distinct tags that are remembered while a file is read: most of its rows have one of few. */
const tagsKept = 20_000

/**
 * Reads the tag cells of a row, given as `column NUL cell NUL` one behind the other, to tags as JSON. Null where a cell holds none.
 */
function createTagReading({ columns, extraTags }: ImportChoices): (cells: string) => string | null {
  const known = new Map<string, string | null>()

  function read(cells: string): string | null {
    // Without a prototype, so that a tag "__proto__" is one like others.
    const tags = Object.create(null) as Record<string, string>
    const parts = cells.split('\0')
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const target = columns[Number(parts[at])]!
      const cell = parts[at + 1]!
      if (target.to === 'tag') tags[target.tagKey] = cell
      else {
        const found = readTags(cell)
        if (!found) return null
        Object.assign(tags, found)
      }
    }
    return JSON.stringify(Object.assign(tags, extraTags))
  }

  return (cells) => {
    let json = known.get(cells)
    if (json === undefined) {
      if (known.size >= tagsKept) known.clear()
      known.set(cells, (json = read(cells)))
    }
    return json
  }
}

/** Reads rows by the columns' targets. */
function createRowReading(choices: ImportChoices): (row: CsvRow) => ReadRow {
  const { columns, defaultRegion: region, doubleZeroIsPlus } = choices
  const tagsOf = createTagReading(choices)
  return ({ cells, problem }) => {
    if (problem !== null) return { ok: false, reason: `The row is malformed: ${problem}.` }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== ''))
      return { ok: false, reason: `The row has ${cells.length} cells, the table has ${columns.length}.` }
    let phone = ''
    let name = ''
    let email = ''
    let note = ''
    let tagCells = ''
    for (let at = 0; at < columns.length; at++) {
      const cell = readCell(cells[at] ?? '')
      if (cell === '') continue
      if (cell.includes('\0')) return { ok: false, reason: `Column ${at + 1} holds a NUL character.` }
      const { to } = columns[at]!
      if (to === 'phone') phone = cell
      else if (to === 'name') name = name === '' ? cell.trim() : `${name} ${cell.trim()}`
      else if (to === 'email') email = cell.trim()
      else if (to === 'note') note = cell
      else if (to !== 'ignore') tagCells += `${at}\0${cell}\0`
    }
    const parsed = parsePhone(phone, { region, doubleZeroIsPlus })
    if (!parsed.ok) return { ok: false, reason: `The phone cannot be used: ${parsed.reason}.` }
    const tagsJson = tagsOf(tagCells)
    if (tagsJson === null)
      return { ok: false, reason: 'The tags are neither a JSON object of texts nor key=value pairs.' }
    const fields = { name, email, note, tagsJson }
    const reason = fieldProblem(fields)
    return reason === null ? { ok: true, digits: parsed.digits, fields } : { ok: false, reason }
  }
}

/** What becomes of a row, and what is to be stored of it, if anything. */
export interface Judgement {
  outcome: RowOutcome
  reason: string | null
  /** E.164 without its plus, null where it cannot be read. */
  digits: number | null
  store: ImportRow | null
}

/** A row with what becomes of it, whole, as it is kept where it is rejected. */
export const toJudgedRow = (row: CsvRow, { digits, outcome, reason }: Judgement): JudgedRow => ({
  rowNumber: row.rowNumber,
  line: row.line,
  cells: row.cells,
  phone: digits === null ? null : `+${digits}`,
  outcome,
  reason,
})

export interface RowJudge {
  /** Takes the next row. Null for one that an earlier run has dealt with. */
  judge(row: CsvRow): Judgement | null
  /** For `keep-last`: to be given every row once before the first is judged. */
  foresee(row: CsvRow): void
  /** From here on, rows are held against these lists. */
  renew(lists: BlockedNumbers): void
  counts: ImportCounts
}

/**
 * Says what an import does with each row. Preview and import use this one code, so that the one equals the other. `upToRow`: rows
 * that an earlier run stored; they count as seen, and `counts` begins with what that run counted.
 */
export function createRowJudge(parts: {
  choices: ImportChoices
  book: Database
  blocked: BlockedNumbers
  upToRow?: number
  counts?: ImportCounts
}): RowJudge {
  const { choices, book, upToRow = 0 } = parts
  let { dnc, held } = parts.blocked
  const counts = parts.counts ?? noCounts()
  const read = createRowReading(choices)
  const inBook = numbersFrom(book, 'SELECT digits FROM contacts')
  const contactOf = book.prepare<[number], MergeFields & { id: number }>(
    'SELECT c.id, c.name, c.email, c.note, t.json AS tagsJson FROM contacts c JOIN tag_sets t ON t.id = c.tag_set WHERE c.digits = ?',
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

  function against(digits: number, fields: MergeFields, rowNumber: number): Judgement {
    const end = (outcome: RowOutcome, reason: string): Judgement => ({ outcome, reason, digits, store: null })
    if (isDouble(digits, rowNumber))
      return end(
        'duplicate-in-file',
        `The number comes ${keepLast ? 'again further down' : 'further up already'} in this file.`,
      )
    const mark = (dnc.has(digits) ? marks.dnc : 0) | (held.has(digits) ? marks.held : 0)
    if (mark !== 0 && choices.dncHits === 'skip')
      return end(
        'dnc',
        mark & marks.dnc ? 'The number is on the Do Not Contact list.' : 'The number is held here.',
      )
    const store: ImportRow = { ...fields, digits, marks: mark, id: 0 }
    if (!inBook.has(digits)) return { outcome: 'new', reason: null, digits, store }
    if (choices.duplicatesInBook === 'skip')
      return end('duplicate-in-book', 'The book has a contact with this number.')
    const known = contactOf.get(digits)
    if (known && isSameContact(mergeRow(known, fields), known))
      return end('unchanged', 'The book has all of this already.')
    store.id = known?.id ?? 0
    return { outcome: 'update', reason: 'The book’s contact is filled and overwritten.', digits, store }
  }

  return {
    counts,
    renew: (lists) => void ({ dnc, held } = lists),
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
      const judgement: Judgement = result.ok
        ? against(result.digits, result.fields, row.rowNumber)
        : { outcome: 'invalid', reason: result.reason, digits: null, store: null }
      counts.rows++
      counts[countOf[judgement.outcome]]++
      if (judgement.store && judgement.store.marks !== 0) counts.marked++
      return judgement
    },
  }
}

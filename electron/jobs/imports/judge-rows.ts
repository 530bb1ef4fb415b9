import { columnsFor } from '../../contract/people/column-order.ts'
import type { Phrase } from '../../contract/phrases.ts'
import { clearDecimals } from '../../contract/strict-number.ts'
import type { Database } from '../../database/open.ts'
import { emailProblem, fieldProblem, toQuote } from '../../lib/contact-fields.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import type { CsvRow } from '../../lib/csv/row-reader.ts'
import type { ParsedPhone } from '../../lib/phone/parse-phone.ts'
import { isSameContact, type MergeFields, mergeRow } from '../contact-store/merge-row.ts'
import { isOtherToStore } from '../contact-store/other-readings.ts'
import { type ImportRow, marks } from '../contact-store/store-types.ts'
import { isNoValue } from '../table/cell-error.ts'
import { addNew, numbersFrom } from '../table/number-set.ts'
import { type BlockedNumbers, blockedBy, hitReason } from '../table/blocked-numbers.ts'
import type { JudgedRow } from '../table/rejected-rows.ts'
import type {
  ColumnTarget,
  ImportChoices,
  ImportCounts,
  ImportRow as DisplayRow,
  RowOutcome,
  RowProblem,
} from '../../contract/people/imports.ts'
import { createNoContact } from '../table/no-contact.ts'
import { createNumberReading } from '../table/number-reading.ts'
import { createNameReading } from '../table/row-name.ts'
import type { Refusals } from '../table/find-consent.ts'
import { createTagReading } from './read-tags.ts'

/** Characters shown of a cell. */
const shownMax = 500

const cut = (text: string) => (text.length > shownMax ? `${text.slice(0, shownMax)}…` : text)

/** Prepares rows for display: with the contact's name, long cells cut, cells without a value empty. */
export function createRowDisplay(columns: readonly ColumnTarget[], header: readonly string[]) {
  const readName = createNameReading(columns, header)
  return (row: JudgedRow): DisplayRow => ({
    ...row,
    name: cut(readName(row.cells).name),
    cells: row.cells.map((cell) => (isNoValue(cell) ? '' : cut(cell))),
  })
}

export const noCounts = (): ImportCounts => ({
  rows: 0,
  new: 0,
  update: 0,
  unchanged: 0,
  duplicateInFile: 0,
  duplicateInContacts: 0,
  dnc: 0,
  invalid: 0,
  marked: 0,
  partial: 0,
  nameless: 0,
  problems: {},
})

const countOf: Record<RowOutcome, keyof ImportCounts> = {
  new: 'new',
  update: 'update',
  unchanged: 'unchanged',
  'duplicate-in-file': 'duplicateInFile',
  'duplicate-in-contacts': 'duplicateInContacts',
  dnc: 'dnc',
  invalid: 'invalid',
}

/** A parsed row, before any comparison. */
type ReadRow =
  | {
      ok: true
      digits: number
      /** What else the text may mean, and the row's other numbers. */
      others: readonly number[]
      fields: MergeFields
      problems: readonly RowProblem[]
      /** Problems of a dropped email, tags or further numbers. */
      lost: Phrase | null
    }
  | { ok: false; problem: RowProblem; reason: Phrase }

const problemOf: Partial<Record<string, RowProblem>> = {
  'csv.encoding': 'encoding',
  'csv.cells': 'extra-cells',
}

const numberProblem = (read: ParsedPhone): RowProblem | null =>
  read.ok ? (read.twoWays ? 'number-two-ways' : null) : `number-${read.fault}`

/** Parses rows by their columns' targets. */
function createRowReading(choices: ImportChoices, header: readonly string[]): (row: CsvRow) => ReadRow {
  const isNoContact = createNoContact(choices, header)
  const { columns } = choices
  const tagsOf = createTagReading(choices)
  const choiceOf: Partial<Record<RowProblem, string>> = {
    email: choices.badEmails,
    'tag-commas': choices.tagCommas,
    tags: choices.badTags,
  }
  const rejected = (problem: RowProblem, reason: Phrase): ReadRow => ({ ok: false, problem, reason })
  const readNumber = createNumberReading(choices, header)
  const emailColumns = columnsFor(columns, 'email')
  const readName = createNameReading(columns, header)

  /** The first valid email of a row, as for its number. */
  function readEmail(cells: readonly string[]) {
    let wrongEmail: Phrase | null = null
    for (const at of emailColumns) {
      const email = readCell(cells[at] ?? '').trim()
      if (email === '' || isNoValue(email)) continue
      const problem = emailProblem(email)
      if (problem === null) return { email, wrongEmail: null, isNextEmail: wrongEmail !== null }
      wrongEmail ??= problem
    }
    return { email: '', wrongEmail, isNextEmail: false }
  }

  return ({ cells, problem, numeric }) => {
    if (problem !== null)
      return rejected(problemOf[problem] ?? 'malformed', {
        key: 'row.malformed',
        problem: { key: problem },
      })
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== ''))
      return rejected('extra-cells', { key: 'row.cells', found: cells.length, expected: columns.length })
    let note = ''
    let tagCells = ''
    for (let at = 0; at < columns.length; at++) {
      const cell = readCell(cells[at] ?? '')
      const { to } = columns[at]!
      if (cell === '' || (to !== 'ignore' && isNoValue(cell))) continue
      if (cell.includes('\0')) return rejected('malformed', { key: 'row.nul', column: at + 1 })
      if (to === 'note') note = cell
      else if (to === 'tags') tagCells += `${at}\0${cell}\0`
      else if (to === 'tag') tagCells += `${at}\0${numeric?.includes(at) ? clearDecimals(cell) : cell}\0`
    }
    const { phone, parsed, digits, others, isNext } = readNumber(cells)
    if (isNoContact(cells, digits !== 0)) return rejected('not-a-contact', { key: 'row.notContact' })
    if (!parsed.ok && digits === 0)
      return rejected(
        `number-${parsed.fault}`,
        parsed.fault === 'empty'
          ? { key: 'row.noNumber' }
          : { key: 'row.number', phone: toQuote(phone.trim()), reason: parsed.reason },
      )
    const tags = tagsOf(tagCells)
    const { email, wrongEmail, isNextEmail } = readEmail(cells)
    const besides = parsed.ok || parsed.fault !== 'several' ? [] : others
    const lost = [
      wrongEmail,
      tags.problem,
      besides.length === 0
        ? null
        : { key: 'row.furtherNumbers' as const, numbers: besides.map((one) => `+${one}`).join(', ') },
    ]
      .filter((one) => one !== null)
      .reduce<Phrase | null>((first, second) => (first ? { key: 'text.two', first, second } : second), null)
    const found: (RowProblem | false | null)[] = [
      numberProblem(parsed),
      isNext && 'number-next-column',
      wrongEmail && 'email',
      isNextEmail && 'email-next-column',
      ...tags.found,
    ]
    const problems = found.filter((one) => one !== null && one !== false)
    const rejecting = problems.find((one) => choiceOf[one] === 'reject')
    if (rejecting) return rejected(rejecting, lost!)
    const names = readName(cells)
    const { name } = names
    const fields = { ...names, email, note, tagsJson: tags.json }
    // The email was checked above.
    const reason = fieldProblem({ name, email: '', note, tagsJson: tags.json })
    if (reason !== null) return rejected('field-too-long', reason)
    return {
      ok: true,
      digits,
      others,
      fields,
      problems,
      lost,
    }
  }
}

/** Marks of a contact that a list blocks or may block, under any of its numbers. */
function marksOf({ dnc, held }: BlockedNumbers, digits: number, others: readonly number[]): number {
  const isOn = (list: BlockedNumbers['dnc']) =>
    list.has(digits) || [digits, ...others].some(list.mayHave) || others.some(list.hasOther)
  return (isOn(dnc) ? marks.dnc : 0) | (isOn(held) ? marks.held : 0)
}

/** Outcomes in a saved list of rejected rows that mean a duplicate number. */
const duplicateOutcomes: ReadonlySet<string> = new Set<RowOutcome>([
  'duplicate-in-file',
  'duplicate-in-contacts',
])

/** Result of a row, and what to store. */
export interface Judgement {
  outcome: RowOutcome
  reason: Phrase | null
  /** E.164 without the plus; null when unreadable. */
  digits: number | null
  store: ImportRow | null
  /** Other numbers of a person whose row isn't stored: their contact may be there already. */
  others: readonly number[]
  problems: readonly RowProblem[]
  /** Stored without an invalid email, tags or further numbers. */
  isPartial: boolean
  /** Has no name when stored. */
  isNameless: boolean
}

const notStored = (
  outcome: RowOutcome,
  reason: Phrase,
  digits: number | null,
  problems: readonly RowProblem[],
  others: readonly number[] = [],
): Judgement => ({
  outcome,
  reason,
  digits,
  store: null,
  others,
  problems,
  isPartial: false,
  isNameless: false,
})

/** The complete row with its result, as stored when rejected. */
export const toJudgedRow = (row: CsvRow, { digits, outcome, reason, problems }: Judgement): JudgedRow => ({
  rowNumber: row.rowNumber,
  sheetRow: row.sheetRow,
  line: row.line,
  cells: row.cells,
  phone: digits === null ? null : `+${digits}`,
  outcome,
  ...(outcome === 'invalid' ? { problem: problems[0]! } : {}),
  reason,
})

/**
 * Decides what an import does with each row; preview and import share it. Rows up to `upToRow` were stored earlier: they count as
 * seen, and `counts` continues.
 */
export function createRowJudge(parts: {
  choices: ImportChoices
  contactsDb: Database
  blocked: BlockedNumbers
  /** Outcome column of a saved list of rejected rows. */
  outcomeAt: number | null
  /** Column titles, to know a repeated header. */
  header?: readonly string[] | undefined
  /** Numbers to hold or skip by what the file says. */
  refusals: Pick<Refusals, 'holds' | 'skips' | 'shared'>
  upToRow?: number
  counts?: ImportCounts
}) {
  const { choices, contactsDb, outcomeAt, upToRow = 0 } = parts
  const skipped = new Set(parts.refusals.skips.digits)
  const refused = new Set(parts.refusals.holds.digits)
  const shared = new Set(parts.refusals.shared)
  /** The import puts refused numbers on hold first, so a preview counts them as held. */
  const withRefused = ({ dnc, held }: BlockedNumbers): BlockedNumbers => ({
    dnc,
    held: {
      ...held,
      has: (digits) => held.has(digits) || refused.has(digits),
      hasOther: (digits) => held.hasOther(digits) || (refused.has(digits) && !shared.has(digits)),
    },
  })
  let lists = withRefused(parts.blocked)
  const counts = parts.counts ?? noCounts()
  const read = createRowReading(choices, parts.header ?? [])
  const inContacts = numbersFrom(contactsDb, 'SELECT digits FROM contacts')
  const contactOf = contactsDb.prepare<[number], MergeFields & { id: number }>(
    `SELECT c.id, c.name, c.first_name AS firstName, c.last_name AS lastName, c.email, c.note, t.json AS tagsJson
     FROM contacts c JOIN tag_sets t ON t.id = c.tag_set WHERE c.digits = ?`,
  )
  const seen = new Set<number>()
  /** Last row of each repeated number. */
  const lastRow = new Map<number, number>()
  const numbersAhead = new Set<number>()
  const keepLast = choices.duplicatesInFile === 'keep-last'

  /** Whether this is a repeated number and not the row that counts. */
  function isDouble(digits: number, rowNumber: number): boolean {
    if (!keepLast) return !addNew(seen, digits)
    const last = lastRow.get(digits)
    return last !== undefined && last !== rowNumber
  }

  function against(
    { digits, others, fields, problems, lost }: ReadRow & { ok: true },
    { rowNumber, cells }: CsvRow,
  ): Judgement {
    const toStore = others.length === 0 ? others : others.filter((other) => isOtherToStore(digits, other))
    const end = (outcome: RowOutcome, reason: Phrase) => notStored(outcome, reason, digits, problems, toStore)
    if (isDouble(digits, rowNumber))
      return end('duplicate-in-file', { key: keepLast ? 'row.duplicateLater' : 'row.duplicateEarlier' })
    if (skipped.has(digits) || others.some((other) => skipped.has(other) && !shared.has(other)))
      return end('dnc', { key: 'row.refused' })
    const hit = blockedBy(lists, digits, others)
    if (hit && choices.dncHits === 'skip') {
      const reason = hitReason(hit, digits)
      return end(
        'dnc',
        reason ? { key: 'row.maybe', reason } : { key: hit.by === 'dnc' ? 'row.dnc' : 'row.held' },
      )
    }
    const store: ImportRow = {
      ...fields,
      digits,
      marks: hit ? marksOf(lists, digits, others) : 0,
      others: toStore,
      id: 0,
    }
    const isPartial = lost !== null
    const without: Phrase | null = lost && { key: 'row.without', lost }
    if (!inContacts.has(digits))
      return {
        outcome: 'new',
        reason: without,
        digits,
        store,
        others: [],
        problems,
        isPartial,
        isNameless: fields.name === '',
      }
    if (choices.duplicatesInContacts === 'skip') return end('duplicate-in-contacts', { key: 'row.known' })
    if (outcomeAt !== null && duplicateOutcomes.has(readCell(cells[outcomeAt] ?? '')))
      return end('duplicate-in-contacts', { key: 'row.rejectedBefore' })
    const known = contactOf.get(digits)
    const merged = known ? mergeRow(known, fields) : fields
    if (known && isSameContact(merged, known))
      return { ...end('unchanged', without ?? { key: 'row.unchanged' }), isPartial }
    store.id = known?.id ?? 0
    const reason: Phrase = lost ? { key: 'row.updateWithout', lost } : { key: 'row.update' }
    const isNameless = merged.name === ''
    return { outcome: 'update', reason, digits, store, others: [], problems, isPartial, isNameless }
  }

  return {
    counts,
    /** Uses these lists from now on. */
    renew: (next: BlockedNumbers) => void (lists = withRefused(next)),
    /** For `keep-last`: call with every row before judging the first. */
    foresee(row: CsvRow) {
      if (!keepLast) return
      const result = read(row)
      if (result.ok && !addNew(numbersAhead, result.digits)) lastRow.set(result.digits, row.rowNumber)
    },
    /** Judges the next row. Null when an earlier run did. */
    judge(row: CsvRow): Judgement | null {
      const result = read(row)
      if (row.rowNumber <= upToRow) {
        if (result.ok && !keepLast) seen.add(result.digits)
        return null
      }
      const judgement: Judgement = result.ok
        ? against(result, row)
        : notStored('invalid', result.reason, null, [result.problem])
      counts.rows++
      counts[countOf[judgement.outcome]]++
      if (judgement.store && judgement.store.marks !== 0) counts.marked++
      if (judgement.isNameless) counts.nameless++
      if (judgement.isPartial) counts.partial++
      for (const problem of judgement.problems) counts.problems[problem] = (counts.problems[problem] ?? 0) + 1
      return judgement
    },
  }
}

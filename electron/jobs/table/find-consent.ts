import type { Language } from '../../contract/texts.ts'
import { AppError } from '../../contract/errors.ts'
import { textIn } from '../../contract/phrases.ts'
import { columnsFor } from '../../contract/people/column-order.ts'
import { consentKeysMax, otherTexts, unknownBesideNo } from '../../contract/people/consent-values.ts'
import { openReader } from '../../database/open.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import type { CsvRow } from '../../lib/csv/row-reader.ts'
import type { JobControl } from '../run/job-control.ts'
import { addNew } from './number-set.ts'
import { readTable } from './read-table.ts'
import {
  type ConsentColumn,
  consentKey,
  consentKind,
  type ConsentKind,
  consentMeaning,
  isBlank,
  isChannelTitle,
  isCross,
  isOfRefusals,
  isRefusing,
  isVerdict,
  refusalBesideNumber,
  refusalIn,
  refusalInName,
  refusingTag,
  unclearRefusal,
} from './consent-words.ts'
import type { ConsentColumn as ConsentFound } from '../../contract/people/consent.ts'
import type { ImportChoices } from '../../contract/people/imports.ts'
import { titleMeaning } from './column-titles.ts'
import { mayDeny } from './may-refuse.ts'
import { emailsIn } from './emails-in.ts'
import { createNoContact } from './no-contact.ts'
import { createNumbersOfRow } from './number-reading.ts'

/** Most different values of a column, and how many texts without a refusal may be among them: many notes must not hide a refusal. */
const valuesMax = 100
const othersMax = consentKeysMax - valuesMax
/** Most cells of a column whose value is known as they are written. */
const cellsMax = 1_000

/** How a file's rows are read, and what happens to numbers whose row says no. */
export type ConsentChoices = Pick<
  ImportChoices,
  'format' | 'columns' | 'defaultRegion' | 'hasCountryCodes' | 'consent'
>

export interface ConsentOrder {
  file: string
  choices: ConsentChoices
  consent: readonly ConsentColumn[]
  /** For columns without a choice; default `hold`. */
  unasked?: 'hold' | 'skip'
  /** Column titles, to know a repeated header. */
  header?: readonly string[] | undefined
  /** Of the reasons; default English. */
  language?: Language | undefined
  /** The stored contacts, if they are held whose email a row without a number refuses. */
  contactsFile?: string | undefined
}

type ConsentValue = ConsentFound['values'][number]

/** Numbers, each with what the file says of it: `because` is its index in `evidence`. */
export interface RefusedNumbers {
  digits: number[]
  because: number[]
  evidence: string[]
}

/** Numbers that must not be contacted by what a file says, as digits. */
export interface Refusals {
  columns: ConsentFound[]
  holds: RefusedNumbers
  skips: RefusedNumbers
  /** Those of them that several people have beside their own number: they say nothing of these people. */
  shared: number[]
  /** Rows that say no beside a number that can't be read: they hold and skip nothing. */
  unreadRows: number
}

const noNumbers = (): RefusedNumbers => ({ digits: [], because: [], evidence: [] })
export const noRefusals = (): Refusals => ({
  columns: [],
  holds: noNumbers(),
  skips: noNumbers(),
  shared: [],
  unreadRows: 0,
})

const nameFields: ReadonlySet<string> = new Set(['name', 'first-name', 'last-name'])

/**
 * What a whole file says of consent, and the numbers whose row says no. A no on any row counts for all its numbers, also on a row that is not
 * imported. Only a yes counts as consent: in a column of consents or refusals, a value whose meaning is unknown is a no until the operator
 * decides. In a column of states or under a channel's name it says nothing. Which columns count is clear only after the whole file, so each
 * keeps its own numbers until then. A row without a number that says no counts for all numbers beside its email.
 */
export async function findConsent(order: ConsentOrder, control: JobControl): Promise<Refusals> {
  const refusals = noRefusals()
  const addOnce = { hold: adder(refusals.holds, new Set()), skip: adder(refusals.skips, new Set()) }
  const unread = new Set<number>()
  const byEmail = new Map<string, { action: 'hold' | 'skip'; said: string }>()
  for (const one of (await readConsent(order, control)).filter(isOffered)) {
    const { column, others, action, no, refused, crossed } = one
    const isMixed = no === undefined && hasCrosses(one)
    const values = [...one.values.values()].map((value) =>
      isMixed && isCross(value.key) ? { ...value, means: 'unknown' as const, isNo: true } : value,
    )
    refusals.columns.push({ column, values, others })
    if (action === 'ignore') continue
    for (const { numbers, unreadRows, emails } of isMixed ? [refused, crossed] : [refused]) {
      const { digits, because, evidence } = numbers
      digits.forEach((number, at) => addOnce[action](number, evidence[because[at]!]!))
      unreadRows.forEach((row) => unread.add(row))
      for (const [email, said] of emails) if (!byEmail.has(email)) byEmail.set(email, { action, said })
    }
  }
  if (byEmail.size > 0)
    await eachByEmail(order, byEmail, control, (number, { action, said }) => addOnce[action](number, said))
  return { ...refusals, unreadRows: unread.size, shared: await findShared(order, refusals, control) }
}

/** Takes the numbers beside these emails, in the file and among the stored contacts. */
async function eachByEmail<Value>(
  { file, choices, header = [], contactsFile }: ConsentOrder,
  byEmail: ReadonlyMap<string, Value>,
  control: JobControl,
  take: (number: number, value: Value) => void,
): Promise<void> {
  const numbersOf = createNumbersOfRow(choices, header)
  await readTable(
    file,
    choices.format,
    ({ cells }) => {
      for (const email of cells.flatMap(emailsIn)) {
        const value = byEmail.get(email)
        if (value !== undefined) numbersOf(cells).forEach((number) => take(number, value))
      }
    },
    () => control.checkpoint(),
  )
  if (contactsFile === undefined) return
  const { db, close } = openReader(contactsFile)
  try {
    const stored = db.prepare<[], { email: string; digits: number }>(
      "SELECT email, digits FROM contacts WHERE email <> ''",
    )
    for (const { email, digits } of stored.iterate()) {
      const value = byEmail.get(email.toLowerCase())
      if (value !== undefined) take(digits, value)
    }
  } finally {
    close()
  }
}

/** Throws if the operator must decide on a column first: beside refusals it has words that may refuse, too, and would count as a yes. */
export function checkDecided(
  columns: readonly ConsentFound[],
  { consent }: Pick<ConsentChoices, 'consent'>,
  header: readonly string[],
): void {
  const open = columns.filter(
    ({ column, values }) =>
      !consent.some((one) => one.column === column) && unknownBesideNo(values).some(({ isNo }) => !isNo),
  )
  if (open.length === 0) return
  const titles = open.map(({ column }) => header[column]).join(', ')
  throw new AppError('CONSENT_UNDECIDED', { columns: titles })
}

/** Whether a consent has both an `x` and another yes, so that the `x` may be a cross. */
function hasCrosses({ kind, values }: ColumnFound): boolean {
  const all = [...values.values()]
  return (
    kind === 'agrees' &&
    all.some(({ key }) => isCross(key)) &&
    all.some(({ key, means }) => means === 'yes' && !isCross(key))
  )
}

/** The refused numbers that rows with different first numbers have beside these. */
async function findShared(
  { file, choices, header = [] }: ConsentOrder,
  { holds, skips }: Refusals,
  control: JobControl,
): Promise<number[]> {
  const refused = new Set([...holds.digits, ...skips.digits])
  if (holds.digits.length + skips.digits.length === 0 || columnsFor(choices.columns, 'phone').length < 2)
    return []
  const numbersOf = createNumbersOfRow(choices, header)
  const firstBeside = new Map<number, number>()
  const shared = new Set<number>()
  await readTable(
    file,
    choices.format,
    ({ cells }) => {
      const [first, ...further] = numbersOf(cells)
      for (const digits of further) {
        if (!refused.has(digits) || digits === first) continue
        const known = firstBeside.get(digits)
        if (known === undefined) firstBeside.set(digits, first!)
        else if (known !== first) shared.add(digits)
      }
    },
    async (done, total) => {
      control.progress(done, total)
      await control.checkpoint()
    },
  )
  return [...shared]
}

/** A text that refuses nothing that we understand. Names and numbers are not listed, nor are more texts than fit. */
const silent = (text = '') => ({
  key: `${otherTexts}${consentKey(text)}`.slice(0, 200),
  value: text.slice(0, 200) || otherTexts,
  means: 'unknown' as const,
  isNo: false,
})
const unlisted = silent()
/** What a column of texts holds, and what a text of it refuses. `other`: its title says nothing, so a word alone doesn't either. */
const refusalsOf = {
  name: refusalInName,
  tags: refusingTag,
  note: (text: string) => refusalIn(text),
  phone: refusalBesideNumber,
  other: (text: string) => refusalIn(text, false),
}
type Texts = keyof typeof refusalsOf

/** A column with what its rows say. */
type ColumnFound = Awaited<ReturnType<typeof readConsent>>[number]

function isOffered({ kind, texts, values: found, isOver }: ColumnFound) {
  const values = [...found.values()]
  if (texts === 'other') return isRefusing(values.map(({ key }) => key))
  if (texts) return values.some(({ isNo, key }) => isNo || (texts === 'note' && key !== ''))
  if (kind === 'channel') {
    const countOf = (some: (key: string) => boolean) =>
      values.reduce((sum, { key, count }) => sum + (some(key) ? count : 0), 0)
    const isOfVerdicts = countOf(isVerdict) * 2 > countOf((key) => key !== '')
    const saysNo = isOfVerdicts && values.some(({ isNo }) => isNo)
    return !isOver && (saysNo || isRefusing(values.map(({ key }) => key)))
  }
  // A status column is about consent only if its values are. An empty column says nothing.
  if (kind === 'status') return values.some(({ means }) => means !== 'unknown')
  return isOver || values.some(({ key }) => key !== '')
}

/** What a cell is about by its column or label. A label that names a channel is about consent only beside a yes or no. */
function kindOfCell(kind: ConsentColumn['kind'], key: string): ConsentKind {
  if (kind === 'channel') return isVerdict(key) ? 'agrees' : 'values'
  return kind === 'labelled' || kind === 'file' ? 'values' : kind
}

/** What a column of texts holds, by the operator's choice or its title. */
const textsOf = (to: string | undefined, title: string): Texts =>
  nameFields.has(to ?? '')
    ? 'name'
    : ((['phone', 'tags', 'note'] as const).find(
        (texts) => to === texts || titleMeaning(title)?.to === texts,
      ) ?? 'other')

async function readConsent(
  { file, choices, consent, header = [], unasked = 'hold', language = 'en' }: ConsentOrder,
  control: JobControl,
) {
  const numbersOf = createNumbersOfRow(choices, header)
  const isNoContact = createNoContact(choices, header)
  const phones = columnsFor(choices.columns, 'phone')
  const columns = consent.flatMap((one) => {
    const to = choices.columns[one.column]?.to
    const isByValues = ['values', 'channel', 'labelled'].includes(one.kind)
    if (isByValues && to === 'email') return []
    const isOfTexts = one.kind === 'values' || (isByValues && to === 'phone')
    const choice = choices.consent.find(({ column }) => column === one.column)
    return {
      ...one,
      kind: isOfTexts ? ('values' as const) : one.kind,
      texts: isOfTexts ? textsOf(to, one.title) : null,
      action: choice?.action ?? unasked,
      no: choice && new Set(choice.no),
      values: new Map<string, ConsentValue>(),
      byCell: new Map<string, ConsentValue>(),
      byLabel: new Map<string, LabelKind>(),
      others: 0,
      isOver: false,
      refused: createRowsFound(),
      /** With an `x`, which may turn out to be a cross. */
      crossed: createRowsFound(),
    }
  })
  if (columns.length === 0) return []
  type Column = (typeof columns)[number]
  type LabelKind = ConsentKind | 'channel' | null

  function kindOfLabel({ byLabel }: Column, label: string): LabelKind {
    const known = byLabel.get(label)
    if (known !== undefined) return known
    const kind = consentKind(label) ?? (isChannelTitle(label) ? 'channel' : null)
    if (byLabel.size < cellsMax) byLabel.set(label, kind)
    return kind
  }

  /** What a cell says, under the row's label if that is about consent; null if a label says something else. */
  function valueOf(one: Column, raw: string, label: string): Omit<ConsentValue, 'count'> | null {
    const text = readCell(raw).trim()
    const isWords = one.texts !== null && /\p{L}/u.test(text)
    const refusal = isWords ? refusalsOf[one.texts!](text) : undefined
    if (one.texts && text !== '' && refusal === undefined) {
      const mayAsk = isWords && (one.texts === 'note' || one.texts === 'phone')
      const asking = mayAsk ? unclearRefusal(text) : undefined
      if (asking !== undefined)
        return { key: consentKey(asking), value: asking.slice(0, 200), means: 'unknown', isNo: true }
      if (one.texts !== 'other' || consentMeaning('values', consentKey(text)) === 'unknown')
        return one.texts === 'name' || one.texts === 'phone' ? unlisted : silent(text)
    }
    const cell = refusal ?? text
    const ofCell = consentKey(cell)
    const labelled = one.kind === 'labelled' ? kindOfLabel(one, label) : null
    const ofLabel = labelled === 'channel' && !isVerdict(ofCell) ? null : labelled
    if (one.kind === 'labelled' && ofLabel === null && !isRefusing([ofCell])) return null
    const kind = kindOfCell(ofLabel ?? one.kind, ofCell)
    const saysNo = (one.kind === 'file' && text !== '') || refusal !== undefined
    // The operator decides which of them is right.
    if (one.kind === 'file' && label !== '')
      return {
        key: `${ofCell}: ${consentKey(label)}`,
        value: `${cell}, ${label}`,
        means: 'unknown',
        isNo: true,
      }
    const means = saysNo ? 'no' : consentMeaning(kind, ofCell)
    const isNo = means === 'unknown' ? kind === 'agrees' || kind === 'refuses' : means !== 'yes'
    if (ofLabel === null) return { key: ofCell, value: cell.slice(0, 200), means, isNo }
    const key = `${consentKey(label)}: ${ofCell}`.slice(0, 200)
    return { key, value: `${label}: ${cell}`.slice(0, 200), means, isNo }
  }

  /** Counts what a cell says. Returns its column's rows that say the same, if that is no. */
  function countNo(one: Column, raw: string, label: string): Column['refused'] | null {
    const written = label === '' ? raw : `${label}\0${raw}`
    let value = one.byCell.get(written)
    if (!value) {
      // Of many unknown texts, only those are read that may refuse.
      if (one.texts === 'other' && one.values.size >= valuesMax && !(/\p{L}/u.test(raw) && mayDeny(raw)))
        return null
      let read = valueOf(one, raw, label)
      if (read === null) return null
      if (one.texts && !read.isNo && one.values.size >= othersMax && !one.values.has(read.key))
        read = unlisted
      value = one.values.get(read.key)
      if (!value) {
        if (one.values.size >= (one.texts ? consentKeysMax : valuesMax)) {
          one.isOver = true
          if (read.isNo) one.others++
          return read.isNo ? one.refused : null
        }
        value = { ...read, count: 0 }
        one.values.set(read.key, value)
      }
      if (one.byCell.size < cellsMax) one.byCell.set(written, value)
    }
    value.count++
    if (one.no ? one.no.has(value.key) : value.isNo) return one.refused
    return one.kind === 'agrees' && isCross(value.key) ? one.crossed : null
  }

  /** The title and value of a row's yes in words, which a refusal in the file's name contradicts; empty without one, or beside a no. */
  function yesIn(cells: readonly string[]): string {
    const said = columns.flatMap(({ kind, title, column, byCell }) => {
      const value = ['agrees', 'refuses', 'status'].includes(kind) && byCell.get(cells[column] ?? '')
      return value ? [{ ...value, title }] : []
    })
    const yes = said.find(({ key, means }) => key !== '' && means === 'yes')
    return yes && said.every(({ isNo }) => !isNo) ? `${yes.title}: ${yes.value}`.slice(0, 150) : ''
  }

  const sectionOf = createSections(choices.columns, consent)
  await readTable(
    file,
    choices.format,
    (row) => {
      const { cells } = row
      const section = sectionOf(row)
      if (section === null) return
      let numbers: number[] | null = null
      if (isNoContact(cells) && (numbers = numbersOf(cells)).length === 0) return
      for (const one of columns) {
        // Refusals in texts count beyond the listed ones.
        if (one.kind === 'channel' && one.isOver) continue
        const raw = one.kind === 'file' ? section || one.title : (cells[one.column] ?? '')
        // The operator decides on the values listed.
        const isNamed = one.kind === 'file' && section === '' && one.title !== ''
        const label = isNamed ? yesIn(cells) : readCell(cells[one.labels ?? -1] ?? '').trim()
        const rows = countNo(one, raw, label)
        if (rows === null || one.action === 'ignore') continue
        numbers ??= numbersOf(cells)
        const cell = readCell(raw).trim().slice(0, 200) || textIn(language, { key: 'table.emptyCell' })
        const evidence =
          one.kind !== 'file'
            ? `${label || one.title}: ${cell}`
            : textIn(language, section ? { key: 'table.below', heading: cell } : { key: 'table.fileName' })
        for (const number of numbers) rows.add(number, evidence)
        if (numbers.length === 0 && !isBlank(raw))
          for (const email of cells.flatMap(emailsIn)) rows.emails.set(email, evidence)
        if (numbers.length === 0 && phones.some((at) => readCell(cells[at] ?? '').trim() !== ''))
          rows.unreadRows.push(row.rowNumber)
      }
    },
    async (done, total) => {
      control.progress(done, total)
      await control.checkpoint()
    },
  )
  return columns
}

/** Headings that begin another list also without a blank line before: “Customers:”, “--- Customers ---”, “OK to call”. A name doesn't. */
const beginsList = (heading: string) =>
  /[:：]\s*$|^\s*[-–—=*#_•[]/u.test(heading) || consentKind(heading) === 'agrees'

/**
 * Finds the heading of refusals above a row: a line with nothing but the first cell of the table, such as “Do not call:”, up to the next one
 * behind a blank line, or one that begins another list. A first heading below it, such as a town, only divides it: in doubt the rows are
 * refused. Null for the heading itself. Empty columns and one of refusals, such as the mark of a workbook's, may be before the table.
 */
export function createSections(
  columns: ConsentChoices['columns'],
  consent: readonly Pick<ConsentColumn, 'column' | 'kind'>[],
) {
  const from = consent.some(({ column, kind }) => column === 0 && kind === 'refuses') ? 1 : 0
  let firstUsed = Math.max(
    0,
    columns.findIndex(({ to }, at) => at >= from && to !== 'ignore'),
  )
  let section = ''
  /** Whether the section has headings of its own, such as towns. */
  let isDivided = false
  let isDirect = false
  let before = 0
  return ({ cells, sheetRow }: Pick<CsvRow, 'cells' | 'sheetRow'>): string | null => {
    const last = cells.findLastIndex((cell) => cell.trim() !== '')
    const first = cells.findIndex((cell, at) => at === last || (at >= from && cell.trim() !== ''))
    const heading = first === last && last <= firstUsed ? (cells[last] ?? '') : ''
    if (first < last) firstUsed = Math.min(first, firstUsed)
    const isHeading = heading !== '' && !/\d{5}/.test(heading)
    const isBegun = isHeading && isOfRefusals(heading)
    if (isBegun) section = heading
    else if (isHeading && isDirect) isDivided = true
    else if (isHeading && (sheetRow > before + 1 || (!isDivided && beginsList(heading)))) section = ''
    if (isBegun) isDivided = false
    isDirect = isBegun
    before = sheetRow
    return isBegun ? null : section
  }
}

/** Finds the first of a person's numbers that a file says no to, and what it says. The first number is their own. */
export function refusalTest({ digits, because, evidence }: RefusedNumbers, shared: readonly number[]) {
  const said = new Map(digits.map((one, at) => [one, evidence[because[at]!]!]))
  const isShared = new Set(shared)
  return (numbers: readonly number[]): { digits: number; said: string } | null => {
    if (said.size === 0) return null
    const found = numbers.find((one) => said.has(one) && (one === numbers[0] || !isShared.has(one)))
    return found === undefined ? null : { digits: found, said: said.get(found)! }
  }
}

/** Rows that say the same in a column: their numbers, and of those without one the emails, and the rows whose number can't be read. */
function createRowsFound() {
  const numbers = noNumbers()
  return { numbers, add: adder(numbers), emails: new Map<string, string>(), unreadRows: [] as number[] }
}

/** Adds numbers to a list with what the file says of them; with `known`, each only once. */
function adder({ digits, because, evidence }: RefusedNumbers, known?: Set<number>) {
  const evidenceAt = new Map<string, number>()
  return (number: number, text: string): void => {
    if (known && !addNew(known, number)) return
    if (!evidenceAt.has(text)) evidenceAt.set(text, evidence.push(text) - 1)
    digits.push(number)
    because.push(evidenceAt.get(text)!)
  }
}

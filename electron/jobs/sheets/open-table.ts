import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { textIn } from '../../contract/phrases.ts'
import type { Language } from '../../contract/texts.ts'
import { sniffEncoding } from '../../lib/csv/encoding.ts'
import { likelyEncoding } from '../../lib/csv/likely-encoding.ts'
import { createRowReader, type CsvRow, numericMark, withFault } from '../../lib/csv/row-reader.ts'
import { sniffDelimiter } from '../../lib/csv/sniff-table.ts'
import { cleanNumber } from '../../lib/phone/clean-number.ts'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'
import { severalMax } from '../../lib/phone/parse-phone.ts'
import { severalNumbers } from '../../lib/phone/several-numbers.ts'
import type { JobControl } from '../run/job-control.ts'
import { isKindOfNumber, titleMeaning } from '../table/column-titles.ts'
import { isOfRefusals } from '../table/consent-words.ts'
import { emailsIn } from '../table/emails-in.ts'
import { findHeader } from '../table/find-header.ts'
import { inspectTable, readStartText } from '../table/inspect-table.ts'
import { createPeopleOfRow } from '../table/people-of-row.ts'
import { readTable } from '../table/read-table.ts'
import { readCards } from './card-rows.ts'
import { kindOfFile, lineSeparator, peopleIn, plainTable, sampleRows, unwrapped } from './file-kind.ts'
import { isOds, openOds } from './ods.ts'
import { createRowFile } from './row-file.ts'
import { unreadableFile } from './unreadable-file.ts'
import type { Sheet, Workbook } from './workbook.ts'
import { openXlsx, xlsxPart } from './xlsx.ts'
import { openZip, type ZipFile } from './zip-file.ts'

export interface OpenTableOrder {
  file: string
  /** A CSV file to write, in UTF-8 with commas. */
  target: string
  /** Position of the sheet; null for the one with the most phone numbers. */
  sheet: number | null
  /** Whether to leave rows as they are that name several people; by their titles if undefined. */
  isTogether?: boolean | undefined
  language?: Language | undefined
}

export interface OpenedTable {
  /** Of a workbook; empty for contact cards. */
  sheets: Sheet[]
  /** Position of the sheet that was read. */
  sheet: number
  /** Names of the other sheets that list refusals. With any, the first column marks their numbers. */
  refusing: string[]
  /** Rows of sheets of refusals without a number, unless their email is in the table; `texts` of the first. */
  unmatched: { rows: number; sheets: string[]; texts: string[] }
  /** Rows with values that the program hides; they are read. */
  hiddenRows: number
  /** Formulas that no program has calculated; their cells are empty. */
  uncalculated: number
  /** Whether rows name several people: `apart`, each has a row of the table; `together`, not, as ordered or because the titles leave it open. */
  people: 'one' | 'apart' | 'together'
  /** Titles of the columns of consent that count for all people of a row. */
  sharedConsents: string[]
}

/** Largest result: a few bytes may repeat a row and its cells a million times. */
const usualBytes = 128 * 2 ** 20
const mostTimes = 100
/** Text read between two pause checks. */
const pieceChars = 1 << 20

/**
 * Writes a workbook's sheet, contact cards, a group in one line, a table with quoted lines or with several people in a row as a plain table,
 * one line per row.
 * IMPORT_FILE_UNREADABLE.
 */
export async function openTable(
  order: OpenTableOrder,
  control: Pick<JobControl, 'progress' | 'checkpoint'>,
): Promise<OpenedTable> {
  const kind = kindOfFile(order.file)
  if (kind === 'ole') throw unreadableFile(oleFault(order.file))
  if (kind === 'web-page') throw unreadableFile('webPage')
  if (kind === 'json' || kind === 'ldif') throw unreadableFile(kind)
  const { size: sizeBytes } = statSync(order.file)
  const target = createRowFile(order.target, usualBytes + sizeBytes * mostTimes)
  let isFinished = false
  const between = async (done: number, total: number) => {
    control.progress(Math.min(done, total), total)
    await control.checkpoint()
  }
  try {
    let opened: OpenedTable = plainTable
    if (kind === 'cards') {
      let rowNumber = 0
      await readCards({ ...order, sizeBytes }, (cells) => target.row(++rowNumber, cells), between)
    } else if (kind === 'line') {
      for (const [at, cell] of textOf(order.file).split(lineSeparator).entries())
        target.row(at + 1, [cell.trim()])
    } else if (kind === 'people') {
      const { format } = inspectTable(order.file)
      const rows = takeApart(peopleIn(readStartText(order.file, format)), order)
      await readTable(order.file, { ...format, headerRow: 0 }, (row) => rows.ofText(row, target.row), between)
      opened = { ...opened, ...rows.found() }
    } else if (kind !== 'zip') {
      const text = unwrapped(textOf(order.file))
      const rows = takeApart(peopleIn(text), order)
      const reader = createRowReader(sniffDelimiter(text), (row) => rows.ofText(row, target.row))
      for (let at = 0; at < text.length; at += pieceChars) {
        reader.push(text.slice(at, at + pieceChars))
        await between(at, text.length)
      }
      reader.end()
      opened = { ...opened, ...rows.found() }
    } else {
      const zip = await openZip(order.file)
      try {
        opened = await copySheet(await openWorkbook(zip), order, target, between)
      } finally {
        zip.close()
      }
    }
    target.finish()
    isFinished = true
    return opened
  } finally {
    if (!isFinished) target.abandon()
  }
}

function textOf(file: string): string {
  const bytes = readFileSync(file)
  const { encoding } = sniffEncoding(bytes)
  const isGuess = encoding === 'windows-1252'
  return new TextDecoder(isGuess ? likelyEncoding([bytes]).encoding : encoding).decode(bytes)
}

/** A password turns a new workbook into an old container. */
function oleFault(file: string): 'encrypted' | 'oldExcel' {
  const name = Buffer.from('EncryptedPackage', 'utf16le')
  const fd = openSync(file, 'r')
  try {
    const piece = Buffer.alloc(1 << 20)
    let from = 0
    for (let length; (length = readSync(fd, piece, 0, piece.length, from)) > 0; from += length) {
      if (piece.subarray(0, length).includes(name)) return 'encrypted'
      if (length < piece.length) break
      // The name may lie across the edge.
      from -= name.length
    }
    return 'oldExcel'
  } finally {
    closeSync(fd)
  }
}

async function openWorkbook(zip: ZipFile): Promise<Workbook> {
  const part = await xlsxPart(zip)
  const workbook = part ? await openXlsx(zip, part) : (await isOds(zip)) ? await openOds(zip) : null
  if (workbook === null) throw unreadableFile(zip.has('xl/workbook.bin') ? 'binaryExcel' : 'notTable')
  if (workbook.sheets.length === 0) throw unreadableFile('noSheet')
  return workbook
}

type Between = Parameters<Workbook['read']>[2]

/**
 * Copies a sheet. Its rows with a number that is also on a sheet of refusals, or an email that is there without a number, say so in a first
 * column.
 */
async function copySheet(
  workbook: Workbook,
  { sheet, isTogether, language = 'en' }: OpenTableOrder,
  target: ReturnType<typeof createRowFile>,
  between: Between,
): Promise<OpenedTable> {
  const at = sheet ?? (await sheetWithNumbers(workbook, between))
  if (!workbook.sheets[at]) throw unreadableFile('noSheet')
  const refusing = workbook.sheets.flatMap(({ name }, other) =>
    other !== at && isOfRefusals(name) ? [{ name, at: other }] : [],
  )
  const refused = new Map<number | string, string>()
  const numberless: { sheet: string; text: string; emails: string[] }[] = []
  for (const other of refusing) {
    const numbersOf = await phonesIn(workbook, other.at, between)
    const said = textIn(language, { key: 'table.doNotContact', sheet: other.name })
    const headerRow = findHeader(await firstRowsOf(workbook, other.at, between))
    await workbook.read(
      other.at,
      ({ rowNumber, cells }) => {
        const endings = numbersOf(cells).flatMap(endingsOf)
        const isNumberless =
          endings.length === 0 && rowNumber > headerRow && cells.some((cell) => cell.trim() !== '')
        const emails = isNumberless ? cells.flatMap(emailsIn) : []
        if (isNumberless) numberless.push({ sheet: other.name, text: emails[0] ?? textOfRow(cells), emails })
        for (const one of [...endings, ...emails]) refused.set(one, said)
        return true
      },
      between,
    )
  }
  const numbersOf = refused.size === 0 ? () => [] : await phonesIn(workbook, at, between)
  const title = textIn(language, { key: 'table.sheet', sheet: refusing.map(({ name }) => name).join(', ') })
  const foundEmails = new Set<string>()
  let isAbove = true
  /** Above the first number, the column's title: one of these rows may name the columns. */
  function markOf(cells: readonly string[]): string {
    const endings = numbersOf(cells).flatMap(endingsOf)
    isAbove &&= endings.length === 0
    if (isAbove) return cells.some((cell) => cell !== '') ? title : ''
    const emails = cells.flatMap(emailsIn).filter((one) => refused.has(one))
    // A row without a number can't be held.
    if (endings.length > 0) emails.forEach((one) => foundEmails.add(one))
    return refused.get(endings.find((one) => refused.has(one)) ?? emails[0] ?? 0) ?? ''
  }
  const rows = takeApart(createPeopleOfRow(await firstRowsOf(workbook, at, between)), { isTogether })
  let hiddenRows = 0
  const before = workbook.uncalculated()
  await workbook.read(
    at,
    ({ rowNumber, cells, isHidden }) => {
      if (isHidden && cells.some((cell) => cell !== '')) hiddenRows++
      rows.each({ cells, sheetRow: rowNumber, problem: null }, (at, joined, own) =>
        target.row(at, refused.size === 0 ? joined : [markOf(own), ...joined]),
      )
      return true
    },
    between,
  )
  const sheets = workbook.sheets.map(({ name, isHidden }) => ({ name, isHidden }))
  const uncalculated = workbook.uncalculated() - before
  const unmatched = numberless.filter(({ emails }) => !emails.some((one) => foundEmails.has(one)))
  return {
    sheets,
    sheet: at,
    refusing: refused.size === 0 ? [] : refusing.map(({ name }) => name),
    unmatched: {
      rows: unmatched.length,
      sheets: [...new Set(unmatched.map((one) => one.sheet))],
      texts: unmatched.slice(0, textsShown).map(({ text }) => text),
    },
    hiddenRows,
    uncalculated,
    ...rows.found(),
  }
}

type Row = Pick<CsvRow, 'cells' | 'sheetRow' | 'problem'>
type TakeRow = (rowNumber: number, cells: string[], own: string[]) => void

/** Splits a row into one per person. Later rows move down. A row whose cells may be anyone's becomes one text with its fault. */
function takeApart(
  people: ReturnType<typeof createPeopleOfRow>,
  { isTogether = !people?.isSure }: Pick<OpenTableOrder, 'isTogether'>,
) {
  let added = 0

  function each({ cells, sheetRow, problem }: Row, take: TakeRow): void {
    const put = (joined: string[], own: string[]) =>
      take(sheetRow + added++, problem === null ? joined : withFault(joined, problem), own)
    if (people === null || isTogether) put(cells, cells)
    else if (problem !== null && problem !== 'csv.encoding') put([cells.join('; ')], cells)
    else
      for (const own of people.apart({ cells, sheetRow })) put(people.joined({ cells: own, sheetRow }), own)
    added--
  }

  return {
    each,
    /** A row of text, in which a stray delimiter moves the cells. */
    ofText(row: Row, take: TakeRow): void {
      const isOver = row.cells.slice(people?.columns).some((cell) => cell.trim() !== '')
      each(people !== null && isOver ? { ...row, problem: row.problem ?? 'csv.cells' } : row, take)
    },
    /** After the last row. */
    found(): Pick<OpenedTable, 'people' | 'sharedConsents'> {
      const isApart = added > 0
      return {
        people: people !== null && isTogether ? 'together' : isApart ? 'apart' : 'one',
        sharedConsents: isApart && people ? people.sharedConsents : [],
      }
    },
  }
}

/** Rows without a number that are named, and characters of each. */
const [textsShown, textLength] = [3, 60]

/** What names a row without an email: its first text with a letter. */
const textOfRow = (cells: readonly string[]): string =>
  (cells.find((cell) => /\p{L}/u.test(cell)) ?? cells.find((cell) => cell.trim() !== '') ?? '')
    .trim()
    .slice(0, textLength)

/** Columns in which a header and people are looked for: a sheet may have 16,384. */
const sampleColumns = 256

/** The first cells of the first rows of a sheet that aren't empty. */
async function firstRowsOf({ read }: Workbook, at: number, between: Between): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  await read(
    at,
    ({ rowNumber, cells: all }) => {
      const cells = all.slice(0, sampleColumns)
      const row = { cells, rowNumber: rows.length + 1, sheetRow: rowNumber, line: rowNumber, problem: null }
      if (cells.some((cell) => cell.trim() !== '')) rows.push(row)
      return rows.length < sampleRows
    },
    between,
  )
  return rows
}

/** Last digits that two spellings of a number share. */
const endingModulus = 10 ** 8

/** The last digits of the number in a text, without words around it; null for none. */
function endingOf(text: string): number | null {
  const { fault, text: cleaned } = cleanNumber(text)
  const number = cleaned.replace(/^[^\d+]+|\D+$/g, '')
  if (fault !== null || numberShapeDigits(number) === 0) return null
  return Number(number.replace(/\D/g, '')) % endingModulus
}

/** The last digits of each number in a cell. */
function endingsOf(cell: string): number[] {
  const text = cell.replace(numericMark, '')
  if (text.length > severalMax || !/(?:\d\D*){7}/.test(text)) return []
  const whole = endingOf(text)
  const parts = severalNumbers(text, (part) => endingOf(part) !== null, whole !== null)
  return (parts?.map(endingOf) ?? [whole]).filter((ending) => ending !== null)
}

/** With fewer digits, IDs and dates without signs look the same. */
const clearDigits = 9
/** Numbers under a title of one count as many others: those may be IDs. */
const titledWeight = 10
/** Digits without a leading zero, also behind letters as in `K-1002003`. */
const idShape = /^(?:\p{L}+[-_]?)?[1-9]\d*$/u

/** What the first rows show of a column. */
interface ColumnShape {
  values: number
  phones: number
  /** Phones of many digits. */
  clear: number
  /** Values that look like IDs, also if they look like phones. */
  ids: number
  /** Its title may be that of a phone number, or surely is. */
  isTitled: boolean
  isSure: boolean
  /** Its title says only which number it is, such as `Home`. */
  isKind: boolean
}

const noShape: ColumnShape = {
  values: 0,
  phones: 0,
  clear: 0,
  ids: 0,
  isTitled: false,
  isSure: false,
  isKind: false,
}

async function shapesOf({ read }: Workbook, at: number, between: Between): Promise<ColumnShape[]> {
  const columns: ColumnShape[] = []
  let rows = 0
  await read(
    at,
    ({ cells }) => {
      cells.forEach((cell, place) => {
        if (cell === '') return
        const column = (columns[place] ??= { ...noShape })
        const digits = numberShapeDigits(cell.replace(numericMark, ''))
        column.values++
        const meaning = digits > 0 || column.phones > 0 ? null : titleMeaning(cell)
        if (digits > 0) column.phones++
        else if (meaning?.to === 'phone') {
          column.isTitled = true
          column.isSure ||= !meaning.isWeak
        } else if (isKindOfNumber(cell)) column.isKind = true
        if (digits >= clearDigits) column.clear++
        if (idShape.test(cell.replace(numericMark, ''))) column.ids++
      })
      return ++rows < sampleRows
    },
    between,
  )
  return columns
}

/** A title is no number. */
const isOfPhones = ({ phones, values }: ColumnShape) => phones > 0 && phones * 2 >= values - 1

/** The cells of a row that may hold phones. Beside a column that surely does, bare digits are IDs. */
async function phonesIn(workbook: Workbook, at: number, between: Between) {
  const columns = await shapesOf(workbook, at, between)
  const isSure = columns.some((column) => column?.isSure)
  const isOfIds = (column: ColumnShape | undefined) =>
    column && !column.isTitled && !column.isKind && column.ids > 0 && column.ids * 2 >= column.values - 1
  return (cells: readonly string[]) => cells.filter((_, place) => !isSure || !isOfIds(columns[place]))
}

/**
 * The visible sheet with the longest column of phone numbers, else of short ones, else such a hidden one, the first with cells, the first.
 * Of equal ones the first.
 */
async function sheetWithNumbers(workbook: Workbook, between: Between): Promise<number> {
  const { sheets } = workbook
  if (sheets.length === 1) return 0
  let best = { at: 0, rank: 0, count: 0 }
  const visibleFirst = sheets
    .map((_, at) => at)
    .toSorted((a, b) => Number(sheets[a]!.isHidden) - Number(sheets[b]!.isHidden) || a - b)
  for (const at of visibleFirst) {
    if (sheets[at]!.isHidden && best.rank > 1) break
    const columns = await shapesOf(workbook, at, between)
    const found = columns.filter((column) => column && isOfPhones(column))
    const clear = found.filter((column) => column.clear * 2 >= column.phones)
    const rank = clear.length > 0 ? 3 : found.length > 0 ? 2 : columns.length > 0 ? 1 : 0
    const counted = clear.length > 0 ? clear : found
    const count = Math.max(
      0,
      ...counted.map(({ phones, isTitled }) => phones * (isTitled ? titledWeight : 1)),
    )
    if (rank > best.rank || (rank === best.rank && count > best.count)) best = { at, rank, count }
  }
  return best.at
}

import { isoDate, marked, numberText, percentText, shapedNumber, withDecimals } from './cell-text.ts'
import { type Attributes, readXml, type XmlHandler } from './read-xml.ts'
import { unreadableFile } from './unreadable-file.ts'
import { columnsMax, rowsMax, type Sheet, withPart, type Workbook } from './workbook.ts'
import type { ZipFile } from './zip-file.ts'

const content = 'content.xml'
const manifest = 'META-INF/manifest.xml'

/** Whether the ZIP file is a spreadsheet of LibreOffice and others. Throws when it needs a password. */
export async function isOds(zip: ZipFile): Promise<boolean> {
  if (!zip.has(content)) return false
  let isSpreadsheet = false
  let isEncrypted = false
  await readXml(zip.pieces(manifest), {
    open(name, attributes) {
      if (name === 'manifest:encryption-data') isEncrypted = true
      if (attributes['manifest:media-type']?.includes('opendocument.spreadsheet')) isSpreadsheet = true
    },
  })
  if (isSpreadsheet && isEncrypted) throw unreadableFile('encrypted')
  return isSpreadsheet
}

/** Opens the spreadsheet. Cells are read only by `read`. IMPORT_FILE_UNREADABLE. */
export async function openOds(zip: ZipFile): Promise<Workbook> {
  const sheets: Sheet[] = []
  const hiddenStyles = new Set<string>()
  let style = ''
  let depth = 0
  await readXml(zip.pieces(content), {
    open(name, attributes) {
      if (name === 'style:style') style = attributes['style:name'] ?? ''
      if (name === 'style:table-properties' && attributes['table:display'] === 'false')
        hiddenStyles.add(style)
      // A cell may hold a table.
      if (name === 'table:table' && ++depth === 1)
        sheets.push({
          name: attributes['table:name'] ?? '',
          isHidden: hiddenStyles.has(attributes['table:style-name'] ?? ''),
        })
    },
    close(name) {
      if (name === 'table:table') depth--
    },
  })
  return {
    sheets,
    uncalculated: () => 0,
    async read(at, onRow, between) {
      const total = zip.sizeOf(content)
      let done = 0
      await readXml(zip.pieces(content), createTableReader(at, onRow), (bytes) =>
        between((done += bytes), total),
      )
    },
  }
}

/** Content of a cell that isn't its text. */
const besideText = /^(?:office:annotation|draw:|text:ruby-text|table:table$)/

function createTableReader(wanted: number, onRow: Parameters<Workbook['read']>[1]): XmlHandler {
  let tableAt = -1
  /** Nested elements of a cell that isn't read. */
  let skipped = 0
  let isDone = false
  let is1904 = false
  let rowNumber = 0
  let row: { cells: string[]; repeated: number; isHidden: boolean } | null = null
  let cell: { attributes: Attributes; isCovered: boolean; paragraphs: number } | null = null
  let text = ''
  let column = 0

  const numberOf = (attributes: Attributes, name: string, most: number) =>
    Math.min(Math.max(1, Number(attributes[name] ?? 1) || 1), most)

  function endCell(): void {
    const { attributes, isCovered } = cell!
    const value = isCovered ? '' : cellText(attributes, text, is1904)
    const repeated = numberOf(attributes, 'table:number-columns-repeated', columnsMax - column)
    if (value !== '') {
      const { cells } = row!
      while (cells.length < column) cells.push('')
      for (let count = 0; count < repeated; count++) cells.push(value)
    }
    column += repeated
    cell = null
  }

  function endRow(): void {
    const { cells, repeated, isHidden } = row!
    row = null
    // Empty rows, often up to the end of the sheet, need no row each.
    if (cells.length === 0) rowNumber += repeated
    else
      for (let count = 0; count < repeated && !isDone; count++)
        isDone = !onRow({ rowNumber: ++rowNumber, cells, isHidden })
  }

  return {
    isDone: () => isDone,
    open(name, attributes) {
      if (skipped > 0 || (cell && besideText.test(name))) skipped++
      else if (cell) {
        if (name === 'text:p' && cell.paragraphs++ > 0) text += '\n'
        else if (name === 'text:s') text = withPart(text, ' '.repeat(numberOf(attributes, 'text:c', 32_767)))
        else if (name === 'text:tab') text += '\t'
        else if (name === 'text:line-break') text += '\n'
      } else if (name === 'table:table') tableAt++
      else if (name === 'table:null-date')
        is1904 = attributes['table:date-value']?.startsWith('1904') ?? false
      else if (tableAt !== wanted) return
      else if (name === 'table:table-row') {
        const repeated = numberOf(attributes, 'table:number-rows-repeated', rowsMax - rowNumber)
        const visibility = attributes['table:visibility'] ?? 'visible'
        row = { cells: [], repeated, isHidden: visibility !== 'visible' }
        column = 0
      } else if (row && (name === 'table:table-cell' || name === 'table:covered-table-cell')) {
        cell = { attributes, isCovered: name === 'table:covered-table-cell', paragraphs: 0 }
        text = ''
      }
    },
    text(part) {
      if (cell && cell.paragraphs > 0 && skipped === 0) text = withPart(text, part)
    },
    close(name) {
      if (skipped > 0) skipped--
      else if (cell && /^table:(covered-)?table-cell$/.test(name)) endCell()
      else if (row && name === 'table:table-row') endRow()
      else if (name === 'table:table' && tableAt === wanted) isDone = true
    },
  }
}

/** A cell's value, or its text where that says more. */
function cellText(attributes: Attributes, text: string, is1904: boolean): string {
  // An error has the value 0.
  if (attributes['calcext:value-type'] === 'error') return text
  switch (attributes['office:value-type']) {
    case 'float':
    case 'currency':
    case 'percentage': {
      const value = numberText(attributes['office:value'] ?? '')
      if (isShownAsDate(text, value)) return shapedNumber(value, { kind: 'date' }, is1904)
      if (showsMore(text, value)) return text
      if (value === '' || !Number.isFinite(Number(value))) return value
      if (attributes['office:value-type'] === 'percentage') return percentText(Number(value))
      return marked(withDecimals(Number(value), shownDecimals(text, value)) + (/[%‰]$/.exec(text)?.[0] ?? ''))
    }
    case 'date':
      return isoDate(attributes['office:date-value'] ?? '')
    case 'time':
      return durationText(attributes['office:time-value'] ?? '')
    case 'boolean':
      return attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE'
    default:
      return attributes['office:string-value'] ?? text
  }
}

/** Formulas and some programs store a date as its day number, which only the text shows. */
const isShownAsDate = (text: string, value: string): boolean =>
  /^\d{1,4}([./-])\d{1,2}\1\d{1,4}(?:\s|$)/.test(text) && !text.replace(/\D/g, '').endsWith(value)

/** How many decimals the text shows of a number. */
function shownDecimals(text: string, value: string): number {
  const digits = text.replace(/\D/g, '')
  const whole = value.split('.')[0]!.replace('-', '')
  const decimals = /[.,](\d+)\D*$/.exec(text)?.[1] ?? ''
  return digits === whole + decimals ? decimals.length : 0
}

/** Whether a number's format shows a word, leading zeros or a country code. */
function showsMore(text: string, value: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (digits === '') return /\p{L}/u.test(text)
  if (!/^\d+$/.test(value) || !digits.endsWith(value) || /[.,%]|\de/i.test(text)) return false
  return digits !== value || text.startsWith('+')
}

/** `PT10H00M00S` as `10:00:00`. */
function durationText(text: string): string {
  const [, hours, minutes, seconds] = /^P?T(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(text) ?? []
  return hours === undefined
    ? text
    : [hours, minutes, seconds].map((part) => part!.padStart(2, '0')).join(':')
}

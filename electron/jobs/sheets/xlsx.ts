import { isoDate, marked, type NumberShape, shapedNumber, shapeOf } from './cell-text.ts'
import { attributeOf, localName, readXml } from './read-xml.ts'
import { createStringTable } from './string-table.ts'
import { unreadableFile } from './unreadable-file.ts'
import { columnsMax, rowsMax, type Sheet, withPart, type Workbook } from './workbook.ts'
import type { ZipFile } from './zip-file.ts'

type Strings = ReturnType<typeof createStringTable>
interface Relation {
  id: string
  /** Last part of its type, which is the same in strict files. */
  type: string
  part: string
}

/** The workbook part of an `.xlsx` or `.xlsm` file; undefined in other ZIP files. */
export async function xlsxPart(zip: ZipFile): Promise<string | undefined> {
  const found = (await relationsOf(zip, '')).find(({ type }) => type === 'officeDocument')
  return found && zip.has(found.part) && /\.xml$/i.test(found.part) ? found.part : undefined
}

/** Opens the workbook. Cells are read only by `read`. IMPORT_FILE_UNREADABLE. */
export async function openXlsx(zip: ZipFile, part: string): Promise<Workbook> {
  const relations = await relationsOf(zip, part)
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.part
  const sheets: (Sheet & { part: string })[] = []
  let is1904 = false
  await readXml(zip.pieces(part), {
    open(name, attributes) {
      const local = localName(name)
      if (local === 'workbookPr') is1904 = isTrue(attributeOf(attributes, 'date1904'))
      if (local !== 'sheet') return
      const relation = relations.find(({ id }) => id === attributeOf(attributes, 'id'))
      // Charts and macros have sheets without cells.
      if (relation?.type !== 'worksheet') return
      const state = attributeOf(attributes, 'state') ?? 'visible'
      sheets.push({
        name: attributeOf(attributes, 'name') ?? '',
        isHidden: state !== 'visible',
        part: relation.part,
      })
    },
  })
  const shapes = await shapesOf(zip, partOf('styles'))
  const stringsPart = partOf('sharedStrings')
  let strings: Strings | null = null
  let uncalculated = 0

  return {
    sheets,
    uncalculated: () => uncalculated,
    async read(at, onRow, between) {
      const { part: sheetPart } = sheets[at]!
      const total = zip.sizeOf(sheetPart) + (strings ? 0 : zip.sizeOf(stringsPart ?? ''))
      let done = 0
      const count = (bytes: number) => between((done += bytes), total)
      strings ??= await stringsOf(zip, stringsPart, count)
      const reader = createSheetReader({ strings, shapes, is1904 }, onRow)
      await readXml(zip.pieces(sheetPart), reader, count)
      uncalculated += reader.uncalculated()
    },
  }
}

const isTrue = (value: string | undefined) => value === '1' || value === 'true'

/** Relations of a part; of the file for ''. */
async function relationsOf(zip: ZipFile, part: string): Promise<Relation[]> {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const relations: Relation[] = []
  await readXml(zip.pieces(`${folder}_rels/${part.slice(slash)}.rels`), {
    open(name, attributes) {
      if (localName(name) !== 'Relationship') return
      const target = (attributeOf(attributes, 'Target') ?? '').replaceAll('\\', '/')
      relations.push({
        id: attributeOf(attributes, 'Id') ?? '',
        type: (attributeOf(attributes, 'Type') ?? '').split('/').at(-1)!,
        part: partAt(target, folder),
      })
    },
  })
  return relations
}

/** The part that an address names from a folder. Addresses of other files name none. */
function partAt(target: string, folder: string): string {
  const path = URL.parse(target, `zip:///${folder}`)?.pathname.slice(1) ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** How each cell style shows numbers. */
async function shapesOf(zip: ZipFile, part: string | undefined): Promise<NumberShape[]> {
  const codes = new Map<string, string>()
  const shapes: NumberShape[] = []
  let isCellStyle = false
  if (part)
    await readXml(zip.pieces(part), {
      open(name, attributes) {
        const local = localName(name)
        if (local === 'numFmt')
          codes.set(attributeOf(attributes, 'numFmtId') ?? '', attributeOf(attributes, 'formatCode') ?? '')
        else if (local === 'cellXfs') isCellStyle = true
        else if (local === 'xf' && isCellStyle) {
          const id = attributeOf(attributes, 'numFmtId') ?? '0'
          shapes.push(shapeOf(Number(id), codes.get(id)))
        }
      },
      close(name) {
        if (localName(name) === 'cellXfs') isCellStyle = false
      },
    })
  return shapes
}

/** Collects a string item's text, without the reading aids of East Asian text. */
function createTextReader() {
  let isText = false
  let inAid = false
  let text = ''
  return {
    open(local: string) {
      if (local === 'rPh') inAid = true
      else if (local === 't') isText = !inAid
    },
    close(local: string) {
      if (local === 'rPh') inAid = false
      else if (local === 't') isText = false
    },
    text(part: string) {
      if (isText) text = withPart(text, part)
    },
    /** The text since the last call. */
    take(): string {
      const whole = text
      text = ''
      return whole.includes('_x') ? whole.replace(/_x([\da-f]{4})_/gi, fromHex) : whole
    },
  }
}

/** Characters that XML can't hold are written as `_x000D_`. */
const fromHex = (_whole: string, hex: string) => String.fromCharCode(parseInt(hex, 16))

async function stringsOf(
  zip: ZipFile,
  part: string | undefined,
  between: (bytes: number) => Promise<void>,
): Promise<Strings> {
  const strings = createStringTable()
  const text = createTextReader()
  if (part)
    await readXml(
      zip.pieces(part),
      {
        open: (name) => text.open(localName(name)),
        text: text.text,
        close(name) {
          const local = localName(name)
          text.close(local)
          if (local === 'si') strings.add(text.take())
        },
      },
      between,
    )
  return strings
}

/** Position of a reference such as `AB12`, from 0. */
function columnOf(reference: string): number {
  let column = 0
  for (let at = 0; at < reference.length; at++) {
    // Upper and lower case.
    const letter = reference.charCodeAt(at) & 0x5f
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return column - 1
}

function createSheetReader(
  { strings, shapes, is1904 }: { strings: Strings; shapes: readonly NumberShape[]; is1904: boolean },
  onRow: Parameters<Workbook['read']>[1],
) {
  const inline = createTextReader()
  let rowNumber = 0
  let isHidden = false
  let cells: string[] = []
  let column = -1
  let type = 'n'
  let style = 0
  let value = ''
  let isValue = false
  let isFormula = false
  let isDone = false
  let uncalculated = 0

  function cellText(): string {
    const written = inline.take()
    if (type === 'inlineStr') return written || value
    if (value === '') return ''
    if (type === 's') {
      const text = strings.get(Number(value))
      if (text === undefined) throw unreadableFile('damaged')
      return text
    }
    if (type === 'n') return marked(shapedNumber(value, shapes[style] ?? { kind: 'plain' }, is1904))
    if (type === 'b') return isTrue(value) ? 'TRUE' : 'FALSE'
    if (type === 'd') return isoDate(value)
    // A formula's text, or an error such as #N/A.
    return value.includes('_x') ? value.replace(/_x([\da-f]{4})_/gi, fromHex) : value
  }

  return {
    uncalculated: () => uncalculated,
    isDone: () => isDone,
    open(name: string, attributes: Readonly<Record<string, string>>) {
      const local = localName(name)
      if (local === 'c') {
        const reference = attributeOf(attributes, 'r')
        column = reference === undefined ? column + 1 : columnOf(reference)
        if (column < 0 || column >= columnsMax) throw unreadableFile('damaged')
        type = attributeOf(attributes, 't') ?? 'n'
        style = Number(attributeOf(attributes, 's') ?? 0)
        value = ''
        isFormula = false
      } else if (local === 'v') isValue = true
      else if (local === 'row') {
        // Some programs number no rows.
        rowNumber = Math.max(rowNumber + 1, Number(attributeOf(attributes, 'r') ?? 0))
        if (!(rowNumber <= rowsMax)) throw unreadableFile('damaged')
        isHidden = isTrue(attributeOf(attributes, 'hidden'))
        cells = []
        column = -1
      } else if (local === 'f') isFormula = true
      else inline.open(local)
    },
    text(part: string) {
      if (isValue) value = withPart(value, part)
      else inline.text(part)
    },
    close(name: string) {
      const local = localName(name)
      if (local === 'v') isValue = false
      else if (local === 'c') {
        const text = cellText()
        if (text === '' && isFormula && type !== 'str') uncalculated++
        while (cells.length < column) cells.push('')
        cells[column] = text
      } else if (local === 'row') {
        if (!isDone) isDone = !onRow({ rowNumber, cells, isHidden })
      } else inline.close(local)
    },
  }
}

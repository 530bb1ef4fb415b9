import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { describe, expect, test } from 'vitest'
import { runJob } from '#electron/core/platform/tasks/job-runner.ts'
import { readCell } from '#electron/lib/csv/formula-guard.ts'
import { inspectTable } from '#electron/jobs/table/inspect-table.ts'
import { kindOfFile } from '#electron/jobs/sheets/file-kind.ts'
import { openTable } from '#electron/jobs/sheets/open-table.ts'
import { readXml } from '#electron/jobs/sheets/read-xml.ts'
import { readTable } from '#electron/jobs/table/read-table.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { workbookParts, zipOf } from '../../../helpers/zip-of.ts'

const fileOf = (name: string) => join(import.meta.dirname, 'files', name)

function written(bytes: string | Uint8Array, name = 'upload'): string {
  const file = join(tempFolder(), name)
  writeFileSync(file, bytes)
  return file
}

/** The lines of the table that a file becomes, as a spreadsheet numbers them; blank ones are missing. */
async function opened(file: string, sheet: number | null = null) {
  const target = join(tempFolder(), 'table')
  const found = await runJob({ job: 'open-table', file, target, sheet })
  const rows = new Map<number, string[]>()
  await readTable(
    target,
    { ...inspectTable(target).format, ...noHeader },
    ({ cells, sheetRow, problem }) => {
      expect(problem).toBeNull()
      rows.set(sheetRow, cells.map(readCell))
    },
    async () => {},
  )
  return { ...found, rows, target }
}
const noHeader = { encoding: 'utf-8', delimiter: ',', headerRow: 0 } as const

/** Without the empty cells at the end. */
const filled = (cells: readonly string[]) => cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1)

const names = ['Name', 'Phone', 'Second phone', 'Joined', 'Seen', 'At', 'Paid', 'Active', 'Result', 'Note']
const ann = ['Ann Sample', '358401234567', '0012025550101', '2026-01-02', '2026-01-02T10:00:00', '10:30:00']
const zoe = ['Zoë "Z" O’Sample', '07400123456', '+447400123456', '1999-12-31', '', '', '49.99', 'FALSE']
/** Rows of the same table in files of several programs; `from` is the header's row. */
const people = (from: number): [number, string[]][] => [
  [from, names],
  [from + 1, [...ann, '1234.50', 'TRUE', '+12025550102', 'two parts joined']],
  [from + 2, [...zoe, '#DIV/0!', 'line one\nline two, with comma']],
  [from + 4, ['Hidden Sample', '+1 202 555 0103']],
  [from + 5, ['李样本', '07700 900123', '12025550104', '', '', '', '1284.49', '', '', '', '', 'stray']],
]

describe('a sheet of another program', () => {
  test.for(['xlsxwriter-shared.xlsx', 'libreoffice.ods', 'libreoffice.xlsx'])(
    'keeps rows, digits, dates and hidden rows below a merged title: %s',
    async (name) => {
      const { rows, ...found } = await opened(fileOf(name))
      expect(found).toMatchObject({
        sheets: [
          { name: 'Summary', isHidden: false },
          { name: 'Customers', isHidden: false },
          { name: 'Old numbers', isHidden: true },
        ],
        sheet: 1,
        hiddenRows: 1,
        uncalculated: 0,
      })
      const expected: [number, string[]][] = [[1, ['Customers, all regions']], ...people(3)]
      // LibreOffice calculates again, and a sum of texts is 0.
      if (name === 'libreoffice.xlsx') expected.at(-1)![1][6] = '0'
      expect([...rows].map(([at, cells]) => [at, filled(cells)])).toEqual(expected)
    },
  )

  test('keeps dates of the 1904 calendar and inline strings', async () => {
    const { rows, ...found } = await opened(fileOf('xlsxwriter-inline-1904.xlsx'))
    expect(found).toMatchObject({ sheets: [{ name: 'Customers' }], sheet: 0, hiddenRows: 1 })
    expect([...rows].map(([at, cells]) => [at, filled(cells)])).toEqual(people(1))
  })

  test('counts formulas without a stored result', async () => {
    const { rows, uncalculated } = await opened(fileOf('openpyxl.xlsx'))
    expect([...rows.values()].map(filled)).toEqual([
      ['Name', 'Phone', 'Joined', 'Total'],
      ['Ann Sample', '12025550101', '2026-01-02T10:00:00'],
      ['Bob Sample', '12025550102', '2026-01-03'],
      ['Eve Sample', '00447700900123', '', '#N/A'],
    ])
    expect(uncalculated).toBe(1)
  })

  test.for([
    ['exceljs.xlsx', 1],
    // Its dates are day numbers that only the text shows.
    ['sheetjs.ods', 0],
  ] as const)('keeps values of a library: %s', async ([name, hidden]) => {
    const { rows, hiddenRows } = await opened(fileOf(name))
    expect([...rows.values()].map(filled)).toEqual([
      ['Name', 'Phone', 'When', 'On', 'Note'],
      ['Ann Sample', '358401234567', '2026-01-02T10:00:00', 'TRUE', 'a\nb & <c>'],
      ['Zoë', '+44 7400 123456', '1999-12-31', 'FALSE', '007'],
      ['李', '12025550101', '', '', '“q”'],
    ])
    expect(hiddenRows).toBe(hidden)
  })

  test('keeps repeated and blank rows and repeated blanks of an .ods file', async () => {
    const { rows, hiddenRows } = await opened(fileOf('libreoffice-rows.ods'))
    expect([...rows].map(([at, cells]) => [at, filled(cells)])).toEqual([
      [1, ['Nombre', 'Móvil', 'Desde', 'Activo']],
      [2, ['Ana Muestra', '34612345678', '', 'TRUE']],
      [3, ['Ana Muestra', '34612345678', '', 'TRUE']],
      [4, ['Luis Muestra', '+34 612 345 679', '', 'TRUE']],
      [10, ['Final', 'x  y']],
    ])
    expect(hiddenRows).toBe(1)
  })

  test('reads the sheet that was asked for', async () => {
    for (const name of ['xlsxwriter-shared.xlsx', 'libreoffice.ods']) {
      const summary = await opened(fileOf(name), 0)
      expect([...summary.rows.values()].map(filled)).toEqual([
        ['Customers of Sample Ltd'],
        ['1250000'],
        ['as of', '2026-01-01'],
        ['Prepared by Ann'],
      ])
      expect((await opened(fileOf(name), 2)).rows.get(2)).toEqual(['+12025550199'])
    }
  })

  test('gives a workbook without cells as an empty table', async () => {
    expect((await opened(fileOf('openpyxl-empty.xlsx'))).rows.size).toBe(0)
  })
})

const cell = (text: string, reference = '') =>
  `<c${reference && ` r="${reference}"`} t="inlineStr"><is><t>${text}</t></is></c>`

const sheetPart = 'xl/worksheets/sheet0.xml'

describe('an unusual workbook', () => {
  const book = (...given: Parameters<typeof workbookParts>) => opened(written(zipOf(workbookParts(...given))))
  const rowsOf = async (...given: Parameters<typeof workbookParts>) =>
    [...(await book(...given)).rows].map(([at, cells]) => [at, filled(cells)])

  test('numbers rows and cells without references', async () => {
    expect(
      await rowsOf({ One: `<row>${cell('a')}${cell('b')}</row><row r="3">${cell('c', 'b3')}</row>` }),
    ).toEqual([
      [1, ['a', 'b']],
      [3, ['', 'c']],
    ])
  })

  test('has prefixes, reading aids, escaped characters and rich text', async () => {
    const strings =
      '<x:si><x:r><x:t>Su</x:t></x:r><x:r><x:t xml:space="preserve">e </x:t></x:r><x:rPh><x:t>aid</x:t></x:rPh></x:si><si><t>a_x000D_b_x005F_x0041_ &amp; c</t></si>'
    const sheet = '<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><c r="B1" t="s"><v>1</v></c></x:row>'
    expect(await rowsOf({ One: sheet }, { strings })).toEqual([[1, ['Sue ', 'a\rb_x0041_ & c']]])
  })

  test('keeps inline text of cells with another type out of later cells', async () => {
    const odd = '<c t="str"><is><t>lost</t></is></c><c t="inlineStr"><v>value</v></c>'
    expect(await rowsOf({ One: `<row>${odd}${cell('own')}</row>` })).toEqual([[1, ['', 'value', 'own']]])
  })

  test('is opened at its phone numbers, not at earlier IDs and dates', async () => {
    const rows = (title: string, value: (at: number) => string) =>
      [title, ...Array.from({ length: 9 }, (_, at) => value(at))]
        .map((text) => `<row>${cell(text)}</row>`)
        .join('')
    const orders = rows('Order', (at) => `${1_000_001 + at}`)
    const dates = rows('Day', (at) => `${20_260_101 + at}`)
    const people = rows('Phone', (at) => `0${2_025_550_101 + at}`)
    const sheetOf = async (sheets: Record<string, string>) => (await book(sheets)).sheet
    expect(await sheetOf({ Orders: orders, Dates: dates, People: people })).toBe(2)
    expect(await sheetOf({ Names: rows('Name', () => 'Ann'), Local: orders })).toBe(1)
    const info = `<row>${cell('Questions?')}${cell('0170 5554999')}</row>`
    expect(await sheetOf({ Info: info, Dates: dates, People: people })).toBe(2)
    // As long as a sheet with the title of a number.
    const orderNumbers = rows('Order', (at) => String(1_000_000_000 + at))
    expect(await sheetOf({ Orders: orderNumbers, People: people })).toBe(1)
  })

  test('hands on long text in parts', async () => {
    const lengths: number[] = []
    const xml = Buffer.from(`<a>${'x'.repeat(1_000_000)}</a>`)
    async function* pieces() {
      for (let at = 0; at < xml.length; at += 16_384) yield xml.subarray(at, at + 16_384)
    }
    await readXml(pieces(), { text: (text) => void lengths.push(text.length) })
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(1_000_000)
    expect(Math.max(...lengths)).toBeLessThan(200_000)
  })

  test('finds its parts under absolute, relative, escaped and backslashed addresses', async () => {
    for (const [target, name] of [
      ['/xl/worksheets/sheet0.xml', 'xl/worksheets/sheet0.xml'],
      ['../xl/./worksheets/sheet0.xml', 'XL/Worksheets/Sheet0.xml'],
      ['worksheets\\sheet0.xml', 'xl/worksheets/sheet0.xml'],
      ['worksheets/my%20sheet.xml', 'xl/worksheets/my sheet.xml'],
      ['worksheets/100%.xml', 'xl/worksheets/100%.xml'],
    ] as const) {
      const parts = workbookParts({ One: `<row>${cell('a')}</row>` })
      const { [sheetPart]: sheet, ...others } = parts
      const rels = others['xl/_rels/workbook.xml.rels']!.replace('worksheets/sheet0.xml', target)
      const odd = rels.replace(
        '</Relationships>',
        '<Relationship Id="x" Type="a/externalLink" Target="http://[x"/></Relationships>',
      )
      const file = written(zipOf({ ...others, 'xl/_rels/workbook.xml.rels': odd, [name]: sheet! }))
      expect([...(await opened(file)).rows.values()]).toEqual([['a']])
    }
  })

  test('reaches the last row and the last column', async () => {
    const last = 2 ** 20
    const { rows } = await book({
      One: `<row r="1">${cell('a', 'A1')}</row><row r="${last}">${cell('z', `A${last}`)}</row>`,
    })
    expect([...rows]).toEqual([
      [1, ['a']],
      [last, ['z']],
    ])
    expect((await rowsOf({ One: `<row>${cell('end', 'XFD1')}</row>` }))[0]![1]).toHaveLength(16_384)
  })

  test('has a late wide row', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => `<row>${cell(`n${at}`)}</row>`).join('')
    const { target } = await book({ One: `${rows}<row>${cell('x')}${cell('y')}${cell('z')}</row>` })
    expect(inspectTable(target, noHeader).header).toHaveLength(3)
    expect(inspectTable(target, noHeader).warnings).toEqual([])
  })
})

test('reads a table with each line in quotes', async () => {
  const lines = [
    '"Name,Phone,""City"""',
    '"Ann,0151 23456789,""Köln, Süd"""',
    '',
    '"Bob ""B"" Roe,0151 23456780,Bonn"',
  ]
  const { rows } = await opened(written(lines.join('\r\n')))
  expect([...rows]).toEqual([
    [1, ['Name', 'Phone', 'City']],
    [2, ['Ann', '0151 23456789', 'Köln, Süd']],
    [4, ['Bob "B" Roe', '0151 23456780', 'Bonn']],
  ])
  const cyrillic = Buffer.from(
    [...'"Name,Phone"\n"']
      .map((char) => char.charCodeAt(0))
      .concat(
        [0xc8, 0xe2, 0xe0, 0xed, 0xee, 0xe2],
        [...',1"'].map((char) => char.charCodeAt(0)),
      ),
  )
  expect([...(await opened(written(cyrillic))).rows][1]).toEqual([2, ['Иванов', '1']])
})

test.each([
  '"Name","Phone"\n"Ann","1"',
  '"Name"\n"Roe, Ann"',
  '"Roe, Ann"\n"Poe, Bob"',
  '"Name, Phone"\nAnn',
])('leaves text whose quotes are those of its cells: %j', (text) => {
  expect(kindOfFile(written(text))).toBe('text')
})

describe('a file that is no table', () => {
  const sheets = { One: `<row>${cell('a')}</row>` }
  const whole = zipOf(workbookParts(sheets))
  /** A workbook whose sheet is this part. */
  const having = (part: string | Buffer) => zipOf({ ...workbookParts(sheets), [sheetPart]: part })
  const changed = Buffer.from(whole)
  // A few bytes behind the part's name, where its text is deflated.
  const place = whole.indexOf(sheetPart) + sheetPart.length + 20
  changed.writeUInt8(whole[place]! ^ 1, place)
  const cases: [string, string | Uint8Array, string][] = [
    ['an encrypted .xlsx file', readFileSync(fileOf('password.xlsx')), 'encrypted'],
    ['an encrypted .ods file', readFileSync(fileOf('password.ods')), 'encrypted'],
    ['an old .xls file', readFileSync(fileOf('libreoffice.xls')), 'oldExcel'],
    ['a binary workbook', zipOf({ 'xl/workbook.bin': 'x' }), 'binaryExcel'],
    ['another archive', zipOf({ 'notes.txt': 'x' }), 'notTable'],
    [
      'a web page with the name of a workbook',
      '\ufeff<html><table><tr><td>1</td></tr></table></html>',
      'webPage',
    ],
    ['a JSON list', '\ufeff[\n  {"name": "Ann", "phone": "+12025550101"}\n]', 'json'],
    ['a JSON object on each line', '{"name":"Ann","phone":"+12025550101"}\n', 'json'],
    ['an LDIF file', 'dn: cn=Ann Sample\nobjectclass: person\nmobile: +12025550101\n', 'ldif'],
    ['a DIF file', 'TABLE\r\n0,1\r\n"EXCEL"\r\n', 'ldif'],
    ['a SYLK file', 'ID;PWXL;N;E\nC;Y1;X1;K"Name"\n', 'ldif'],
    ['an xDT file', '01380006301\r\n0133101Roe\r\n', 'ldif'],
    ['a truncated file', whole.subarray(0, whole.length - 40), 'damaged'],
    ['an empty archive that is cut', 'PK\u0003\u0004', 'damaged'],
    ['changed bytes', changed, 'damaged'],
    ['XML that ends early', having('<worksheet><sheetData><row>'), 'damaged'],
    ['endless nesting', having('<a>'.repeat(5_000) + '</a>'.repeat(5_000)), 'damaged'],
    ['an endless attribute', having(`<worksheet a="${'x'.repeat(1_000_000)}"></worksheet>`), 'damaged'],
    ['a text that is missing', zipOf(workbookParts({ One: '<row><c t="s"><v>7</v></c></row>' })), 'damaged'],
    [
      'a row beyond the last',
      zipOf(workbookParts({ One: `<row r="1048577">${cell('a')}</row>` })),
      'damaged',
    ],
    ['a workbook without sheets', zipOf(workbookParts({})), 'noSheet'],
    [
      'a part that inflates to more than it says',
      zipOf(workbookParts(sheets), { [sheetPart]: 5 }),
      'damaged',
    ],
    ['a bomb', having(Buffer.alloc(80 * 2 ** 20, 32)), 'bomb'],
  ]

  test.for(cases)('is refused: %s', async ([, bytes, fault]) => {
    const file = written(bytes)
    const folder = tempFolder()
    await expect(
      runJob({ job: 'open-table', file, target: join(folder, 'table'), sheet: null }),
    ).rejects.toMatchObject({ code: 'IMPORT_FILE_UNREADABLE', data: { detail: { key: `file.${fault}` } } })
    expect(readdirSync(folder)).toEqual([])
  })

  test('stops at repeated cells that fill the disk', async () => {
    const row = `<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>${'x'.repeat(500)}</text:p></table:table-cell></table:table-row>`
    const parts = {
      'META-INF/manifest.xml':
        '<m><f manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></m>',
      'content.xml': `<d><table:table table:name="One">${row}</table:table></d>`,
    }
    await expect(opened(written(zipOf(parts)))).rejects.toMatchObject({
      data: { detail: { key: 'file.bomb' } },
    })
  })

  test('can be cancelled while it looks for the sheet with numbers', async () => {
    const file = written(zipOf(workbookParts({ One: `<row>${cell('a')}</row>`, Two: '<row>' })))
    const control = {
      progress() {},
      checkpoint: () => Promise.reject(new Error('left')),
    }
    await expect(openTable({ file, target: `${file}.table`, sheet: null }, control)).rejects.toThrow('left')
  })

  test('leaves nothing when it is cancelled', async () => {
    const folder = tempFolder()
    const file = join(folder, 'upload')
    copyFileSync(fileOf('xlsxwriter-shared.xlsx'), file)
    await expect(
      runJob(
        { job: 'open-table', file, target: join(folder, 'table'), sheet: null },
        { signal: AbortSignal.abort(new Error('left')) },
      ),
    ).rejects.toThrow('left')
    expect(readdirSync(folder)).toEqual(['upload'])
  })

  test('is stopped neither by the pause nor by the cancel of an earlier job', async () => {
    const order = () => ({
      job: 'open-table' as const,
      file: fileOf('xlsxwriter-shared.xlsx'),
      target: join(tempFolder(), 'table'),
      sheet: null,
    })
    const late: ((isPaused: boolean) => void)[] = []
    const onPause = (pause: (isPaused: boolean) => void) => {
      late.push(pause)
      return () => {}
    }
    const found = await runJob(order(), { onPause })
    late[0]!(true)
    expect(await runJob(order())).toEqual(found)
    const signal = AbortSignal.abort(new Error('left'))
    await expect(runJob(order(), { signal })).rejects.toThrow('left')
    expect(await runJob(order())).toEqual(found)
  })
})

/** Text that XML can hold, mostly what people have in tables. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => /^[^\p{Cc}\p{Cs}\ufffe\uffff]*$/u.test(one)),
  fc.constantFrom(
    '',
    '=1+1',
    '+1 202 555 0101',
    '007',
    '"quoted", cell',
    "''=x",
    ' two\nlines ',
    '#N/A',
    'sep=;',
  ),
)
const number = fc.oneof(
  fc.integer({ min: -1e9, max: 1e9 }),
  fc.bigInt({ min: 1n, max: 999_999_999_999_999n }).map(Number),
)
const table = fc.array(fc.array(fc.oneof(text, number, fc.boolean()), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 12,
})

test.for(['xlsx', 'ods'] as const)(
  'gives random tables of another writer back: %s',
  { timeout: 60_000 },
  async (format) => {
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const book = { sheets: [{ name: 'One', rows }] }
        const file = written(format === 'xlsx' ? await writeXlsx(book) : await writeOds(book))
        const back = await opened(file)
        const shown = (value: string | number | boolean) =>
          typeof value === 'boolean' ? String(value).toUpperCase() : String(value)
        const expected = rows
          .map((cells, at) => [at + 1, filled(cells.map(shown))] as const)
          .filter(([, cells]) => cells.length > 0)
        expect([...back.rows].map(([at, cells]) => [at, filled(cells)])).toEqual(expected)
      }),
      { numRuns: 12 },
    )
  },
)

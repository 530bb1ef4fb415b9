import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import { beforeAll, expect, test } from 'vitest'
import {
  allContacts,
  choicesFor,
  openTable,
  rejectedRows,
  textOf,
  upload,
} from '../../../../helpers/contact-files.ts'
import { dryRun, peopleIn, pointsMapping, pointsTemplate } from '../../../../helpers/bulk-sends.ts'
import { checkList, syncDnc } from '../../../../helpers/dnc.ts'
import { shareSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox({ sandbox: { contactsCount: 0, dncCount: 5 } })
beforeAll(() => syncDnc(shared.rpc))

/** Two sheets, the numbers in the second: as numbers and as text, below a blank row. */
const workbook = async (...more: [string, number | string][]) =>
  Buffer.from(
    await writeXlsx({
      sheets: [
        { name: 'About', rows: [['Made for the autumn fair'], ['Total', 3]] },
        {
          name: 'People',
          rows: [
            ['name', 'phone', 'points'],
            ['Ann Sample', 12025550101, 12],
            [],
            ['Bob Sample', '+44 7400 123456', 1.5],
            ['Eve Sample', 12, 3],
            ...more.map(([name, phone]) => [name, phone, 4]),
          ],
        },
      ],
    }),
  )

async function opened(content: Buffer | string, name = 'people.xlsx') {
  const { rpc } = shared
  const uploadId = await upload(rpc, name, content)
  return { ...(await openTable(rpc, uploadId)), uploadId }
}

test('imports a sheet, and names rows as the spreadsheet does', async () => {
  const { rpc } = shared
  const content = await workbook()
  const table = await opened(content)
  expect(table).toMatchObject({
    isConverted: true,
    sheets: [
      { name: 'About', isHidden: false },
      { name: 'People', isHidden: false },
    ],
    sheet: 1,
    refusing: [],
    hiddenRows: 0,
  })
  const { importId, choices } = await choicesFor(rpc, table.fileId, { defaultRegion: 'US' })
  const { counts } = await rpc.imports.preview({ importId, choices })
  expect(counts).toMatchObject({ rows: 3, new: 2, invalid: 1 })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  expect((await allContacts(rpc)).map(({ name, phone }) => [name, phone])).toEqual([
    ['Ann Sample', '+12025550101'],
    ['Bob Sample', '+447400123456'],
  ])
  expect(await rpc.imports.get({ importId })).toMatchObject({
    state: 'done',
    fileName: 'people.xlsx',
    sizeBytes: content.length,
  })
  expect(await rejectedRows(rpc, importId)).toMatchObject([
    { sheetRow: 5, rowNumber: 3, cells: ['Eve Sample', '12', '3'] },
  ])
})

test('imports contact cards, each with the first of its numbers that can be used', async () => {
  const { rpc } = shared
  const card = (name: string, ...numbers: string[]) =>
    ['BEGIN:VCARD', 'VERSION:3.0', `FN:${name}`, ...numbers, 'CATEGORIES:Fair', 'END:VCARD', ''].join('\r\n')
  const table = await opened(
    card('Cy Sample', 'TEL;TYPE=HOME:+1 202 555 0111', 'TEL;TYPE=CELL:+1 202 555 0110') +
      card('Di Sample', 'TEL;TYPE=CELL:+1 202 555 0112') +
      card('Ed Sample', 'TEL;TYPE=WORK:+1 202 555 0113', 'TEL;TYPE=FAX:+1 202 555 0114') +
      card('Flo Sample', 'TEL:+1 202 555 0115', 'TEL;TYPE=CELL:12') +
      card('Gus Sample', 'TEL;TYPE=CELL:079 456 78 91', 'ADR;TYPE=HOME:;;Weg 1;Bern;;3000;Schweiz'),
    'contacts.vcf',
  )
  expect(table).toMatchObject({ isConverted: true, sheets: [] })
  const { importId, choices } = await choicesFor(rpc, table.fileId, { defaultRegion: 'US' })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const contacts = await allContacts(rpc, { importId })
  expect(contacts.map(({ name, phone, tags }) => [name, phone, tags])).toEqual([
    ['Cy Sample', '+12025550110', { Fair: '' }],
    ['Di Sample', '+12025550112', { Fair: '' }],
    ['Ed Sample', '+12025550113', { Fair: '' }],
    ['Flo Sample', '+12025550115', { Fair: '' }],
    ['Gus Sample', '+41794567891', { Fair: '' }],
  ])
})

test('checks a sheet against the DNC list', async () => {
  const { rpc } = shared
  const listed = shared.sandbox.tenant().dnc()[0]!.phone_number
  const { fileId } = await opened(
    await workbook(['Lee Sample', Number(listed.slice(1))], ['Mo Sample', listed]),
  )
  const { header, phoneColumn, headerRow } = await rpc.dnc.inspectFile({ fileId })
  expect(header).toEqual(['name', 'phone', 'points'])
  const source = { fileId, column: phoneColumn, headerRow }
  const { counts, files } = await checkList(rpc, { source, region: 'US' })
  expect(counts).toMatchObject({ rows: 5, blocked: 2, unparsable: 1 })
  expect(await textOf(rpc, files!.unparsable)).toContain('"5","12"')
})

test('prepares a bulk send to a sheet', async () => {
  const { rpc } = shared
  const { key } = await rpc.templates.create(pointsTemplate)
  const { fileId } = await opened(await workbook())
  const { phoneColumn, nameColumn, headerRow } = await rpc.templates.inspectFile({ fileId })
  const { first, send } = await dryRun(rpc, {
    key,
    source: peopleIn(fileId, { headerRow, phoneColumn: phoneColumn!, nameColumn, region: 'US' }),
    mapping: pointsMapping,
  })
  expect(send.counts).toMatchObject({ recipients: 3, willSend: 2 })
  expect(first.map(({ phone, values }) => [phone, ...values.map(({ value }) => value)])).toEqual([
    ['+12025550101', 'Ann Sample', 12],
    ['+447400123456', 'Bob Sample', 1.5],
  ])
})

test('reads another sheet of the same upload', async () => {
  const { rpc } = shared
  const { uploadId, fileId } = await opened(await workbook())
  const other = await openTable(rpc, uploadId, { sheet: 0 })
  expect(other).toMatchObject({ sheet: 0 })
  expect(other.fileId).not.toBe(fileId)
  const { header, sample } = await rpc.dnc.inspectFile({ fileId: other.fileId })
  expect([...header, ...sample.flat()]).toContain('3')
})

test('marks the numbers that another sheet refuses, and asks about that sheet itself', async () => {
  const { rpc } = shared
  // Ann's order is another one's customer.
  const people = [
    ['Order', 'Name', 'Phone', 'Home'],
    [100200300, 'Ann', '(202) 555-0131', ''],
    [100200301, 'Bob', 12025550132, ''],
    [100200302, 'Cid', '202-555-0133', ''],
    [100200303, 'Dee', '', 2025550134],
    [100200304, 'Eli', '202 555 0138', ''],
    [100200305, 'Fay', '(202) 555-0141', ''],
    [100200306, 'Gus', '+1 202 555 0142', ''],
    [100200307, 'Hal', '202 555 0144', ''],
    [100200309, 'Kay', '202 555 0146', ''],
    // Ends like one half of a number with a slash.
    [100200308, 'Ida', '(360) 234-5678', ''],
  ]
  const refused = [
    ['Customer', 'Phone', 'On'],
    [100200300, '+1 202 555 0132', '2026-01-02'],
    [2025550131, '202.555.0139', '2026-01-02'],
    [1, 'mob 202 555 0133 / 202 555 0138', '2026-01-02'],
    [2, '2025550134', ''],
    [3, '202 555 0141;202 555 0142', ''],
    [4, '202 555 0143, home 202 555 0144 ext 5', ''],
    [5, '089/2345678', ''],
  ]
  const sheets = [
    { name: 'All', rows: people },
    { name: 'Opted out', rows: refused },
    { name: 'Unsubscribed', rows: [['Kay 202 555 0146'], ['Lea 202 555 0147']] },
  ]
  const { uploadId, ...table } = await opened(Buffer.from(await writeXlsx({ sheets })))
  expect(table).toMatchObject({ sheet: 0, refusing: ['Opted out', 'Unsubscribed'] })
  const consentOf = async (fileId: string) => {
    const { importId, choices } = await choicesFor(rpc, fileId, { defaultRegion: 'US' })
    const { consent, counts, toHold } = await rpc.imports.preview({ importId, choices })
    return {
      new: counts.new,
      toHold,
      no: consent.flatMap(({ values }) => values.filter(({ isNo }) => isNo).map(({ value }) => value)),
    }
  }
  expect(await consentOf(table.fileId)).toEqual({
    new: 10,
    toHold: 8,
    no: ['Do not contact (Opted out)', 'Do not contact (Unsubscribed)'],
  })
  const other = await openTable(rpc, uploadId, { sheet: 1 })
  expect(other.refusing).toEqual(['Unsubscribed'])
  expect(await consentOf(other.fileId)).toEqual({ new: 3, toHold: 10, no: ['people.xlsx · Opted out'] })
})

test('holds by email who is refused without a number, and names the rows that hold nobody', async () => {
  const { rpc } = shared
  const sheets = [
    {
      name: 'Kunden',
      rows: [
        ['Name', 'Mobil', 'Mail'],
        ['Cem', '0151 23456743', 'cem@eps.at'],
        ['Egon', '0664 1234567', 'Egon@eps.at'],
        ['Fritz', '0664 1234568', 'fritz@eps.at'],
        ['Hanna', '', 'hanna@eps.at'],
      ],
    },
    {
      name: 'Abmeldungen',
      rows: [
        ['Abmeldungen vom Newsletter/SMS, an fritz@eps.at'],
        [],
        ['Datum', 'Wer', 'Nummer / Mail', 'Grund'],
        ['2026-10-05', 'Firma Theta', '', 'ruft selbst an'],
        ['2026-10-01', 'Cem', '+49 (151) 2345 6743', 'kein Interesse'],
        ['2026-10-03', 'Egon', 'egon@eps.at', 'nur Mail bekannt'],
        ['2026-10-04', 'Gil', 'gil@eps.at', ''],
        ['2026-10-06', 'Hanna', 'hanna@eps.at', ''],
      ],
    },
  ]
  const table = await opened(Buffer.from(await writeXlsx({ sheets })))
  expect(table).toMatchObject({
    refusing: ['Abmeldungen'],
    unmatched: { rows: 3, texts: ['Firma Theta', 'gil@eps.at', 'hanna@eps.at'] },
  })
  const { importId, choices } = await choicesFor(rpc, table.fileId, { defaultRegion: 'AT' })
  expect(await rpc.imports.preview({ importId, choices })).toMatchObject({ toHold: 2 })
})

test('gives each person of a row a row, with their own number and consent, unless the operator says otherwise', async () => {
  const { rpc } = shared
  const rows = [
    [
      'Name 1',
      'Vorname 1',
      'Mobil 1',
      'SMS erlaubt 1',
      'Name 2',
      'Vorname 2',
      'Mobil 2',
      'SMS erlaubt 2',
      'Festnetz',
    ],
    ['Huber', 'Max', '0151 23456751', 'ja', 'Huber', 'Eva', '0151 23456752', 'nein', ''],
    ['Beck', 'Nils', '0151 ???', 'ja', 'Beck', 'Ola', '0151 23456753', 'ja', ''],
    ['Lang', 'Ute', '0151 23456754', 'ja', '', '', '', 'nein', ''],
    ['Kern', 'Ina', '0151 23456755', 'ja', 'Kern', 'Tom', '0151 23456756', 'ja', ''],
  ]
  const csv = rows.map((cells) => cells.join(';')).join('\n')
  const sheets = [
    { name: 'Mitglieder', rows },
    { name: 'Abmeldungen', rows: [['Nummer'], ['0151 23456756']] },
  ]
  const workbook = Buffer.from(await writeXlsx({ sheets }))
  for (const [content, toHold] of [
    [csv, 1],
    [workbook, 2],
  ] as const) {
    const { uploadId, ...table } = await opened(content)
    expect(table).toMatchObject({ isConverted: true, people: 'apart' })
    const { importId, choices } = await choicesFor(rpc, table.fileId)
    expect(await rpc.imports.preview({ importId, choices })).toMatchObject({
      toHold,
      counts: { rows: 7, new: 6, marked: toHold, invalid: 1 },
    })
    const together = await openTable(rpc, uploadId, { isTogether: true })
    expect(together).toMatchObject({ people: 'together', isConverted: content !== csv })
    const { header } = await rpc.dnc.inspectFile({ fileId: together.fileId })
    expect(header).toEqual(expect.arrayContaining(rows[0]!))
  }
})

test('imports and checks no faulty row of several people, and says why', async () => {
  const { rpc } = shared
  const rows = [
    'Mobil 1;Name 1;Mobil 2;Name 2',
    '0151 23456761;Jörg;0151 23456762;Zoë',
    '0151 23456765;"Ida" x;0151 23456766;Eva',
    '0151 23456767;Kai;;;Kim',
  ]
  const bad = Buffer.from('\n0151 23456763;Ute\u00fc;0151 23456764;Tom', 'latin1')
  const { fileId, people } = await opened(Buffer.concat([Buffer.from(rows.join('\n')), bad]), 'people.csv')
  expect(people).toBe('apart')
  const { importId, choices } = await choicesFor(rpc, fileId)
  const { counts, problems } = await rpc.imports.preview({ importId, choices })
  expect(counts).toMatchObject({ rows: 6, new: 2, invalid: 4 })
  expect(
    Object.fromEntries(
      problems.map(({ problem, rows: found }) => [problem, found.map(({ cells }) => cells)]),
    ),
  ).toEqual({
    malformed: [['0151 23456765; Ida x; 0151 23456766; Eva', '']],
    'extra-cells': [['0151 23456767; Kai; ; ; Kim', '']],
    encoding: [
      ['0151 23456763', 'Ute\ufffd'],
      ['0151 23456764', 'Tom'],
    ],
  })
  const { phoneColumn, headerRow } = await rpc.dnc.inspectFile({ fileId })
  const check = await checkList(rpc, { source: { fileId, column: phoneColumn, headerRow }, region: 'DE' })
  expect(check.counts).toMatchObject({ rows: 6, unparsable: 2 })
  const unread = await textOf(rpc, check.files!.unparsable)
  expect(unread).toContain('Malformed row: there is text after a closing quote.')
  expect(unread).toContain('Malformed row: it has more cells than the file has columns.')
})

test('leaves rows together that may name one person until the operator says otherwise', async () => {
  const { rpc } = shared
  const { uploadId, ...table } = await opened(
    'Name 1;Name 2;Mobil 1;Mobil 2;SMS erlaubt\nAnn;Ben;0151 23456771;0151 23456772;ja',
    'people.csv',
  )
  expect(table).toMatchObject({ people: 'together', sharedConsents: [] })
  const apart = await openTable(rpc, uploadId, { isTogether: false })
  expect(apart).toMatchObject({ people: 'apart', sharedConsents: ['SMS erlaubt'] })
})

test('says that rows name one person where no one is second', async () => {
  const { people } = await opened('Name 1;Mobil 1;Name 2;Mobil 2\nAnn;0151 23456771;;', 'people.csv')
  expect(people).toBe('one')
})

test('marks refused numbers also beside a column of IDs that is titled like one of numbers', async () => {
  const { rpc } = shared
  const rows = (id: number) => [
    ['Nummer', 'Kontakt'],
    [id, 2025550135],
  ]
  const sheets = [
    { name: 'All', rows: rows(1001) },
    { name: 'Opted out', rows: rows(7) },
  ]
  const { fileId } = await opened(Buffer.from(await writeXlsx({ sheets })))
  const { header, sample } = await rpc.imports.inspect({ fileId })
  expect([header[0], sample[0]![0]]).toEqual(['Sheet “Opted out”', 'Do not contact (Opted out)'])
})

const many = Array.from({ length: 400 }, (_, at) => `+44 7400 ${123_000 + at}`)
const cyrillic = Buffer.from('\ufeffТина, +44 7400 123151, +44 7400 123152, +44 7400 123153', 'utf16le')
test.each([
  ['with names', 'Ann, +44 7400 123151, +44 7400 123152, +1 (202) 555-0151, You', 3],
  ['with a separator at the end', '+44 7400 123151;+44 7400 123152;+44 7400 123153; ', 3],
  ['in UTF-16', cyrillic, 3],
  ['of 400 numbers', many.join(','), 400],
  ['but not one person’s', 'Ann,+44 7400 123151,+44 7400 123152,+44 7400 123153', 1],
])('reads a group of numbers in one line, %s', async (_what, content, count) => {
  const { rpc } = shared
  const { fileId, isConverted } = await opened(content, 'group.txt')
  expect(isConverted).toBe(count > 1)
  const { importId, choices } = await choicesFor(rpc, fileId)
  expect((await rpc.imports.preview({ importId, choices })).counts).toMatchObject({ new: count })
})

test('says that a sheet is empty', async () => {
  const { rpc } = shared
  const empty = Buffer.from(await writeXlsx({ sheets: [{ name: 'One', rows: [] }] }))
  const { fileId } = await opened(empty, 'empty.xlsx')
  for (const inspect of [rpc.imports.inspect, rpc.dnc.inspectFile, rpc.templates.inspectFile])
    await expect(inspect({ fileId })).rejects.toMatchObject({
      code: 'IMPORT_FILE_EMPTY',
      data: { name: 'empty.xlsx' },
    })
})

test('leaves text as it is', async () => {
  expect(await opened('name,phone\nAnn,+12025550101', 'people.csv')).toMatchObject({ isConverted: false })
})

test('names a file that it can’t read, and keeps no table of it', async () => {
  const files = () => readdirSync(join(shared.dataDir, 'connections'), { recursive: true }).length
  const whole = await workbook()
  await opened('name,phone\nAnn,+12025550101', 'people.csv')
  const before = files()
  await expect(opened(whole.subarray(0, 900), 'broken.xlsx')).rejects.toMatchObject({
    code: 'IMPORT_FILE_UNREADABLE',
    data: { name: 'broken.xlsx', detail: { key: 'file.damaged' } },
  })
  // The upload and its name.
  expect(files()).toBe(before + 2)
})

test('erases an uploaded workbook with the person', async () => {
  const { rpc } = shared
  const { uploadId } = await opened(await workbook())
  await rpc.contacts.create({ name: 'Ida Sample', phone: '+12025550120', email: '', tags: {} })
  const phone = '+12025550120'
  const { taskId } = await rpc.erase.start({ phone, confirm: phone, keepHold: false })
  await taskEnd(rpc, taskId!)
  await expect(rpc.files.read({ fileId: uploadId, offset: 0 })).rejects.toMatchObject({ code: 'FILE_ERASED' })
})

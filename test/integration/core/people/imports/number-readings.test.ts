import { expect, test } from 'vitest'
import type { ImportChoices } from '#contract/people/imports.ts'
import {
  allContacts,
  choicesFor,
  everyone,
  importFile,
  textOf,
  upload,
} from '../../../../helpers/contact-files.ts'
import { checkList, syncDnc } from '../../../../helpers/dnc.ts'
import { openAtOttService, shareOttService } from '../../../../helpers/ott-service.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { outboxOver, taskEnd } from '../../../../helpers/wait-for.ts'

const withDncList = shareOttService()

const twoNumbers: ImportChoices['columns'] = [
  { to: 'name' },
  { to: 'phone', rank: 1 },
  { to: 'phone', rank: 2 },
]

/** Imports a file as the page does with what it guessed. @returns the stored numbers by name, and the problems. */
async function imported(rpc: Rpc, text: string, home: string, change: Partial<ImportChoices> = {}) {
  const fileId = await upload(rpc, 'list.csv', text)
  const { reading } = await rpc.imports.guessReading({
    source: { fileId, columns: [1] },
    region: home,
    usual: null,
  })
  const { importId, choices } = await choicesFor(rpc, fileId, {
    columns: [{ to: 'name' }, { to: 'phone' }],
    defaultRegion: reading!.region,
    hasCountryCodes: reading!.hasCountryCodes,
    ...change,
  })
  const { counts } = await rpc.imports.preview({ importId, choices })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  expect((await rpc.imports.get({ importId })).counts).toEqual(counts)
  return { phones: (await allContacts(rpc)).map(({ phone }) => phone), problems: counts.problems }
}

test.each([
  ['Móvil (+34)', 'ES'],
  ['Móvil +33', 'FR'],
  ['Móvil (+34 / +33)', 'FR'],
  ['Móvil (+999)', 'FR'],
])('reads numbers by the calling code of their title “%s”, in %s', async (title, region) => {
  const rpc = await withDncList()
  const fileId = await upload(rpc, 'list.csv', `Nombre,${title}\nAna,612345001\nLuz,612345002\n`)
  const { reading } = await rpc.imports.guessReading({
    source: { fileId, columns: [1] },
    region: 'FR',
    usual: null,
  })
  expect(reading).toEqual({ region, hasCountryCodes: false })
})

test('checks the column that has numbers, and reads numbers with area codes that are apart', async () => {
  const rpc = await withDncList()
  const people = 'Name,SMS Phone,Phone\nAnn,,+1 202 555 0101\nBob,,+1 202 555 0102\n'
  expect(await rpc.dnc.inspectFile({ fileId: await upload(rpc, 'list.csv', people) })).toMatchObject({
    phoneColumn: 2,
  })
  const apart = 'Name;Vorwahl;Rufnummer\nAnn;030;23125101\nBob;0171;3920001\n'
  const { guesses, warnings } = await rpc.imports.inspect({ fileId: await upload(rpc, 'list.csv', apart) })
  expect(guesses.map(({ to }) => to)).toEqual(['name', 'ignore', 'phone'])
  await importFile(rpc, 'list.csv', apart)
  expect((await allContacts(rpc)).map(({ phone }) => phone)).toEqual(['+491713920001', '+493023125101'])
  expect(warnings).toEqual([{ key: 'table.areaCodes', column: 'Vorwahl', numbers: 'Rufnummer' }])
})

test('says which columns have the only number of a row and are left out', async () => {
  const rpc = await withDncList()
  const warningsOf = async (...rows: string[]) => {
    const file = ['Name,Mobile,Mutter,Tel. Mutter,Tel. Tutor 1,Tel. Vater', ...rows].join('\n')
    return (await rpc.imports.inspect({ fileId: await upload(rpc, 'list.csv', file) })).warnings
  }
  const ann = 'Ann,+1 202 555 0101,Eve,+1 202 555 0103,,'
  expect(await warningsOf(ann, 'Bob,,Eve,+1 202 555 0103,+1 202 555 0104,')).toEqual([
    { key: 'table.parentsNumbers', columns: 'Tel. Mutter, Tel. Tutor 1' },
  ])
  expect(await warningsOf(ann, 'Bob,,Eve,,,')).toEqual([])
})

test('stores numbers that carry their country code, and decimals that a program added', async () => {
  const rows = [
    ['Anna DE', '4915112345678'],
    ['Gael FR', '33612345678'],
    ['Ivo IT', '393331234567'],
    ['Kim GB', '447911123456'],
    ['Max US', '12025550123'],
    ['Aino FI', '358401234567.0'],
    ['Eero FI', '358405554433.00'],
    ['Budi ID', '"6281234567810,0"'],
    ['Liisa FI', '3.58441112223E+11'],
    ['Outi FI', '+3.58503334445E+11'],
    ['Lost FI', '3.58401E+11'],
  ]
  const text = ['name,phone', ...rows.map((row) => row.join(','))].join('\n')
  expect(await imported(await withDncList(), text, 'DE')).toEqual({
    phones: rows
      .slice(0, -1)
      .map(([, phone]) => {
        const bare = phone!.replaceAll('"', '')
        return `+${Number(bare.replace(',', '.').replace('+', ''))}`
      })
      .sort((a, b) => Number(a) - Number(b)),
    problems: { 'number-rounded': 1 },
  })
})

test('never reads a number of a row with an unknown country as dialled in the list’s country', async () => {
  const rpc = await withDncList('+85291234567', '+447400123456')
  const rows = Array.from({ length: 10 }, (_, at) => `Person ${at},0151 5551234${at},Germany`)
  const text = [
    'name,phone,country',
    ...rows,
    'Wong,9123 4567,Hong Kong',
    'Smith,07400 123456,United Kingdom (UK)',
    'Nemo,0151 55512399,Atlantis',
    'Ida,0151 55512398,',
    // An American number, or a German one.
    'Uli,(202) 555-0109,',
  ].join('\n')
  const columns = [{ to: 'name' }, { to: 'phone' }, { to: 'country' }] as const
  const { phones, problems } = await imported(rpc, text, 'DE', { columns: [...columns] })
  expect(phones.filter((phone) => !phone.startsWith('+4915155512'))).toEqual(
    expect.arrayContaining(['+447400123456', '+85291234567']),
  )
  expect(phones).toHaveLength(14)
  expect(problems).toEqual({ 'number-country': 1, 'number-two-ways': 1 })
  const listed = (await allContacts(rpc)).filter(({ dnc }) => dnc)
  expect(listed.map(({ name }) => name).toSorted()).toEqual(['Smith', 'Wong'])
})

test('weighs the countries that a column shows when rows without one are read', async () => {
  const rpc = await withDncList()
  const rows = ['0491 570 006,au', '0491 570 156,au', '0491 570 157,', '0491 570 158,', '+33612345678,fr']
  const fileId = await upload(rpc, 'list.csv', ['phone,CC', ...rows].join('\n'))
  const source = { fileId, columns: [0], countryColumn: 1 }
  const { reading, numbers } = await rpc.imports.guessReading({ source, region: 'US', usual: null })
  expect([reading?.region, numbers]).toEqual(['AU', 2])
})

test('uses the first of several numbers, a number without extension, or an unknown number only by choice', async () => {
  const text = [
    'name,phone',
    'Ann,212-555-0101 212-555-0102',
    'Bob,"212-555-0103, 212-555-0104"',
    'Cid,(212) 555-0105 ::: (212) 555-0106',
    'Dee,"2,125,550,107"',
    'Eve,212-555-0108 x12',
    'Fay,212-155-0109',
    'Gus,+1 212 155 0110',
    'Hal,212-55',
  ].join('\n')
  expect(await imported(await withDncList(), text, 'US')).toEqual({
    phones: ['+12125550107'],
    problems: { 'number-several': 3, 'number-extension': 1, 'number-possible': 2, 'number-region': 1 },
  })
  const fixes = { severalNumbers: 'use-first', extensions: 'leave-out', unknownNumbers: 'import' } as const
  const { phones } = await imported(await withDncList(), text, 'US', fixes)
  expect(phones).toEqual([
    '+12121550109',
    '+12121550110',
    '+12125550101',
    '+12125550103',
    '+12125550105',
    '+12125550107',
    '+12125550108',
  ])
})

test('never calls a cell clear that was rounded or holds several numbers, and blocks it by any of them', async () => {
  const rpc = await withDncList('+358401234567', '+12125550102', '+12125550106')
  const cells = [
    '358401234567.0',
    '+358401234567.00',
    '"358401234567,0"',
    '3.58401234567E+11',
    '212-555-0101 212-555-0102',
    '212-555-0105 ::: 212-555-0106',
    '212-555-0103 / 212-555-0104',
    '3.58401E+11',
    '212-555-0102 x5',
    '358405554433.0',
  ]
  const fileId = await upload(rpc, 'list.csv', ['phone;', ...cells.map((cell) => `${cell};`)].join('\n'))
  const source = { fileId, column: 0, headerRow: 1 }
  const { counts, files } = await checkList(rpc, { source, region: 'US', hasCountryCodes: true })
  expect(counts).toMatchObject({ rows: cells.length, clear: 1, blocked: 7, unparsable: 2 })
  const clear = await textOf(rpc, files!.clear)
  expect([...clear.matchAll(/"(\+\d+)"\r/g)].map(([, phone]) => phone)).toEqual(['+358405554433'])
  expect(await textOf(rpc, files!.unparsable)).toContain('a spreadsheet rounded it')
})

test('blocks a person by every number of the row, also by those that are listed later', async () => {
  const { rpc, service } = await openAtOttService({ dnc: ['+4915155510047', '+4915155510049'] })
  const text = [
    'name;mobile;other',
    'Ann;0151 99000005 / 0151 5551 0047;',
    'Ben;0151 99000006, 0151 99000007, 0151 5551 0049;',
    'Cal;0151 99000008;0151 5551 0047',
    'Dee;0151 99000009;0151 99000010 / 0151 99000011',
    'Eve;0151 99000012;n/a',
  ].join('\n')
  const fileId = await upload(rpc, 'list.csv', text)
  const { importId, choices } = await choicesFor(rpc, fileId, {
    columns: twoNumbers,
    defaultRegion: 'DE',
    severalNumbers: 'use-first',
  })
  const skipping = { ...choices, dncHits: 'skip' } as const
  expect((await rpc.imports.preview({ importId, choices: skipping })).counts).toMatchObject({
    new: 2,
    dnc: 3,
  })
  expect((await rpc.imports.preview({ importId, choices })).counts).toMatchObject({ new: 5, marked: 3 })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const listed = async () => (await allContacts(rpc)).filter(({ dnc }) => dnc).map(({ name }) => name)
  expect(await listed()).toEqual(['Ann', 'Ben', 'Cal'])

  // The list changes: each number of a row counts.
  service.dnc = ['+4915199000007', '+4915199000011']
  await syncDnc(rpc)
  expect(await listed()).toEqual(['Ben', 'Dee'])
  await rpc.contacts.push({ selection: everyone, uncheckedKnowingly: true })
  await outboxOver(rpc)
  expect(service.contacts.toSorted()).toEqual(['+4915199000005', '+4915199000008', '+4915199000012'])
})

test.each(['skip', 'update'] as const)(
  'marks a contact at once by a number that a row without changes brings (%s)',
  async (duplicatesInContacts) => {
    const rpc = await withDncList('+4915155510047')
    const contact = (name: string, phone: string) => rpc.contacts.create({ name, phone, email: '', tags: {} })
    await contact('Ann', '+4915199000005')
    const text = [
      'name;mobile;other',
      'Ann;0151 99000005;0151 5551 0047',
      'Bob;0151 99000006;0151 5551 0047',
      'Cal;0151 99000007;0151 99000008',
      'Cal;0151 99000007;0151 5551 0047',
    ].join('\n')
    await importFile(rpc, 'list.csv', text, { columns: twoNumbers, duplicatesInContacts })
    expect((await allContacts(rpc)).map(({ name, dnc }) => [name, dnc])).toEqual([
      ['Ann', true],
      ['Bob', true],
      ['Cal', true],
    ])
  },
)

test('keeps no numbers of rows that it skips', async () => {
  const rpc = await withDncList('+4915155510047')
  // Numbers of no test above: those of a deleted contact stay while it can be restored.
  const text = 'name;mobile;other\nBob;0151 99000016;0151 5551 0047\nCal;0151 99000017;0151 99000018'
  await importFile(rpc, 'list.csv', text, { columns: twoNumbers, dncHits: 'skip' })
  const bob = await rpc.contacts.create({ name: 'Bob', phone: '+4915199000016', email: '', tags: {} })
  expect(bob.contact.dnc).toBe(false)
})

test('holds a number itself that several people share beside their own, and not these people', async () => {
  const { rpc, service } = await openAtOttService()
  const company = '0151 5551 0099'
  const rows = [
    `Ann;0151 99000001;${company};nein`,
    `Ben;0151 99000002;${company};ja`,
    `Cal;0151 99000003;${company};ja`,
    // A second number that is theirs alone, also on another row.
    'Dee;0151 99000004;0151 5551 0004;nein',
    'Eve;0151 5551 0004;;ja',
    'Fay;0151 99000006;0151 5551 0006;nein',
    'Fay;0151 99000006;0151 5551 0006;ja',
    `Front desk;${company};;ja`,
  ]
  const { importId, choices } = await choicesFor(
    rpc,
    await upload(rpc, 'list.csv', ['name;mobile;company phone;Newsletter', ...rows].join('\n')),
  )
  const named = async (mark: 'held' | 'dnc') => {
    const marked = (await allContacts(rpc)).filter((contact) => contact[mark])
    return marked.map(({ name }) => name).toSorted()
  }
  const skipping = choices.columns.flatMap(({ to }, column) =>
    to === 'ignore' ? [{ column, action: 'skip' as const, no: ['nein'] }] : [],
  )
  const preview = (change: Partial<ImportChoices>) =>
    rpc.imports.preview({ importId, choices: { ...choices, ...change } })
  expect((await preview({ consent: skipping })).counts).toMatchObject({ new: 2, dnc: 5, duplicateInFile: 1 })
  expect((await preview({})).counts).toMatchObject({ new: 7, marked: 5, duplicateInFile: 1 })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  expect(await named('held')).toEqual(['Ann', 'Dee', 'Eve', 'Fay', 'Front desk'])
  await rpc.contacts.push({ selection: everyone, uncheckedKnowingly: true })
  await outboxOver(rpc)
  expect(service.contacts.toSorted()).toEqual(['+4915199000002', '+4915199000003'])

  // What the number itself says counts for all who have it.
  await rpc.dnc.hold({ phone: '+4915155510099', region: 'DE', evidence: 'Called and said stop' })
  await expect.poll(() => named('held')).toEqual(['Ann', 'Ben', 'Cal', 'Dee', 'Eve', 'Fay', 'Front desk'])
  service.dnc = ['+4915155510099']
  await syncDnc(rpc)
  expect(await named('dnc')).toEqual(['Ann', 'Ben', 'Cal', 'Front desk'])
})

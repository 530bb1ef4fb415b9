import { describe, expect, test } from 'vitest'
import { englishText } from '#electron/contract/phrases.ts'
import type { ImportChoices } from '#contract/people/imports.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { choicesFor, importFile, savedBy, upload } from '../../../../helpers/contact-files.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { shareSandbox, startInSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()

const begin = async (name: string, content: string, change: Partial<ImportChoices> = {}) =>
  choicesFor(shared.rpc, await upload(shared.rpc, name, content), change)

const rejectedOf = async (importId: string, rows: 'invalid' | 'all' = 'invalid') =>
  savedBy(shared.rpc, await shared.rpc.imports.exportRejected({ importId, rows }))

const list = (rpc: Rpc, filter = {}) =>
  rpc.contacts.list({ filter, sort: { by: 'phone', descending: false }, limit: 100 })

const file = [
  'Name;Telefon;E-Mail;tag.city;Bemerkung',
  'Ada;0171 2345678;ada@x.example;Köln;erste',
  'Ada again;+49 171 2345678;;;',
  '"Grace ""G""; Hopper";+14155550123;;New York;',
  'Nobody;12;;;',
  'Bad mail;+14155550124;nowhere;;',
  '=SUM(A1);+14155550125;;"a;b";"line one',
  'line two"',
].join('\r\n')

test('does exactly what the preview says, row by row', async () => {
  const { rpc } = shared
  await rpc.contacts.create({ name: 'There', phone: '+14155550123', email: '', tags: { a: '1' } })
  const { importId, choices } = await begin('people.csv', file, {
    duplicatesInContacts: 'update',
    extraTags: { source: 'fair' },
  })
  expect(choices.columns.map(({ to }) => to)).toEqual(['name', 'phone', 'email', 'tag', 'note'])
  const preview = await rpc.imports.preview({ importId, choices })
  expect(preview.counts).toEqual({
    rows: 6,
    new: 2,
    update: 1,
    unchanged: 0,
    duplicateInFile: 1,
    duplicateInContacts: 0,
    dnc: 0,
    invalid: 2,
    marked: 0,
    partial: 0,
    nameless: 0,
    problems: { 'number-region': 1, email: 1 },
  })
  const { taskId } = await rpc.imports.start({ importId, choices })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done', problem: null })
  const record = await rpc.imports.get({ importId })
  expect(record).toMatchObject({ state: 'done', counts: preview.counts, canUndo: true })
  const { items } = await list(rpc)
  expect(items.map(({ name, phone, tags }) => ({ name, phone, tags }))).toEqual([
    { name: 'Grace "G"; Hopper', phone: '+14155550123', tags: { a: '1', city: 'New York', source: 'fair' } },
    { name: '=SUM(A1)', phone: '+14155550125', tags: { city: 'a;b', source: 'fair' } },
    { name: 'Ada', phone: '+491712345678', tags: { city: 'Köln', source: 'fair' } },
  ])
  expect((await rpc.contacts.get({ id: items[1]!.id })).note).toBe('line one\r\nline two')

  const { items: rejected, total } = await rpc.imports.rejected({ importId, limit: 10 })
  expect(total).toBe(3)
  expect(rejected.map(({ rowNumber, line, outcome }) => [rowNumber, line, outcome])).toEqual([
    [2, 3, 'duplicate-in-file'],
    [4, 5, 'invalid'],
    [5, 6, 'invalid'],
  ])
})

test('guesses how numbers without a plus are read from the file, a list, or not at all', async () => {
  const { rpc } = shared
  const rows = ['Ada;0151 20007919', 'Bob;0151 20087109', 'Cy;+4915120087110', 'Di;0171 2345678', 'Ed;12']
  const fileId = await upload(rpc, 'people.csv', ['Name;Handy', ...rows].join('\n'))
  const guess = (source: Parameters<typeof rpc.imports.guessReading>[0]['source'], region = 'US') =>
    rpc.imports.guessReading({ source, region, usual: null })
  const german = { region: 'DE', hasCountryCodes: false }
  const found = { reading: german, choices: [], numbers: 3, valid: 3 }
  expect(await guess({ fileId, columns: [1] }, 'DE')).toEqual(found)
  const none = { reading: { region: 'US', hasCountryCodes: false }, choices: [], numbers: 0, valid: 0 }
  expect(await guess({ fileId, columns: [0] })).toEqual(none)
  const text = '0612345678\n0623456789\n0634567890'
  const { reading, choices } = await guess({ text })
  expect(reading).toBeNull()
  expect(choices.map(({ region }) => region)).toContain('FR')
  for (const { samples } of choices) expect(samples.map((one) => one.text)).toEqual(text.split('\n'))
})

test('judges an even sample of the whole file', async () => {
  const { rpc } = shared
  // The second half is long enough to show that the numbers are American.
  const rows = Array.from({ length: 12_000 }, (_, at) =>
    at < 2_000 ? `06123${String(45_000 + at)}` : `${String(212 + (at % 8) * 100)}4${String(550_000 + at)}`,
  )
  const fileId = await upload(rpc, 'people.csv', ['Phone', ...rows].join('\n'))
  const { numbers, choices } = await rpc.imports.guessReading({
    source: { fileId, columns: [0] },
    region: 'FR',
    usual: null,
  })
  expect(numbers).toBe(600)
  expect(choices.find(({ region }) => region === 'FR')?.valid ?? 0).toBeLessThan(200)
})

test('numbers rows as a spreadsheet does, everywhere', async () => {
  const { rpc } = shared
  const lines = ['Name;Telefon', '', 'Ada;0171 2345678', '"two', 'lines";12', '', 'Bad;0171"', '"x" y;13']
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'rows.csv', lines.join('\n')))
  const preview = await rpc.imports.preview({ importId, choices })
  const invalid = preview.samples.find(({ outcome }) => outcome === 'invalid')!.rows
  expect(invalid.map(({ rowNumber, sheetRow, line }) => [rowNumber, sheetRow, line])).toEqual([
    [2, 4, 4],
    [3, 6, 7],
    [4, 7, 8],
  ])
  const malformed = preview.problems.find(({ problem }) => problem === 'malformed')!.rows
  expect(malformed.map(({ sheetRow }) => sheetRow)).toEqual([7])
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const { items } = await rpc.imports.rejected({ importId })
  expect(items.map(({ sheetRow }) => sheetRow)).toEqual([4, 6, 7])
  const saved = await rejectedOf(importId)
  expect(saved.match(/^.*"(row|\d+)";"(outcome|invalid)"/gm)).toEqual([
    '\ufeff"Name";"Telefon";"row";"outcome"',
    'lines";"12";"4";"invalid"',
    '"Bad";"0171""";"6";"invalid"',
    '"x y";"13";"7";"invalid"',
  ])
  expect((await begin('again.csv', saved)).choices.columns).toEqual([
    { to: 'name' },
    { to: 'phone' },
    { to: 'ignore' },
    { to: 'ignore' },
    { to: 'ignore' },
  ])
})

describe('an unusable email or tags', () => {
  const table = [
    'Name;Telefon;E-Mail;Tags',
    'Ada;+4917123456701;foo@;city=Köln',
    'Bob;+4917123456702;;"vip; city=Bonn"',
    'Cy;+4917123456703;cy@x.example;"a, b"',
    'Di;+4917123456704;di@x;"=x; city=Ulm"',
    'Ed;+4917123456705;;"{""age"": 7, ""city"": ""Linz""}"',
    ';+4917123456706;;{no',
    ';+4917123456707;;',
  ].join('\n')
  const leftOut = { badEmails: 'leave-out', badTags: 'leave-out', tagCommas: 'leave-out' } as const
  const reasons = [
    'The email “foo@” is invalid.',
    'Commas between tags: “a, b”.',
    'The email “di@x” is invalid. The tag “=x” has no key.',
    'The tag “age” isn’t text: “7”.',
    '“{no” isn’t valid JSON.',
  ]

  test('reject the row with a reason that quotes them', async () => {
    const { rpc } = shared
    const { importId, choices } = await begin('bad.csv', table)
    const { counts, samples, problems } = await rpc.imports.preview({ importId, choices })
    expect(counts).toMatchObject({ rows: 7, new: 2, invalid: 5, partial: 0, nameless: 1 })
    expect(counts.problems).toEqual({ email: 2, 'tag-commas': 1, tags: 2 })
    expect(problems.map(({ problem, rows }) => [problem, rows.map(({ sheetRow }) => sheetRow)])).toEqual([
      ['email', [2, 5]],
      ['tag-commas', [4]],
      ['tags', [6, 7]],
    ])
    expect(
      samples.find(({ outcome }) => outcome === 'invalid')!.rows.map(({ reason }) => englishText(reason!)),
    ).toEqual(reasons)
  })

  test('can be skipped: the contact is imported and its row listed for repair', async () => {
    const { rpc } = shared
    const { importId, choices } = await begin('bad.csv', table, {
      ...leftOut,
    })
    const { counts } = await rpc.imports.preview({ importId, choices })
    expect(counts).toMatchObject({ rows: 7, new: 7, invalid: 0, partial: 5, nameless: 2 })
    await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
    expect((await rpc.imports.get({ importId })).counts).toEqual(counts)
    const { items, total } = await rpc.imports.rejected({ importId })
    expect(total).toBe(5)
    expect(items.map(({ reason }) => englishText(reason!))).toEqual(
      reasons.map((text) => `Imported in part: ${text}`),
    )
    const kept = (await list(rpc)).items.map(({ name, email, tags }) => [name, email, tags])
    expect(kept).toEqual([
      ['Ada', '', { city: 'Köln' }],
      ['Bob', '', { vip: '', city: 'Bonn' }],
      ['Cy', 'cy@x.example', {}],
      ['Di', '', { city: 'Ulm' }],
      ['Ed', '', { city: 'Linz' }],
      ['', '', {}],
      ['', '', {}],
    ])
  })

  test('have separate choices, and commas separate tags or belong to one', async () => {
    const { rpc } = shared
    const fileId = await upload(rpc, 'bad.csv', table)
    const outcome = async (change: Partial<ImportChoices>) => {
      const { importId, choices } = await choicesFor(rpc, fileId, change)
      const { counts } = await rpc.imports.preview({ importId, choices })
      return [counts.new, counts.invalid, counts.partial, counts.problems]
    }
    const rest = { 'tag-commas': 1, tags: 3 }
    expect(await outcome({ badEmails: 'leave-out' })).toEqual([3, 4, 1, { email: 1, ...rest }])
    const whole = { ...leftOut, tagCommas: 'split' } as const
    expect(await outcome(whole)).toEqual([7, 0, 4, { email: 2, ...rest }])
    const { record } = await importFile(rpc, 'bad.csv', table, whole)
    expect(record.counts.problems).toEqual({ email: 2, ...rest })
    expect((await list(rpc)).items.find(({ name }) => name === 'Cy')!.tags).toEqual({ a: '', b: '' })
    expect(await outcome({ ...whole, tagCommas: 'as-one' })).toEqual([0, 0, 0, { email: 2, ...rest }])
  })

  test('leave the stored values of an updated contact alone', async () => {
    const { rpc } = shared
    const eve = { name: 'Eve', phone: '+4917123456706', email: 'e@x.example', tags: { a: '1' } }
    await rpc.contacts.create(eve)
    const { importId, choices } = await begin('bad.csv', table, {
      ...leftOut,
      duplicatesInContacts: 'update',
    })
    const { counts } = await rpc.imports.preview({ importId, choices })
    expect(counts).toMatchObject({ new: 6, unchanged: 1, partial: 5, nameless: 1 })
  })
})

test.each([
  ['en', '"row";"outcome";"reason"', 'The email “nowhere” is invalid.'],
  ['es', '"fila";"resultado";"motivo"', 'El correo «nowhere» no es válido.'],
] as const)(
  'saves rejected rows as a table that imports once repaired (%s)',
  async (language, titles, reason) => {
    const { rpc } = shared
    await rpc.settings.setAppearance({ theme: 'system', density: 'compact', language })
    const csv = await rejectedOf((await importFile(rpc, 'people.csv', file)).importId, 'all')
    expect(csv.split('\r\n')[0]).toBe(`\ufeff"Name";"Telefon";"E-Mail";"tag.city";"Bemerkung";${titles}`)
    expect(csv).toContain(`"invalid";"${reason}"`)
    // The operator may have changed the language since.
    await rpc.settings.setAppearance({ theme: 'system', density: 'compact', language: 'en' })
    const fixed = csv.replace('"12"', '"+14155550126"').replace('"nowhere"', '""')
    const again = await begin('fixed.csv', fixed, { defaultRegion: 'US' })
    const preview = await rpc.imports.preview(again)
    expect(preview.counts).toMatchObject({ rows: 3, new: 2, duplicateInContacts: 1, invalid: 0 })
    // The new report replaces the old one.
    await taskEnd(rpc, (await rpc.imports.start(again)).taskId)
    expect((await rejectedOf(again.importId, 'all')).split('\r\n')[0]).toBe(
      '\ufeff"Name";"Telefon";"E-Mail";"tag.city";"Bemerkung";"row";"outcome";"reason"',
    )
  },
)

test('maps corrected rows as the import did whose rows they are, and the next file with these titles', async () => {
  const { rpc } = shared
  const table = 'Kunde;Ort;Rufnummer;Zweite\nAda;Köln;12;\nBob;Bonn;+4917123456702;\n'
  const columns: ImportChoices['columns'] = [
    { to: 'ignore' },
    { to: 'name' },
    { to: 'phone', rank: 2 },
    { to: 'phone', rank: 1 },
  ]
  const { importId } = await importFile(rpc, 'people.csv', table, { columns })
  // A later import of another file.
  const other = await importFile(rpc, 'others.csv', 'Nombre;Celular\nCy;+4917123456703\n')
  const ignored = [{ to: 'ignore' }, { to: 'ignore' }, { to: 'ignore' }]
  const fixed = (await rejectedOf(importId)).replace('"12"', '"13"')
  const again = await begin('rejected-people.csv', fixed)
  expect(again.choices.columns).toEqual([...columns, ...ignored])
  await taskEnd(rpc, (await rpc.imports.start(again)).taskId)
  const third = await begin('again.csv', await rejectedOf(again.importId))
  expect(third.choices.columns).toEqual([...columns, ...ignored])
  // The next file with these titles as well, unless the import was undone.
  const former = async (text: string) =>
    (await rpc.imports.inspect({ fileId: await upload(rpc, 'next.csv', text) })).former
  const next = 'Nombre;Celular\nDi;+4917123456704\n'
  expect(await former(next)).toEqual({
    columns: [{ to: 'name' }, { to: 'phone' }],
    reading: { region: 'DE', hasCountryCodes: false },
  })
  await taskEnd(rpc, (await rpc.imports.undo({ importId: other.importId })).taskId)
  expect(await former(next)).toBeNull()
})

test('saves only invalid rows unless all are requested', async () => {
  const { rpc } = shared
  const { importId } = await importFile(rpc, 'people.csv', file)
  const rows = (await rejectedOf(importId)).trimEnd().split('\r\n').slice(1)
  expect(rows.map((row) => row.split(';').at(-2))).toEqual(['"invalid"', '"invalid"'])
})

test('never updates a contact from a row rejected as a duplicate', async () => {
  const { rpc } = shared
  const table = 'Name;Telefon\nAda;+4917123456701\nSomebody Else;+4917123456701\n'
  const saved = await rejectedOf((await importFile(rpc, 'people.csv', table)).importId, 'all')
  const again = await begin('saved.csv', saved, { duplicatesInContacts: 'update' })
  const { counts } = await rpc.imports.preview(again)
  expect(counts).toMatchObject({ update: 0, duplicateInContacts: 1 })
  await taskEnd(rpc, (await rpc.imports.start(again)).taskId)
  expect((await list(rpc)).items.map(({ name }) => name)).toEqual(['Ada'])
  // With its own number it is a new contact.
  const fixed = saved.replace('+4917123456701', '+4917123456702')
  const once = await begin('fixed.csv', fixed, { duplicatesInContacts: 'update' })
  expect((await rpc.imports.preview(once)).counts).toMatchObject({ new: 1, update: 0 })
})

test('shows when an import started, not when its file was chosen', async () => {
  let aheadMs = 0
  const { rpc } = await startInSandbox({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } })
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', file))
  const chosenMs = Date.now()
  aheadMs = 3_600_000
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const { startedAt, endedAt } = await rpc.imports.get({ importId })
  expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(chosenMs + aheadMs)
  expect(Date.parse(endedAt!)).toBeGreaterThanOrEqual(Date.parse(startedAt))
})

test('lists unstored rows from any position and refuses an invalid one', async () => {
  const { rpc } = shared
  const { importId, choices } = await begin('people.csv', file)
  expect(await rpc.imports.rejected({ importId })).toEqual({ items: [], nextCursor: null, total: 0 })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const first = await rpc.imports.rejected({ importId, limit: 1 })
  expect(first).toMatchObject({ items: [{ rowNumber: 2 }], total: 3 })
  const second = await rpc.imports.rejected({ importId, limit: 1, cursor: first.nextCursor! })
  expect(second).toMatchObject({ items: [{ rowNumber: 4 }], total: 3 })
  const last = await rpc.imports.rejected({ importId, limit: 1, cursor: second.nextCursor! })
  expect(last).toMatchObject({ items: [{ rowNumber: 5 }], nextCursor: null, total: 3 })
  // A position inside a row means the next row; the end lists none.
  for (const [cursor, rows] of [
    ['1', [4, 5]],
    [String(Number(first.nextCursor) - 1), [4, 5]],
    ['999999999', []],
  ] as const)
    expect(
      (await rpc.imports.rejected({ importId, cursor })).items.map(({ rowNumber }) => rowNumber),
    ).toEqual(rows)
  for (const cursor of ['', '-1', '1.5', 'row 4', '9'.repeat(40)])
    await expect(rpc.imports.rejected({ importId, cursor })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await expect(rpc.imports.rejected({ importId: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('filters rows by reason, not by the text of their cells', async () => {
  const { rpc } = shared
  const rows = ['Name;Telefon;E-Mail', 'Ada;12;', 'Bad;+14155550124;nowhere', '"""problem"":""email""";34;']
  const { importId } = await importFile(rpc, 'people.csv', rows.join('\n'))
  const listed = (only: 'email' | 'number-region' | 'duplicate-in-file', cursor?: string) =>
    rpc.imports.rejected({ importId, only, limit: 1, ...(cursor === undefined ? {} : { cursor }) })
  expect(await listed('email')).toMatchObject({ items: [{ rowNumber: 2 }], total: 3 })
  const first = await listed('number-region')
  expect(first.items).toMatchObject([{ rowNumber: 1 }])
  expect((await listed('number-region', first.nextCursor!)).items).toMatchObject([{ rowNumber: 3 }])
  expect(await listed('duplicate-in-file')).toMatchObject({ items: [], nextCursor: null })
})

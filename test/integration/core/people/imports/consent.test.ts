import { expect, test } from 'vitest'
import {
  allContacts,
  choicesFor,
  everyone,
  importFile,
  textOf,
  upload,
} from '../../../../helpers/contact-files.ts'
import { checkList } from '../../../../helpers/dnc.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { shareSandbox, startInSandbox } from '../../../../helpers/test-core.ts'
import { outboxOver, taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()

type Consent = Awaited<ReturnType<RunningCore['rpc']['imports']['preview']>>['consent']

/** Columns about consent, each with its values in the words of `say`. */
const told = (consent: Consent, say: (value: Consent[number]['values'][number]) => string) =>
  consent.map(({ column, values }) => `${column}: ${values.map(say).join(', ')}`)

/** What an operator chooses who changes no value. */
const asShown = <Action extends 'hold' | 'skip'>(consent: Consent, action: Action) =>
  consent.map(({ column, values }) => ({
    column,
    action,
    no: values.flatMap(({ key, isNo }) => (isNo ? [key] : [])),
  }))

/** Bob refuses; Cid never agreed; Dee's second row says no; Eve is already a contact; Fay's answer is unclear. */
const file = [
  'Email,First Name,Last Name,Phone Number,Email Opt Out,SMS Consent,SMS Consent Timestamp,Unsubscribed',
  'ann@example.com,Ann,Sample,+12025550101,TRUE,SUBSCRIBED,2026-01-02T10:00:00Z,FALSE',
  'bob@example.com,Bob,Sample,+12025550102,,UNSUBSCRIBED,2026-02-02T10:00:00Z,FALSE',
  'cid@example.com,Cid,Sample,+12025550103,,NEVER_SUBSCRIBED,,FALSE',
  'dee@example.com,Dee,Sample,+12025550104,,SUBSCRIBED,,FALSE',
  'dee@example.com,Dee,Sample,+12025550104,,SUBSCRIBED,,TRUE',
  'eve@example.com,Eve,Sample,+12025550105,,UNSUBSCRIBED,,FALSE',
  'fay@example.com,Fay,Sample,+12025550106,,maybe,,FALSE',
].join('\r\n')

test('puts numbers on hold that a file says no to, before they can be sent to, and keeps the holds on undo', async () => {
  const { rpc } = await startInSandbox()
  await rpc.contacts.create({ name: 'Eve', phone: '+12025550105', email: '', tags: {} })
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', file), {
    defaultRegion: 'US',
  })
  const preview = await rpc.imports.preview({ importId, choices })
  expect(preview).toMatchObject({ toHold: 5, unreadRefusals: 0 })
  expect(told(preview.consent, ({ key, count, means }) => `${count} × ${key} (${means})`)).toEqual([
    '5: 3 × subscribed (yes), 2 × unsubscribed (no), 1 × never subscribed (never), 1 × maybe (unknown)',
    '7: 6 × false (yes), 1 × true (no)',
  ])
  expect(preview.counts).toMatchObject({ new: 5, marked: 4, duplicateInFile: 1, duplicateInContacts: 1 })

  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const record = await rpc.imports.get({ importId })
  expect(record).toMatchObject({ counts: preview.counts, held: 5 })
  const { items: holds } = await rpc.dnc.holds({ which: 'active' })
  expect(holds.map(({ number, source, evidence }) => [number, source, evidence]).sort()).toEqual([
    ['+12025550102', 'import', 'people.csv · SMS Consent: UNSUBSCRIBED'],
    ['+12025550103', 'import', 'people.csv · SMS Consent: NEVER_SUBSCRIBED'],
    ['+12025550104', 'import', 'people.csv · Unsubscribed: TRUE'],
    ['+12025550105', 'import', 'people.csv · SMS Consent: UNSUBSCRIBED'],
    ['+12025550106', 'import', 'people.csv · SMS Consent: maybe'],
  ])
  const clear = (await allContacts(rpc)).filter(({ held }) => !held)
  expect(clear.map(({ phone }) => phone)).toEqual(['+12025550101'])

  await rpc.contacts.push({ selection: everyone, uncheckedKnowingly: true })
  await outboxOver(rpc)
  const pushed = (await allContacts(rpc)).filter(({ state }) => state === 'service')
  expect(pushed.map(({ phone }) => phone)).toEqual(['+12025550101'])

  await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
  const { undoNote } = await rpc.imports.get({ importId })
  expect(JSON.stringify(undoNote)).toContain('"held":5')
  expect((await rpc.dnc.holds({ which: 'active' })).total).toBe(5)
})

test.each(['keep-first', 'keep-last'] as const)(
  'skips numbers that say no on any row, or ignores the column (%s)',
  async (duplicatesInFile) => {
    const { rpc } = shared
    const skipped = await importFile(rpc, 'people.csv', file, {
      duplicatesInFile,
      consent: [
        { column: 5, action: 'skip', no: ['unsubscribed', 'maybe'] },
        { column: 7, action: 'skip', no: ['true'] },
      ],
    })
    expect(skipped.record).toMatchObject({ held: 0, counts: { new: 2, dnc: 4, duplicateInFile: 1 } })
    expect((await allContacts(rpc)).map(({ phone }) => phone)).toEqual(['+12025550101', '+12025550103'])
    const ignored = await importFile(rpc, 'people.csv', file, {
      duplicatesInFile,
      consent: [
        { column: 5, action: 'ignore', no: [] },
        { column: 7, action: 'ignore', no: [] },
      ],
    })
    expect(ignored.record).toMatchObject({ held: 0, counts: { new: 4 } })
    expect((await rpc.dnc.holds({ which: 'active' })).total).toBe(0)
  },
)

test('uses the first readable number and email of a row, and tells when another column was used', async () => {
  const { rpc } = shared
  const lines = [
    'Name,Mobile,Phone,Phone,E-mail 1,E-mail 2',
    'Ann,n/a,,+12025550101,nowhere,ann@example.com',
    'Bob,+12025550102,+12025550199,,bob@example.com,',
    'Cid,,,+12025550103,,cid@example.com',
  ]
  const { choices, record } = await importFile(rpc, 'people.csv', lines.join('\n'))
  expect(record.counts).toMatchObject({
    new: 3,
    problems: { 'number-next-column': 1, 'email-next-column': 1 },
  })
  expect((await allContacts(rpc)).map(({ name, phone, email }) => [name, phone, email])).toEqual([
    ['Ann', '+12025550101', 'ann@example.com'],
    ['Bob', '+12025550102', 'bob@example.com'],
    ['Cid', '+12025550103', 'cid@example.com'],
  ])
  expect(choices.columns.filter(({ to }) => to === 'phone')).toHaveLength(3)
})

test('holds every number of a row that says no, also if the row is not imported', async () => {
  const { rpc } = shared
  const phones = ['01', '02', '03', '04', '05'].map((end) => `+120255501${end}`)
  for (const phone of phones) await rpc.contacts.create({ name: '', phone, email: '', tags: {} })
  await importFile(
    rpc,
    'people.csv',
    [
      'Name,Phone 1 - Value,Phone 2 - Value,Unsubscribed',
      'Ann,+1 202 555 0101 ::: +1 202 555 0102,,yes',
      'Bob,+1 202 555 0103,+1 202 555 0104,yes',
      'Cid,+1 202 555 0105 x12,,yes',
      'Dee,+1 202 555 0106,,no',
    ].join('\n'),
    { defaultRegion: 'US' },
  )
  const held = (await allContacts(rpc)).filter((contact) => contact.held).map(({ phone }) => phone)
  expect(held.sort()).toEqual(phones)
})

test.each([
  ['SMS', 'Yes', 'No', [false, true, false]],
  ['Texting OK', 'Y', 'N', [false, true, false]],
  ['Text reminders', 'Y', 'N', [false, true, false]],
  ['SMS配信', '可', '不可', [false, true, false]],
  ['SMS配信', '希望する', '希望しない', [false, true, false], '検討中'],
  ['是否接收短信', '是', '否', [false, true, false]],
  ['SMS', '✔', '✖', [false, true, false]],
  ['Promo SMS', 'Subscribed', 'Cancelled', [false, true, false]],
  ['SMS', 'Delivered', 'Failed', [false, false, false]],
  ['SMS sent', 'Yes', 'No', [false, false, false]],
  ['SMS status', 'sent', 'opted out', [false, true, false]],
  // As an export of contacts has it.
  ['held', 'no', 'yes', [false, true, false]],
  ['SMS consent', 'x', 'No', [false, true, true]],
  // Beside another yes, an x may be a cross.
  ['SMS consent', 'Yes', 'x', [false, true, true]],
  ['SMS', 'Hello', 'No', [false, false, false]],
] as const)(
  'holds those with a no under “%s”, beside “%s”: %s',
  async (title, yes, no, held, other: string = '') => {
    const { rpc } = shared
    const lines = [
      `Name,Phone,${title}`,
      `Ann,+12025550101,${yes}`,
      `Bob,+12025550102,${no}`,
      `Cid,+12025550103,${other}`,
    ]
    const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', lines.join('\n')))
    const { consent } = await rpc.imports.preview({ importId, choices })
    const decided = { ...choices, consent: asShown(consent, 'hold') }
    await taskEnd(rpc, (await rpc.imports.start({ importId, choices: decided })).taskId)
    expect((await allContacts(rpc)).map((contact) => contact.held)).toEqual(held)
  },
)

test('puts stored contacts on hold by a file that brings no new ones', async () => {
  const { rpc } = shared
  await rpc.contacts.create({ name: 'Eve', phone: '+12025550105', email: '', tags: {} })
  const known = 'Name,Phone,Unsubscribed\nEve,+12025550105,yes\n'
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'known.csv', known), {
    defaultRegion: 'US',
  })
  expect(await rpc.imports.preview({ importId, choices })).toMatchObject({
    counts: { new: 0, duplicateInContacts: 1 },
    toHold: 1,
    heldBefore: 0,
  })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  expect(await rpc.imports.get({ importId })).toMatchObject({ held: 1 })
  expect((await allContacts(rpc)).map(({ held }) => held)).toEqual([true])
  expect(await rpc.imports.preview({ importId, choices })).toMatchObject({ toHold: 0, heldBefore: 1 })
})

test('reads only a yes as one after more values than are listed', async () => {
  const { rpc } = shared
  const lines = Array.from({ length: 120 }, (_, at) => `P,+1202555${1_000 + at},said in call ${at}`)
  const { record } = await importFile(
    rpc,
    'people.csv',
    ['Name,Phone,SMS Consent', ...lines, 'Yan,+12025550198,yes', 'Zoe,+12025550199,UNSUBSCRIBED'].join('\n'),
    { defaultRegion: 'US', consent: [{ column: 2, action: 'skip', no: [] }] },
  )
  expect(record.counts).toMatchObject({ new: 101, dnc: 21 })
})

test('counts no closing line, sum or repeated header among the values', async () => {
  const { rpc } = shared
  const header = 'Name,Phone,SMS Consent,Do not text'
  const lines = [
    header,
    'Ann,+12025550101,yes,',
    header,
    'Bob,+12025550102,no,x',
    'Total,,2,1',
    'Итого,,2,1',
    'Exported by the shop',
  ]
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', lines.join('\n')))
  const { consent, counts } = await rpc.imports.preview({ importId, choices })
  expect(told(consent, ({ key, count }) => `${count} × “${key}”`)).toEqual([
    '2: 1 × “yes”, 1 × “no”',
    '3: 1 × “”, 1 × “x”',
  ])
  expect(counts.problems).toEqual({ 'not-a-contact': 4 })
})

test('offers a column by its values, with or without a title, and nothing that is not about consent', async () => {
  const { rpc } = shared
  const lines = [
    'Name,Phone,Zustand,E-mail type,VIP,Active,SMS Consent',
    'Ann,+12025550101,Kunde,html,ja,no,',
    'Bob,+12025550102,abgemeldet,text,nein,yes,',
    'Cid,+12025550103,STOP,,nein,no,',
  ]
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', lines.join('\n')))
  const { consent, toHold } = await rpc.imports.preview({ importId, choices })
  expect(told(consent, ({ key, count, isNo }) => `${count} × ${key}${isNo ? ' (no)' : ''}`)).toEqual([
    '2: 1 × …kunde, 1 × abgemeldet (no), 1 × stop (no)',
  ])
  expect(toHold).toBe(2)
  const { record } = await importFile(rpc, 'untitled.csv', lines.slice(1).join('\n'), {
    consent: asShown(consent, 'hold'),
  })
  expect(record).toMatchObject({ held: 2, counts: { new: 3, marked: 2 } })
})

test('holds a person by one of many tags, by a sentence of a note, or by words in the name', async () => {
  const { rpc } = shared
  const text = [
    'Name,Phone,Tags,Notes',
    'Ann,+12025550101,"vip, unsubscribed",',
    'Bob,+12025550102,sms-opt-out|summer,',
    'Cid,+12025550103,"[""vip"", ""Do not text""]",',
    'Dee,+12025550104,email-unsubscribed,',
    'Eve,+12025550105,,Called on Monday. Do not contact!',
    'Fay,+12025550106,,Lives at the bus stop',
    'Gil (DO NOT CONTACT),+12025550107,,',
    ...Array.from(
      { length: 1_000 },
      (_, at) => `P${at},+1202555${1000 + at},vip;list-${at},Called ${at} times`,
    ),
    "Hal,+12025550108,,Please don't text",
    'Ida,+12025550109,,Called 7 times',
  ].join('\n')
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', text), {
    defaultRegion: 'US',
    tagCommas: 'split',
  })
  const { consent, toHold } = await rpc.imports.preview({ importId, choices })
  expect(toHold).toBe(6)
  const refusing = consent.map(({ column, values }) => ({
    column,
    no: values.flatMap(({ value, means }) => (means === 'no' ? [value] : [])),
    unlisted: values.find(({ key }) => key === '…')?.count,
  }))
  // 900 other texts are listed, each once.
  expect(refusing).toEqual([
    { column: 0, no: ['do not contact'], unlisted: 1_008 },
    { column: 2, no: ['unsubscribed', 'sms-opt-out', 'Do not text'], unlisted: 105 },
    { column: 3, no: ['Do not contact', "Please don't text"], unlisted: 103 },
  ])
  const notes = consent[2]!.values
  const called = notes.find(({ value }) => value === 'Called 7 times')!
  expect(called).toMatchObject({ count: 2, means: 'unknown', isNo: false })
  const decided = { column: 3, action: 'hold' as const, no: [called.key] }
  expect(await rpc.imports.preview({ importId, choices: { ...choices, consent: [decided] } })).toMatchObject({
    toHold: 6,
  })
})

test('reads a consent from the label that each row gives its field', async () => {
  const { rpc } = shared
  const lines = [
    'Name,Phone 1 - Label,Phone 1 - Value,Custom Field 1 - Label,Custom Field 1 - Value,Custom Field 2 - Label,Custom Field 2 - Value',
    'Ann,Mobile,+12025550101,Newsletter,ja,Birthday,no',
    'Bob,Mobile,+12025550102,Newsletter,nein,,',
    'Cid,Mobile,+12025550103,Birthday,no,SMS opt-out,yes',
    'Dee,Mobile,+12025550104,SMS opt-out,no,Unsubscribed,no',
    'Eve,Mobile,+12025550105,Email consent,no,Birthday,1990-01-02',
    'Fay,Newsletter,+12025550106,Remark,abgemeldet,,',
    'Gil,Mobile,+12025550107,SMS,no,,',
    'Hal,Mobile,+12025550108,SMS,+12025550109,,',
  ]
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'google.csv', lines.join('\n')))
  const { consent } = await rpc.imports.preview({ importId, choices })
  expect(told(consent, ({ value, isNo }) => `${value}${isNo ? ' (no)' : ''}`)).toEqual([
    '4: Newsletter: ja, Newsletter: nein (no), SMS opt-out: no, abgemeldet (no), SMS: no (no)',
    '6: SMS opt-out: yes (no), Unsubscribed: no',
  ])
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const held = (await allContacts(rpc)).filter((contact) => contact.held)
  expect(held.map(({ name }) => name)).toEqual(['Bob', 'Cid', 'Fay', 'Gil'])
})

test('names an empty cell as the reason of a hold', async () => {
  const { rpc } = shared
  const phone = '+12025550108'
  await importFile(rpc, 'people.csv', `name,phone,Opted in\nAnn,${phone},\nBob,+12025550109,yes`, {
    consent: [{ column: 2, action: 'hold', no: [''] }],
  })
  const { items } = await rpc.dnc.holds({ which: 'active' })
  expect(items.find(({ number }) => number === phone)?.evidence).toBe('people.csv · Opted in: (empty)')
})

test('says how many rows say no beside a number that can’t be read', async () => {
  const { rpc } = shared
  const lines = [
    'Name,Phone,SMS consent',
    'Ann,+12025550101,no',
    'Bob,12,no',
    'Cid,none,no',
    'Dee,,no',
    'Eve,34,yes',
    'Fay,0044 7700 900123,no',
  ]
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', lines.join('\n')), {
    defaultRegion: 'US',
  })
  expect(await rpc.imports.preview({ importId, choices })).toMatchObject({ toHold: 2, unreadRefusals: 2 })
})

test('holds by email who refuses on a row without a number: in the file and among the contacts', async () => {
  const { rpc } = shared
  const stored = '+12025550171'
  await rpc.contacts.create({ name: 'Gus', phone: stored, email: 'Gus@example.com', tags: {} })
  const lines = [
    'Name,Phone,Email,SMS consent',
    'Ann,+12025550172,ann@example.com,yes',
    'Bob,,bob@example.com,no',
    'Bob,+12025550173,BOB@example.com,yes',
    'Cid,,ann@example.com,',
    'Gus,,gus@example.com,no',
  ]
  const { record } = await importFile(rpc, 'people.csv', lines.join('\n'))
  expect(record).toMatchObject({ held: 2, counts: { new: 2, marked: 1 } })
  const { items } = await rpc.dnc.holds({ which: 'active' })
  expect(items.find(({ number }) => number === stored)?.evidence).toBe('people.csv · SMS consent: no')
})

test.each([
  ['people.csv', 'Name,Phone,SMS consent', ['Ann,1,yes', 'Bob,2,no'], '2', 'SMS consent: no'],
  [
    'people.csv',
    'Name,Phone,Phone 2,Do not text',
    ['Ann,1,,', 'Bob,3,2,x', 'Cid,2,,'],
    '2 3',
    'Do not text: x',
  ],
  [
    'people.csv',
    'Name,Phone,Tags',
    ['Ann,1,vip', 'Bob,2,"vip, unsubscribed"'],
    '2',
    'Tags: vip, unsubscribed',
  ],
  ['people.csv', 'Name,Phone,Notes', ['Ann,1,', 'Bob,2,Do not call!'], '2', 'Notes: Do not call!'],
  ['people.csv', 'Name,Phone,Notes', ['Ann,1,', 'Bob,2,not by text'], '2', 'Notes: not by text'],
  ['people.csv', 'Name,Phone,Mailing', ['Ann,1,Y', 'Bob,2,N'], '2', 'Mailing: N'],
  [
    'people.csv',
    'Name,Phone',
    ['Ann,1 (mobile)', 'Bob,2 (no texts/calls)'],
    '2',
    'Phone: +12025550102 (no texts/calls)',
  ],
  [
    'people.csv',
    'Name,Phone,Zustand',
    ['Bob,2,DO NOT TEXT', ...Array.from({ length: 101 }, (_, at) => `Ann,1,Kunde ${at}`)],
    '2',
    'Zustand: DO NOT TEXT',
  ],
  ['Unsubscribed.csv', 'Name,Phone', ['Ann,1', 'Bob,2'], '1 2', 'named or titled like a list of refusals'],
])(
  'holds in an import, and blocks in a check, the same numbers of %s with “%s”',
  async (name, header, rows, refused, why) => {
    const { rpc } = shared
    const lines = rows.map((row) => row.replace(/,(\d)/g, ',+1202555010$1'))
    const text = [header, ...lines].join('\n')
    const fileId = await upload(rpc, name, text)
    const { phoneColumn: column, headerRow } = await rpc.dnc.inspectFile({ fileId })
    const { importId, choices } = await choicesFor(rpc, fileId)
    const { consent } = await rpc.imports.preview({ importId, choices })
    const source = { fileId, column, headerRow, consent: asShown(consent, 'skip') }
    const { counts, files } = await checkList(rpc, { name, source })
    await importFile(rpc, name, text, { consent: asShown(consent, 'hold') })
    const { items: holds } = await rpc.dnc.holds({ which: 'active' })
    const phones = refused.split(' ').map((end) => `+1202555010${end}`)
    expect(holds.map(({ number }) => number).sort()).toEqual(phones)
    const blocked = lines.filter((line) => phones.some((phone) => line.includes(phone)))
    expect(counts).toMatchObject({ rows: rows.length, blocked: blocked.length, refused: blocked.length })
    expect(await textOf(rpc, files!.blocked)).toContain(`,"${why}","","file"`)
    expect(holds[0]!.evidence).toBe(`${name} · ${why}`)
  },
)

test('asks about the yes of a row in a file named like refusals, and holds it until decided', async () => {
  const { rpc } = shared
  const rows = ['Ann,+12025550101,UNSUBSCRIBED', 'Bob,+12025550102,SUBSCRIBED', 'Cid,+12025550103,']
  const text = ['Name,Phone,Subscription state', ...rows].join('\n')
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'optouts.csv', text))
  const { consent, toHold } = await rpc.imports.preview({ importId, choices })
  const [no, yes] = ['optouts.csv', 'optouts.csv, Subscription state: SUBSCRIBED']
  const values = consent.find(({ column }) => column === 3)!.values
  expect(values).toMatchObject([
    { value: no, count: 2, means: 'no', isNo: true },
    { value: yes, count: 1, means: 'unknown', isNo: true },
  ])
  expect(toHold).toBe(3)
  const decided = asShown(consent, 'hold').map((one) =>
    one.column === 3 ? { ...one, no: [values[0]!.key] } : one,
  )
  await importFile(rpc, 'optouts.csv', text, { consent: decided })
  const { items } = await rpc.dnc.holds({ which: 'active' })
  expect(items.map(({ number }) => number).sort()).toEqual(['+12025550101', '+12025550103'])
})

test('blocks in a check what you decide', async () => {
  const { rpc } = shared
  const text = 'Name,Phone,SMS consent\nAnn,+12025550101,perhaps\nBob,+12025550102,no\n'
  const fileId = await upload(rpc, 'people.csv', text)
  const source = { fileId, column: 1, headerRow: 1 }
  const refused = async (consent: { column: number; action: 'skip' | 'ignore'; no: string[] }[]) =>
    (await checkList(rpc, { source: { ...source, consent } })).counts.refused
  expect(await refused([])).toBe(2)
  expect(await refused([{ column: 2, action: 'skip', no: ['no'] }])).toBe(1)
  expect(await refused([{ column: 2, action: 'ignore', no: [] }])).toBe(0)
})

test('imports and checks nobody while notes that may refuse are undecided beside a refusal', async () => {
  const { rpc } = shared
  const text = 'Name,Phone,Notes\nAnn,+12025550101,Call me maybe\nBob,+12025550102,Do not call\n'
  const code = 'CONSENT_UNDECIDED'
  const consent = [{ column: 2, action: 'skip' as const, no: ['do not call'] }]
  const runs = async (decided: typeof consent) => {
    const { record } = await importFile(rpc, 'people.csv', text, { consent: decided })
    const source = {
      fileId: await upload(rpc, 'people.csv', text),
      column: 1,
      headerRow: 1,
      consent: decided,
    }
    return [record, await checkList(rpc, { source })]
  }
  expect(await runs([])).toMatchObject([
    { state: 'failed', held: 0, counts: { new: 0 }, problem: { code } },
    { state: 'failed', files: null, problem: { code } },
  ])
  expect(await runs(consent)).toMatchObject([
    { state: 'done', counts: { new: 1 } },
    { state: 'done', counts: { refused: 1 } },
  ])
})

test.each([
  ['DO NOT CALL LIST,', ['DO NOT CALL LIST']],
  ['Report of 1 May,\nOpted-out contacts,3', ['Opted-out contacts']],
  ['red = do not call,', []],
  ['Customers without opt-outs,', []],
  // The mark of a workbook's sheets of refusals is above each row of titles.
  ['Sheet “Bajas”,,,Do not call list', ['Do not call list'], 'Sheet “Bajas”,'],
])('asks about a table below “%s”', async (above, asked, mark = '') => {
  const { rpc } = shared
  const first = mark && ','
  const rows = `${above}\n${mark}name,phone,\n${first}Ann,+12025550101,\n${first}Bob,+12025550102,\n`
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', rows))
  const { consent } = await rpc.imports.preview({ importId, choices })
  expect(consent.flatMap(({ values }) => values.map(({ value }) => value))).toEqual(asked)
})

test.each([
  ['', 'Bob Cid'],
  // An empty column, and the mark of a workbook's sheets of refusals.
  [',', 'Bob Cid'],
  ['Sheet “Opted out”,', 'Ben Bob Cid'],
])(
  'holds the numbers below a heading of refusals within a table that begins “%sname”',
  async (first, names) => {
    const { rpc } = shared
    const rows = [
      'name,phone',
      'Ann,+12025550101',
      ',Unsubscribed',
      'Ben,+12025550105',
      'Do not call:,',
      'name,phone',
      'Bob,+12025550102',
      'Just a name,',
      'Cid,+12025550103',
      '',
      'Others,',
      'Dee,+12025550104',
    ]
    const lines = rows.map((row, at) => (row === '' ? '' : `${at === 0 ? first : first && ','}${row}`))
    if (names.startsWith('Ben')) lines[3] = `Do not contact (Opted out)${lines[3]}`
    await importFile(rpc, 'people.csv', lines.join('\n'))
    const held = (await allContacts(rpc)).filter((contact) => contact.held)
    expect(held.map(({ name }) => name).sort()).toEqual(names.split(' '))
    const { items: holds } = await rpc.dnc.holds({ which: 'active' })
    expect(holds.find(({ number }) => number?.endsWith('02'))!.evidence).toBe(
      'people.csv · below “Do not call:”',
    )
  },
)

test('holds each number whose name refuses, in as many wordings as there are', async () => {
  const { rpc } = shared
  const rows = Array.from({ length: 150 }, (_, at) => `DO NOT CALL - Person ${at},+1202555${1000 + at}`)
  const { record } = await importFile(rpc, 'people.csv', ['name,phone', ...rows].join('\n'))
  expect(record.held).toBe(150)
})

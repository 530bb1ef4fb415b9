import { expect, test } from 'vitest'
import type { ImportChoices } from '#contract/people/imports.ts'
import { dryRun } from '../../../../helpers/bulk-sends.ts'
import {
  allContacts,
  choicesFor,
  everyone,
  importFile,
  savedBy,
  upload,
} from '../../../../helpers/contact-files.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { shareSandbox, startInSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()
const update = { duplicatesInContacts: 'update' } as const satisfies Partial<ImportChoices>

/** Name, first and last name of every contact, by number. */
async function names(rpc: Rpc): Promise<string[][]> {
  const details = (await allContacts(rpc)).map(({ id }) => rpc.contacts.get({ id }))
  return (await Promise.all(details)).map(({ contact, firstName, lastName }) => [
    contact.name,
    firstName,
    lastName,
  ])
}

const [ann, bob, cy] = ['+4917123456701', '+4917123456702', '+4917123456703'] as const

test('sends to imported contacts by their first name, and skips those without one', async () => {
  const { rpc } = shared
  const file = `Nachname;Vorname;Handy\nTest0;Anna;${ann}\nMeier;;${bob}\n`
  const { choices } = await importFile(rpc, 'people.csv', file)
  expect(choices.columns.map(({ to }) => to)).toEqual(['last-name', 'first-name', 'phone'])
  await rpc.contacts.create({ name: 'Cy Young', phone: cy, email: '', tags: {} })
  expect(await names(rpc)).toEqual([
    ['Anna Test0', 'Anna', 'Test0'],
    ['Meier', '', 'Meier'],
    ['Cy Young', '', ''],
  ])
  const variables = ['first', 'last'].map((name) => ({ name, type: 'string' as const }))
  const { key } = await rpc.templates.create({ name: 'Hi', body: 'Hi {{first}} {{last}}', variables })
  const plan = async (first: 'first-name' | 'empty') => {
    const mapping = [
      { name: 'first', source: { from: first } },
      { name: 'last', source: { from: 'last-name' as const } },
    ]
    const { first: planned, leftOut } = await dryRun(rpc, { key, source: { contacts: everyone }, mapping })
    return [
      ...planned.map(({ phone, values }) => [phone, ...values.map(({ value }) => value)]),
      ...leftOut.map(({ phone, leftOut: why }) => [phone, why]),
    ]
  }
  expect(await plan('first-name')).toEqual([
    [ann, 'Anna', 'Test0'],
    [bob, 'missing-value'],
    [cy, 'missing-value'],
  ])
  expect(await plan('empty')).toEqual([
    [ann, '', 'Test0'],
    [bob, '', 'Meier'],
    [cy, 'missing-value'],
  ])
})

test('reads first and last names in one cell if its title says which comes first', async () => {
  const { rpc } = await startInSandbox()
  const cells = [
    ['Dubois, Chloé', 'Chloé Dubois', 'Chloé', 'Dubois'],
    ['van der Berg, Jan', 'Jan van der Berg', 'Jan', 'van der Berg'],
    ['Müller, Dr. Hans-Peter', 'Dr. Hans-Peter Müller', 'Hans-Peter', 'Müller'],
    ['Sa, Maria', 'Maria Sa', 'Maria', 'Sa'],
    ['Acme, Inc.', 'Acme, Inc.', '', ''],
    ['Smith, Jones & Co', 'Smith, Jones & Co', '', ''],
    ['Kowalski, Nowak GmbH', 'Kowalski, Nowak GmbH', '', ''],
    ['Roe, Jr.', 'Roe, Jr.', '', ''],
    ['Poe, Ann, Ulm', 'Poe, Ann, Ulm', '', ''],
    ['Cher', 'Cher', '', ''],
  ]
  const rows = cells.map(([cell], at) => `${cell};+491712345670${at}`)
  await importFile(rpc, 'people.csv', ['Nachname, Vorname;Handy', ...rows].join('\n'))
  expect((await names(rpc)).sort()).toEqual(cells.map(([, ...parts]) => parts).sort())
})

test.each([
  [
    'Nombre,Apellido Paterno,Apellido Materno',
    'María José,Núñez,Peña',
    ['María José Núñez Peña', 'María José', 'Núñez Peña'],
  ],
  [
    'Segundo apellido,Primer apellido,Nombre',
    'García,García,Ana',
    ['Ana García García', 'Ana', 'García García'],
  ],
  ['Primer nombre,Segundo nombre,Sobrenome', 'Ana,Luz,Sol', ['Ana Luz Sol', 'Ana Luz', 'Sol']],
  ['Nombre,Segundo nombre,Apellidos', 'Ana,Luz,Sol', ['Ana Luz Sol', 'Ana Luz', 'Sol']],
  ['First name,Last name,Family name', 'Ann,Roe,Roe', ['Ann Roe', 'Ann', 'Roe']],
  [
    'Nombre,Apellidos,Primer apellido,Segundo apellido',
    'Ana,Sol Roe,Sol,Roe',
    ['Ana Sol Roe', 'Ana', 'Sol Roe'],
  ],
  ['First name,Last name (Billing),Last name (Shipping)', 'Ann,Roe,Poe', ['Ann Roe', 'Ann', 'Roe']],
  ['First name,Last name (Billing),Last name (Shipping)', 'Ann,,Poe', ['Ann Poe', 'Ann', 'Poe']],
])('stores and previews the name of %s: %s', async (titles, row, expected) => {
  const { rpc } = shared
  const order = await choicesFor(rpc, await upload(rpc, 'people.csv', `${titles},Celular\n${row},${ann}\n`))
  const preview = await rpc.imports.preview(order)
  await taskEnd(rpc, (await rpc.imports.start(order)).taskId)
  expect(await names(rpc)).toEqual([expected])
  expect(preview.samples.map(({ rows }) => rows.map(({ name }) => name))).toEqual([[expected[0]]])
})

test('learns first and last names of contacts, and forgets them with another name', async () => {
  const { rpc } = shared
  await rpc.contacts.create({ name: 'Anna Test0', phone: ann, email: '', tags: {} })
  const parts = await importFile(rpc, 'parts.csv', `First name;Last name;Mobile\nAnna;Test0;${ann}\n`, update)
  expect(parts.record.counts).toMatchObject({ update: 1 })
  expect(await names(rpc)).toEqual([['Anna Test0', 'Anna', 'Test0']])
  const same = await importFile(rpc, 'same.csv', `Name;Mobile\nAnna Test0;${ann}\n`, update)
  expect(same.record.counts).toMatchObject({ unchanged: 1 })
  const other = await importFile(rpc, 'other.csv', `Name;Mobile\nBerta Test0;${ann}\n`, update)
  expect(await names(rpc)).toEqual([['Berta Test0', '', '']])
  await taskEnd(rpc, (await rpc.imports.undo({ importId: other.importId })).taskId)
  expect(await names(rpc)).toEqual([['Anna Test0', 'Anna', 'Test0']])
})

test('keeps a changed first name on this computer: the service need not get it', async () => {
  const { rpc } = await startInSandbox()
  const { contact } = await rpc.contacts.create({
    name: 'Anna',
    phone: ann,
    email: '',
    tags: {},
    serviceId: 'c-1',
  })
  const draft = { name: 'Anna', firstName: 'Anna', lastName: '', phone: ann, email: '', tags: {} }
  const edited = await rpc.contacts.update({ id: contact.id, draft })
  expect(edited).toMatchObject({ firstName: 'Anna', contact: { state: 'service', changedHere: false } })
  expect((await rpc.outbox.list({ filter: {} })).total).toBe(0)
  const file = `First name;Last name;Name;Mobile\nAnna;Meier;Anna;${ann}\n`
  await importFile(rpc, 'parts.csv', file, update)
  expect(await names(rpc)).toEqual([['Anna', 'Anna', 'Meier']])
  expect((await rpc.contacts.get({ id: contact.id })).contact.changedHere).toBe(false)
})

test('reads an export back with whole, first and last names', async () => {
  const { rpc } = shared
  const file = `Vorname;Nachname;Handy\nAnna;Test0;${ann}\n;Meier;${bob}\n`
  await importFile(rpc, 'people.csv', file)
  await rpc.contacts.create({ name: 'Cy Young', phone: cy, email: '', tags: {} })
  const before = await names(rpc)
  const order = { selection: everyone, tagColumns: false }
  const columns = ['name', 'first_name', 'last_name', 'phone'] as const
  const csv = await savedBy(rpc, await rpc.contacts.export({ ...order, columns: [...columns] }))
  await rpc.contacts.delete({ selection: everyone })
  expect(await names(rpc)).toEqual([])
  await importFile(rpc, 'contacts.csv', csv)
  expect(await names(rpc)).toEqual(before)
})

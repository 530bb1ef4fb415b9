import { expect, test } from 'vitest'
import { importFile } from '../../../../helpers/contact-files.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'

const byName = { by: 'name', descending: false } as const
const names = [
  'O’Brien Pat',
  'Zoë Smith-Jones',
  'Ann Lee–Park',
  'كريم علي',
  'Österreicher Max',
  'Dele\u200bted Mark',
]

test.each([
  ["o'brien", 'O’Brien Pat'],
  ['O´Brien', 'O’Brien Pat'],
  ['zoe smith jones', 'Zoë Smith-Jones'],
  ['Smith‐Jones', 'Zoë Smith-Jones'],
  ['lee-park', 'Ann Lee–Park'],
  ['کریم', 'كريم علي'],
  ['علی', 'كريم علي'],
  ['osterreicher', 'Österreicher Max'],
  ['deleted', 'Dele\u200bted Mark'],
])('finds a contact by %j', async (text, found) => {
  const { rpc } = await startInSandbox()
  const rows = names.map((name, at) => `${name},+1202555030${at}`)
  await importFile(rpc, 'names.csv', ['Name,Phone', ...rows].join('\n'))
  const { items } = await rpc.contacts.list({ filter: { text }, sort: byName, limit: 10 })
  expect(items.map(({ name }) => name)).toEqual([found])
})

test('finds templates and requests without their accents', async () => {
  const { rpc } = await startInSandbox()
  await rpc.templates.create({ name: 'Österreich', body: 'Grüße', variables: [] })
  for (const text of ['österreich', 'OSTERREICH', 'grusse'])
    expect((await rpc.templates.list({ text })).items.map(({ name }) => name)).toEqual(['Österreich'])
  await rpc.outbox.pause()
  await importFile(rpc, 'names.csv', 'Name,Phone\nÖsterreicher Max,+12025550304')
  await rpc.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true })
  for (const text of ['österreicher', 'osterreicher'])
    await expect
      .poll(async () => (await rpc.outbox.list({ filter: { text }, limit: 10 })).items.length)
      .toBe(1)
})

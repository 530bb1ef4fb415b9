import { expect, test } from 'vitest'
import { allContacts, everyone, importFile } from '../../../../helpers/contact-files.ts'
import { shareSandbox, startInSandbox } from '../../../../helpers/test-core.ts'

const shared = shareSandbox()

test.each([
  ["o'brien", 'O’Brien Pat'],
  ['کریم', 'كريم علي'],
  ['deleted', 'Dele\u200bted Mark'],
])('finds a contact by %j', async (text, name) => {
  const { rpc } = shared
  await importFile(rpc, 'names.csv', `Name,Phone\n${name},+12025550301\nAnn,+12025550302`)
  expect((await allContacts(rpc, { text })).map((contact) => contact.name)).toEqual([name])
})

test('finds templates and requests without their accents, and cancels only requests that it finds', async () => {
  const { rpc } = await startInSandbox()
  await rpc.templates.create({ name: 'Österreich', body: 'Grüße', variables: [] })
  for (const text of ['österreich', 'OSTERREICH', 'grusse'])
    expect((await rpc.templates.list({ text })).items.map(({ name }) => name)).toEqual(['Österreich'])
  await rpc.outbox.pause()
  await importFile(rpc, 'names.csv', 'Name,Phone\nÖsterreicher Max,+12025550304\nAnn,+12025550305')
  await rpc.contacts.push({ selection: everyone, uncheckedKnowingly: true })
  for (const text of ['österreicher', 'osterreicher'])
    await expect
      .poll(async () => (await rpc.outbox.list({ filter: { text }, limit: 10 })).items.length)
      .toBe(1)
  const selection = { filter: { text: 'osterreicher' } }
  expect(await rpc.outbox.cancel({ selection })).toEqual({ cancelled: 1, left: 0 })
  expect((await rpc.outbox.list({ filter: { states: ['cancelled'] } })).total).toBe(1)
})

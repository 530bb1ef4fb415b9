import { expect, test } from 'vitest'
import { allContacts, importFile } from '../../../../helpers/contact-files.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { openAtOttService } from '../../../../helpers/ott-service.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'

/** Numbers without plus, the country they are read in, and how a list of a German connection has each of these people. */
const people = [
  ['2124573467', 'US', '2124573467'],
  ['(212) 457-3468', 'US', '2124573468'],
  ['89161234567', 'RU', '89161234567'],
  ['48601223024', 'DE', '+48601223024'],
  ['4915112345678', 'DE', '+494915112345678'],
  ['3921234567', 'IT', '3921234567'],
] as const
/** Numbers that nothing on the list means. */
const free = [
  ['2124573469', 'US'],
  ['+4948601223025', 'DE'],
] as const

type Order = 'import, then sync' | 'sync, then import'

const everyone = [...people, ...free]
const listed = people.map(([text]) => text as string).toSorted()

async function imported(rpc: Rpc): Promise<void> {
  for (const region of new Set(everyone.map(([, one]) => one))) {
    const rows = everyone.flatMap(([text, one]) => (one === region ? `${text};${text}` : []))
    await importFile(rpc, 'people.csv', ['Name;Phone', ...rows].join('\n'), { defaultRegion: region })
  }
}

async function typed(rpc: Rpc): Promise<void> {
  for (const [text, region] of everyone)
    await rpc.contacts.create({ name: text, phone: text, region, email: '', tags: {} })
}

test.each<[Order, string, addContacts: (rpc: Rpc) => Promise<void>]>([
  ['import, then sync', 'imported', imported],
  ['sync, then import', 'imported', imported],
  ['import, then sync', 'typed', typed],
  ['sync, then import', 'typed', typed],
])('%s: a person is marked under either reading of a number, %s', async (order, _, addContacts) => {
  const { rpc } = await openAtOttService({
    dnc: people.map(([, , entry]) => entry),
    country: 'DE',
    isSynced: order === 'sync, then import',
  })
  await addContacts(rpc)
  if (order === 'import, then sync') await syncDnc(rpc)
  const contacts = await allContacts(rpc)
  expect(contacts).toHaveLength(everyone.length)
  expect(contacts.flatMap(({ name, dnc }) => (dnc ? name : [])).toSorted()).toEqual(listed)
})

test('names no contact beside a number that may also be another contact’s', async () => {
  const { rpc } = await openAtOttService({ country: 'DE' })
  const add = (name: string, phone: string) => rpc.contacts.create({ name, phone, email: '', tags: {} })
  const numbers = ['48601223024', '+48601223024']
  await add('Ada', '+48601223024')
  expect(await rpc.contacts.names({ numbers })).toMatchObject({ names: ['Ada', 'Ada'] })
  await add('Grace', '+4948601223024')
  expect(await rpc.contacts.names({ numbers })).toMatchObject({ names: [null, 'Ada'] })
})

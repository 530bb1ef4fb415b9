import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { InboxState } from '#contract/live/inbox.ts'
import { deliverEvents, moBody } from '../../../../helpers/deliver-events.ts'
import { type Rpc, type RunningCore } from '../../../../helpers/start-core.ts'
import { startInSandbox, restartCore } from '../../../../helpers/test-core.ts'

const secret = 'a-secret-of-the-service'

async function start(): Promise<RunningCore> {
  const running = await startInSandbox()
  await running.rpc.listener.addSecret({ label: 'Test', value: secret })
  return running
}

const deliver = (rpc: Rpc, ...bodies: string[]) => deliverEvents(rpc, secret, ...bodies)

async function stateWhere(rpc: Rpc, holds: (state: InboxState) => boolean): Promise<InboxState> {
  for await (const state of await rpc.inbox.watch()) if (holds(state)) return state
  throw new Error('the stream ended')
}

/** Waits until this many messages are in conversations. */
async function taken(rpc: Rpc, count: number): Promise<void> {
  await expect
    .poll(async () =>
      (await rpc.inbox.list({ limit: 200 })).items.reduce((sum, { messages }) => sum + messages, 0),
    )
    .toBe(count)
}

test('groups messages by sender, newest first, with unread counts and contact', async () => {
  const { rpc } = await start()
  await rpc.contacts.create({ name: 'Ada', phone: '+14155550101', email: '', tags: {}, region: 'US' })
  await deliver(
    rpc,
    moBody('m-1', '+14155550101', 'Is my order on its way?'),
    moBody('m-2', '+1 (415) 555-0102', 'STOP'),
    moBody('m-3', '14155550101', 'Never mind'),
    moBody('m-3', '14155550101', 'Never mind'),
    moBody('m-4', 'Shop', 'News'),
  )
  await taken(rpc, 4)
  const { items, total, state } = await rpc.inbox.list({})
  expect(total).toBe(3)
  expect(state).toMatchObject({ unread: 3, conversations: 3 })
  expect(items).toMatchObject([
    { sender: '=shop', phone: null, number: 'Shop', contact: null, messages: 1 },
    {
      phone: '+14155550101',
      contact: { name: 'Ada' },
      messages: 2,
      unread: 2,
      last: { content: 'Never mind' },
    },
    { phone: '+14155550102', messages: 1, optOuts: 1, last: { optOut: true } },
  ])
  const stops = await rpc.inbox.list({ which: 'opt-outs' })
  expect(stops.items.map(({ phone }) => phone)).toEqual(['+14155550102'])
  // The opt-out keyword put the sender on hold.
  await expect.poll(async () => (await rpc.inbox.list({ which: 'opt-outs' })).items[0]!.blocked).toBe('hold')

  const ada = await rpc.inbox.get({ sender: '14155550101' })
  expect(ada.items.map(({ content }) => content)).toEqual(['Never mind', 'Is my order on its way?'])
  expect(ada.contact).toMatchObject({ name: 'Ada' })
  expect(ada.verdict).toMatchObject({ verdict: 'not-known' })
  expect((await rpc.inbox.get({ sender: '=shop' })).verdict).toBeNull()
  await expect(rpc.inbox.get({ sender: '4915100000000' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('includes messages sent from here with their outcome', async () => {
  const { rpc } = await start()
  const template = await rpc.templates.create({ name: 'Answer', body: 'On its way.', variables: [] })
  const [channel] = (await rpc.templates.channels()).items
  await deliver(rpc, moBody('m-1', '14155550101', 'Is my order on its way?'))
  await taken(rpc, 1)
  const { sender } = (await rpc.inbox.list({})).items[0]!
  expect((await rpc.inbox.get({ sender })).sent).toEqual([])
  await rpc.templates.send({
    key: template.key,
    channelId: channel!.id,
    to: '+14155550101',
    region: 'US',
    contactId: null,
    values: [],
    uncheckedKnowingly: true,
  })
  await expect
    .poll(async () => (await rpc.inbox.get({ sender })).sent)
    .toMatchObject([
      { text: 'On its way.', templateName: 'Answer', state: 'done', serviceStatus: 'delivered' },
    ])
})

test('keeps read marks across a restart and a rebuild', async () => {
  let running = await start()
  const { rpc } = running
  await deliver(rpc, moBody('m-1', '+14155550101', 'One'), moBody('m-2', '+14155550102', 'Two'))
  await taken(rpc, 2)
  const [, one] = (await rpc.inbox.list({})).items
  await rpc.inbox.markRead({ sender: one!.sender, upToSeq: one!.last.seq })
  expect((await rpc.inbox.list({ which: 'unread' })).items.map(({ phone }) => phone)).toEqual([
    '+14155550102',
  ])
  await deliver(rpc, moBody('m-3', '+14155550101', 'Three'))
  await taken(rpc, 3)
  expect((await rpc.inbox.get({ sender: one!.sender })).conversation).toMatchObject({
    messages: 2,
    unread: 1,
  })

  // All read, one unread again, then without the tables that a salvage loses.
  await rpc.inbox.markAllRead({ upToSeq: (await rpc.inbox.list({})).state.upToSeq })
  expect((await rpc.inbox.list({})).state.unread).toBe(0)
  expect(await rpc.inbox.markUnread({ sender: '14155550102' })).toMatchObject({ unread: 1 })
  const { connections } = await rpc.connections.list()
  await running.stopCore()
  const db = new Sqlite(join(running.dataDir, 'connections', connections[0]!.id, 'state.db'))
  db.exec('DELETE FROM inbox_messages; DELETE FROM inbox_senders; DELETE FROM inbox_progress')
  db.close()
  running = await restartCore(running)
  await stateWhere(running.rpc, ({ conversations, behind }) => conversations === 2 && !behind)
  await taken(running.rpc, 3)
  expect((await running.rpc.inbox.list({ which: 'unread' })).items).toMatchObject([
    { phone: '+14155550102', unread: 1, messages: 1 },
  ])
})

test('leaves a message unread that arrives while another is read', async () => {
  const { rpc } = await start()
  await deliver(rpc, moBody('m-1', '+14155550101', 'One'))
  await taken(rpc, 1)
  const shown = (await rpc.inbox.get({ sender: '14155550101' })).conversation.last.seq
  await deliver(rpc, moBody('m-2', '+14155550101', 'Two'))
  await taken(rpc, 2)
  await rpc.inbox.markRead({ sender: '14155550101', upToSeq: shown })
  expect((await rpc.inbox.get({ sender: '14155550101' })).conversation.unread).toBe(1)
  // Opening older messages later does not mark it unread.
  const all = (await rpc.inbox.get({ sender: '14155550101' })).conversation.last.seq
  await rpc.inbox.markRead({ sender: '14155550101', upToSeq: all })
  await rpc.inbox.markRead({ sender: '14155550101', upToSeq: shown })
  expect((await rpc.inbox.get({ sender: '14155550101' })).conversation.unread).toBe(0)
})

test('finds conversations by part of a number, of any message and of a contact’s name', async () => {
  const { rpc } = await start()
  await rpc.contacts.create({
    name: 'Grace Hopper',
    phone: '+14155550109',
    email: '',
    tags: {},
    region: 'US',
  })
  const bodies = Array.from({ length: 130 }, (_, index) =>
    moBody(`m-${index}`, `+1415555${String(1_000 + index)}`, index === 3 ? 'Größe?' : `Message ${index}`),
  )
  await deliver(rpc, ...bodies, moBody('m-g', '+14155550109', 'Hi'))
  await taken(rpc, 131)
  const find = async (text: string, region?: string) =>
    (await rpc.inbox.list({ text, ...(region ? { region } : {}) })).items.map(({ number }) => number)
  expect(await find('GRÖSSE')).toEqual([])
  expect(await find('grö')).toEqual(['+14155551003'])
  for (const typed of ['5551 129', '(0) 415–555 1129', '001 415 555-1129', '+1 (415) 5551129', '4155551129'])
    expect(await find(typed), typed).toEqual(['+14155551129'])
  expect(await find('011 1 415 555 1129', 'US')).toEqual(['+14155551129'])
  expect(await find('+415')).toEqual([])
  expect(await find('Message 127')).toEqual(['+14155551127'])
  await expect.poll(() => find('hopper')).toEqual(['+14155550109'])

  // Paged, each appears exactly once.
  const seen: number[] = []
  let cursor: number | null | undefined
  do {
    const page = await rpc.inbox.list({ limit: 50, ...(cursor ? { cursor } : {}) })
    seen.push(...page.items.map(({ last }) => last.seq))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(new Set(seen).size).toBe(131)
  expect(seen).toEqual([...seen].sort((a, b) => b - a))
})

test('finds every conversation of a name shared by more contacts than one page', async () => {
  const { rpc } = await start()
  for (let n = 0; n <= 500; n++)
    await rpc.contacts.create({
      name: `Nord ${String(n).padStart(3, '0')}`,
      phone: `+14155551${String(n).padStart(3, '0')}`,
      email: '',
      tags: {},
      region: 'US',
    })
  await deliver(
    rpc,
    moBody('m-1', '+14155551000', 'one'),
    moBody('m-2', '+14155551500', 'two'),
    moBody('m-3', '+4915100', 'x'),
  )
  await taken(rpc, 3)
  const { items } = await rpc.inbox.list({ text: 'nord', limit: 10 })
  expect(items.map(({ phone }) => phone).sort()).toEqual(['+14155551000', '+14155551500'])
  // With the rules of contact search: words in any order, any field, accents ignored.
  const others = await rpc.inbox.list({ text: '14155551 NÓRD', limit: 10 })
  expect(others.items.map(({ phone }) => phone).sort()).toEqual(['+14155551000', '+14155551500'])
})

import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { InboxState } from '#contract/live/inbox.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { restartCore, startListening } from '../../../../helpers/test-core.ts'
import { importFile } from '../../../../helpers/contact-files.ts'
import { deliverMessages } from './inbox-deliveries.ts'

async function stateWhere(rpc: Rpc, holds: (state: InboxState) => boolean): Promise<InboxState> {
  for await (const state of await rpc.inbox.watch()) if (holds(state)) return state
  throw new Error('the stream ended')
}

const addContact = (rpc: Rpc, name: string, phone: string) =>
  rpc.contacts.create({ name, phone, email: '', tags: {}, region: 'US' })

test('groups messages by sender, newest first, with unread counts, contact and what was sent from here', async () => {
  const { rpc } = await startListening()
  await addContact(rpc, 'Ada', '+14155550101')
  await deliverMessages(
    rpc,
    ['m-1', '+14155550101', 'Is my order on its way?'],
    ['m-2', '+1 (415) 555-0102', 'STOP'],
    ['m-3', '14155550101', 'Never mind'],
    ['m-3', '14155550101', 'Never mind'],
    ['m-4', 'Shop', 'News'],
  )
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
  // The opt-out keyword puts the sender on hold.
  await expect
    .poll(async () => (await rpc.inbox.list({ which: 'opt-outs' })).items)
    .toMatchObject([{ phone: '+14155550102', blocked: 'hold' }])

  const conversation = () => rpc.inbox.get({ sender: '14155550101' })
  expect(await conversation()).toMatchObject({
    items: [{ content: 'Never mind' }, { content: 'Is my order on its way?' }],
    contact: { name: 'Ada' },
    verdict: { verdict: 'not-known' },
    sent: [],
    optedOut: null,
  })
  expect((await rpc.inbox.get({ sender: '=shop' })).verdict).toBeNull()
  const { conversation: stopped, optedOut } = await rpc.inbox.get({ sender: '14155550102' })
  expect(optedOut).toEqual({ seq: stopped.last.seq, at: stopped.last.receivedAt })
  await expect(rpc.inbox.get({ sender: '4915100000000' })).rejects.toMatchObject({ code: 'NOT_FOUND' })

  const { key } = await rpc.templates.create({ name: 'Answer', body: 'On its way.', variables: [] })
  const [channel] = (await rpc.templates.channels()).items
  await rpc.templates.send({
    key,
    channelId: channel!.id,
    to: '+14155550101',
    region: 'US',
    contactId: null,
    values: [],
    uncheckedKnowingly: true,
  })
  await expect
    .poll(async () => (await conversation()).sent)
    .toMatchObject([
      { text: 'On its way.', templateName: 'Answer', state: 'done', serviceStatus: 'delivered' },
    ])
})

test('links the conversations of a contact with several numbers, from each of them', async () => {
  const { rpc } = await startListening()
  await importFile(rpc, 'people.csv', 'name;mobile;other\nAda;+14155550101;+14155550102', {
    columns: [{ to: 'name' }, { to: 'phone', rank: 1 }, { to: 'phone', rank: 2 }],
  })
  await deliverMessages(rpc, ['m-1', '+14155550101', 'Hello'], ['m-2', '+14155550102', 'Me again'])
  const related = async (sender: string) =>
    (await rpc.inbox.get({ sender })).related.map(({ phone }) => phone)
  expect(await related('14155550101')).toEqual(['+14155550102'])
  expect(await related('14155550102')).toEqual(['+14155550101'])
})

test('keeps read marks of what was shown, across a restart and a rebuild', async () => {
  const running = await startListening()
  const { rpc } = running
  const [one, two] = ['14155550101', '14155550102'] as const
  const unread = async (from = rpc) =>
    (await from.inbox.list({ which: 'unread' })).items.map(({ sender, unread, messages }) => [
      sender,
      unread,
      messages,
    ])
  await deliverMessages(rpc, ['m-1', `+${one}`, 'One'], ['m-2', `+${two}`, 'Two'])
  const shown = (await rpc.inbox.get({ sender: one })).conversation.last.seq
  // It arrives while the other is read.
  await deliverMessages(rpc, ['m-3', `+${one}`, 'Three'])
  await rpc.inbox.markRead({ sender: one, upToSeq: shown })
  expect(await unread()).toEqual([
    [one, 1, 2],
    [two, 1, 1],
  ])
  const all = (await rpc.inbox.get({ sender: one })).conversation.last.seq
  // Opening older messages later does not mark it unread.
  for (const upToSeq of [all, shown]) await rpc.inbox.markRead({ sender: one, upToSeq })
  expect(await unread()).toEqual([[two, 1, 1]])

  // All read, one unread again, then without the tables that a salvage loses.
  await rpc.inbox.markAllRead({ upToSeq: (await rpc.inbox.list({})).state.upToSeq })
  expect((await rpc.inbox.list({})).state.unread).toBe(0)
  expect(await rpc.inbox.markUnread({ sender: two })).toMatchObject({ unread: 1 })
  const { connections } = await rpc.connections.list()
  await running.stopCore()
  const db = new Sqlite(join(running.dataDir, 'connections', connections[0]!.id, 'state.db'))
  db.exec('DELETE FROM inbox_messages; DELETE FROM inbox_senders; DELETE FROM inbox_progress')
  db.close()
  const again = await restartCore(running)
  await stateWhere(again.rpc, ({ conversations, behind }) => conversations === 2 && !behind)
  await expect.poll(() => unread(again.rpc)).toEqual([[two, 1, 1]])
  expect((await again.rpc.inbox.get({ sender: one })).conversation.messages).toBe(2)
})

test('finds conversations by part of a number and of any message, page by page', async () => {
  const { rpc } = await startListening()
  const messages = Array.from({ length: 130 }, (_, index) => {
    const text = index === 3 ? 'Größe?' : `Message ${index}`
    return [`m-${index}`, `+1415555${1_000 + index}`, text] as [string, string, string]
  })
  await deliverMessages(rpc, ...messages)
  const find = async (text: string, region?: string) =>
    (await rpc.inbox.list({ text, ...(region ? { region } : {}) })).items.map(({ number }) => number)
  expect(await find('GRÖSSE')).toEqual([])
  expect(await find('grö')).toEqual(['+14155551003'])
  for (const typed of ['5551 129', '(0) 415–555 1129', '001 415 555-1129', '+1 (415) 5551129', '4155551129'])
    expect(await find(typed), typed).toEqual(['+14155551129'])
  expect(await find('011 1 415 555 1129', 'US')).toEqual(['+14155551129'])
  expect(await find('+415')).toEqual([])
  expect(await find('Message 127')).toEqual(['+14155551127'])

  const seen: number[] = []
  let cursor: number | null | undefined
  do {
    const page = await rpc.inbox.list({ limit: 50, ...(cursor ? { cursor } : {}) })
    seen.push(...page.items.map(({ last }) => last.seq))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(new Set(seen).size).toBe(130)
  expect(seen).toEqual([...seen].sort((a, b) => b - a))
})

test('finds every conversation of a name shared by more contacts than one page', async () => {
  const { rpc } = await startListening()
  for (let n = 0; n <= 500; n++) {
    const digits = String(n).padStart(3, '0')
    await addContact(rpc, `Nord ${digits}`, `+14155551${digits}`)
  }
  const expected = ['+14155551000', '+14155551500']
  for (const phone of [...expected, '+4915100']) await deliverMessages(rpc, [phone, phone, 'Hi'])
  // With the rules of contact search: words in any order, any field, accents ignored.
  for (const text of ['nord', '14155551 NÓRD']) {
    const { items } = await rpc.inbox.list({ text, limit: 10 })
    expect(items.map(({ phone }) => phone).sort(), text).toEqual(expected)
  }
})

test('keeps who handles a conversation and its note, and reopens a done one on a new message', async () => {
  const { rpc } = await startListening()
  await deliverMessages(rpc, ['m-1', '+14155550101', 'Hello?'], ['m-2', '+14155550102', 'Hi'])
  const sender = '14155550101'
  const shown = async () => (await rpc.inbox.get({ sender })).conversation
  const listed = async (which: 'open' | 'mine') => {
    const { items, total } = await rpc.inbox.list({ which })
    expect(total).toBe(items.length)
    return items.map((one) => one.sender)
  }
  const set = async (state: 'open' | 'assigned' | 'done') =>
    rpc.inbox.setWork({ sender, state, upToSeq: (await shown()).last.seq })
  const { marksVersion } = await set('assigned')
  expect((await shown()).work).toMatchObject({ state: 'assigned', by: null })
  expect(await listed('mine')).toEqual([sender])
  await set('done')
  expect((await shown()).work).toMatchObject({ state: 'done', by: null })
  expect([await listed('mine'), await listed('open')]).toEqual([[], ['14155550102']])
  expect(await rpc.inbox.setNote({ sender, text: ' Call back ' })).toMatchObject({
    marksVersion: marksVersion + 2,
  })
  expect(await rpc.inbox.get({ sender })).toMatchObject({
    note: 'Call back',
    noteVersions: [{ text: 'Call back', by: null }],
  })
  await deliverMessages(rpc, ['m-3', '+14155550101', 'Are you there?'])
  expect((await shown()).work).toBeNull()
  expect((await listed('open')).sort()).toEqual([sender, '14155550102'])
  await rpc.inbox.setNote({ sender, text: '' })
  expect((await rpc.inbox.get({ sender })).note).toBe('')
  await expect(rpc.inbox.setWork({ sender: '1', state: 'done', upToSeq: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

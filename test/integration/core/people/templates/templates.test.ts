import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Phrase } from '#electron/contract/phrases.ts'
import type { OutboxItem } from '#contract/people/outbox.ts'
import type { BulkSend } from '#contract/people/templates.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { startTestCoreAt, usualAnswer } from '../../../../helpers/answering-service.ts'
import { confirmSend, dryRun, peopleIn, sendTo } from '../../../../helpers/bulk-sends.ts'
import { savedBy, upload } from '../../../../helpers/contact-files.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { json, startFixtureService } from '../../../../helpers/fixture-service.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { connectTo, shareSandbox, startInSandbox, startTestCore } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const nameVariable = { name: 'name', type: 'string' as const }
const ada = [{ name: 'name', value: 'Ada' }]

const sandboxOptions = { contactsCount: 0, dncCount: 5 }
const shared = shareSandbox({ sandbox: sandboxOptions })
afterEach(async () => {
  const { rpc } = shared
  for (const { key } of (await rpc.templates.list({})).items) await rpc.templates.forget({ key })
})

/** The shared console, for tests that send nothing. */
const there = () => ({ rpc: shared.rpc, sandbox: shared.sandbox, tenant: shared.sandbox.tenant() })

/** A console signed in to a sandbox with a few people on its DNC list, what is stored there, and its only channel. */
async function open(clock?: Clock) {
  const { rpc, sandbox, dataDir } = await startInSandbox({
    sandbox: sandboxOptions,
    ...(clock ? { clock } : {}),
  })
  const channelId = (await rpc.templates.channels()).items[0]!.id
  return { rpc, sandbox, dataDir, tenant: sandbox.tenant(), channelId }
}

/** A clock whose waits are twenty times shorter and whose time of day can move. */
function quickClock(): Clock & { skip(ms: number): void } {
  let laterMs = 0
  return {
    ...createFastClock(20),
    now: () => systemClock.now() + laterMs,
    skip: (ms) => void (laterMs += ms),
  }
}

const hello = (rpc: Rpc) =>
  rpc.templates.create({ name: 'Hello', body: 'Hello {{ name }}!', variables: [nameVariable] })

async function itemsOver(rpc: Rpc, batchId: string): Promise<OutboxItem[]> {
  for await (const _drain of await rpc.outbox.watch()) {
    const { items } = await rpc.outbox.list({ filter: { batchId }, limit: 500 })
    if (items.every(({ endedAt }) => endedAt !== null)) return items
  }
  throw new Error('the stream of the outbox ended')
}

async function queued(rpc: Rpc, id: string): Promise<BulkSend> {
  for await (const _tasks of await rpc.tasks.watch()) {
    const { send } = await rpc.templates.sendOf({ id })
    if (send.state === 'queued' || send.state === 'finished') return send
  }
  throw new Error('the stream of tasks ended')
}

/** Confirms a send, and waits until it is queued or not. */
async function confirmed(rpc: Rpc, id: string): Promise<BulkSend> {
  const { taskId } = await confirmSend(rpc, id)
  await taskEnd(rpc, taskId!)
  return (await rpc.templates.sendOf({ id })).send
}

test('creates a template at the service, lists it and deletes it there', async () => {
  const { rpc, tenant } = there()
  const made = await hello(rpc)
  expect(made).toMatchObject({ name: 'Hello', status: 'active', state: 'known', origin: 'created' })
  expect(tenant.templates().at(-1)).toMatchObject({
    id: made.serviceId,
    variables: { name: 'string' },
  })
  expect((await rpc.templates.list({ text: 'hell' })).items).toEqual([made])

  const gone = await rpc.templates.remove({ key: made.key })
  expect(gone).toEqual({ outcome: 'deleted', template: null })
  expect(tenant.templates().map(({ id }) => id)).not.toContain(made.serviceId)
  expect((await rpc.templates.list({})).total).toBe(0)
})

test('keeps the text that the service made of it, with its placeholders', async () => {
  const body = 'Hello {{first_name}}! Reply STOP to end'
  const { rpc } = await startTestCoreAt((asked) =>
    asked.path === '/templates' ? [201, { id: 't-1', body, variables: {} }] : usualAnswer(asked),
  )
  const variables = [{ name: 'first_name', type: 'string' }]
  expect(await hello(rpc)).toMatchObject({ name: 'Hello', body, variables })
})

test('names mistakes before the call and quotes the service after it', async () => {
  const { rpc, tenant } = there()
  const before = tenant.templates().length
  const missing = rpc.templates.create({ name: 'A', body: 'Hi {{name}} {{day}}', variables: [nameVariable] })
  await expect(missing).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  const long = 'x'.repeat(65)
  const odd = rpc.templates.create({
    name: 'A',
    body: `Hi {{${long}}}`,
    variables: [{ name: long, type: 'string' }],
  })
  await expect(odd).rejects.toMatchObject({
    code: 'SERVICE_REJECTED',
    data: { serviceText: `variables: "${long.slice(0, 60)}" is not a variable name` },
  })
  expect(tenant.templates()).toHaveLength(before)
  expect((await rpc.templates.list({})).total, 'nothing is kept of what was refused').toBe(0)
})

test('keeps an unanswered creation as unconfirmed, without repeating it, and accepts its ID manually', async () => {
  const { rpc, sandbox, tenant } = there()
  const before = tenant.templates().length
  sandbox.setFault('reset-after-commit')
  await expect(hello(rpc)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  sandbox.setFault(null)
  expect(tenant.templates()).toHaveLength(before + 1)
  const [kept] = (await rpc.templates.list({})).items
  expect(kept).toMatchObject({ state: 'unconfirmed', serviceId: null, body: 'Hello {{ name }}!' })
  await expect(sendTo(rpc, { key: kept!.key, to: '+442079460000' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })

  const serviceId = tenant.templates().at(-1)!.id
  const { name, body, variables } = kept!
  const adopted = await rpc.templates.adopt({ serviceId, key: kept!.key, name, body: body!, variables })
  expect(adopted).toMatchObject({ key: kept!.key, serviceId, state: 'known', problem: null })
})

test('adopts a template by its ID and refuses one that the service does not have', async () => {
  const { rpc, tenant } = there()
  const [theirs] = tenant.templates()
  const adopted = await rpc.templates.adopt({ serviceId: theirs!.id, name: '', body: '', variables: [] })
  expect(adopted).toMatchObject({ origin: 'adopted', body: null, status: null, state: 'known' })
  const stranger = await rpc.templates.adopt({
    serviceId: '00000000-0000-4000-8000-000000000000',
    name: 'Gone',
    body: '',
    variables: [],
  })
  const answer = await rpc.templates.remove({ key: stranger.key })
  expect(answer).toMatchObject({ outcome: 'not-found', template: { state: 'not-found', name: 'Gone' } })
  await rpc.templates.forget({ key: stranger.key })
  expect((await rpc.templates.list({})).items.map(({ key }) => key)).toEqual([adopted.key])
})

test('reports an unanswered deletion and keeps the template', async () => {
  const { rpc, sandbox } = await open(quickClock())
  const made = await hello(rpc)
  sandbox.setFault('error-500')
  const answer = await rpc.templates.remove({ key: made.key })
  sandbox.setFault(null)
  expect(answer).toMatchObject({ outcome: 'unknown', template: { state: 'deletion-unknown' } })
}, 90_000)

test('sends to one person through the outbox, with numbers as numbers and the sandbox’s channel', async () => {
  const { rpc, tenant } = await open()
  const { items } = await rpc.templates.channels()
  expect(items).toEqual(
    tenant.channels().map(({ id, name }) => ({ id, label: name, ofSandbox: true, lastUsedAt: null })),
  )
  const { key } = await rpc.templates.create({
    name: 'Points',
    body: '{{name}}: {{points}} points',
    variables: [nameVariable, { name: 'points', type: 'number' }],
  })
  const number = { key, to: '020 7946 0000', region: 'GB' }
  const send = (values: { name: string; value: string }[], more = {}) =>
    sendTo(rpc, { ...number, channelId: items[0]!.id, values, ...more })
  const right = [...ada, { name: 'points', value: '12.5' }]
  const refusals: [{ name: string; value: string }[], Phrase][] = [
    [ada, { key: 'input.emptyValue', name: 'points' }],
    [
      [...ada, { name: 'points', value: '1,200' }],
      { key: 'input.valueOf', name: 'points', reason: { key: 'number.twoWays' } },
    ],
    [[...right, { name: 'day', value: 'x' }], { key: 'input.noVariable', name: 'day' }],
  ]
  for (const [values, detail] of refusals)
    await expect(send(values)).rejects.toMatchObject({ code: 'INVALID_INPUT', data: { detail } })
  await expect(send(right), 'the list was never synced').rejects.toMatchObject({ code: 'DNC_LIST_NOT_FRESH' })
  await syncDnc(rpc)
  const listed = tenant.dnc()[0]!.phone_number
  await expect(send(right, { to: listed })).rejects.toMatchObject({ code: 'ON_DNC' })
  // The service knows no holds.
  await rpc.dnc.hold({ phone: '+442079460003', region: 'GB', evidence: 'asked on the phone' })
  await expect(send(right, { to: '+442079460003' })).rejects.toMatchObject({ code: 'ON_DNC' })

  expect(await rpc.templates.sentTo(number)).toEqual({ items: [] })
  const { batchId, itemId } = await send(right)
  const [item] = await itemsOver(rpc, batchId)
  const [sent] = tenant.ottMessages()
  expect(sent).toMatchObject({ to: '+442079460000', body: 'Ada: 12.5 points' })
  expect(item).toMatchObject({ id: itemId, state: 'done', serviceId: sent!.id, serviceStatus: 'delivered' })
  expect(tenant.ottMessages()).toHaveLength(1)
  expect((await rpc.templates.get({ key })).lastSentAt).not.toBeNull()
  expect((await rpc.templates.sentTo(number)).items).toMatchObject([
    {
      itemId,
      batchId,
      templateName: 'Points',
      text: 'Ada: 12.5 points',
      state: 'done',
      serviceStatus: 'delivered',
    },
  ])
  const batchTitle = { key: 'batch.sendOne', template: 'Points', phone: '+442079460000' }
  const { message } = await rpc.templates.sentAs({ messageId: sent!.id })
  expect(message).toMatchObject({ itemId, batchId, batchTitle, text: 'Ada: 12.5 points', author: null })
  expect(await rpc.templates.sentAs({ messageId: 'another' })).toEqual({ message: null })
  for (const text of ['(020) 7946 0000', sent!.id])
    expect((await rpc.outbox.list({ filter: { text } })).items).toMatchObject([{ id: itemId }])
  const other = await hello(rpc)
  expect(await rpc.templates.sentTo({ ...number, key: other.key })).toEqual({ items: [] })
  expect(await rpc.templates.sentTo({ ...number, to: '020 7946 0001' })).toEqual({ items: [] })
})

test('keeps an unanswered send as unconfirmed in the outbox and never retries it automatically', async () => {
  const { rpc, sandbox, tenant, channelId } = await open()
  await syncDnc(rpc)
  const { key } = await hello(rpc)
  sandbox.setFault('reset-after-commit', { path: '/ott' })
  const { batchId } = await sendTo(rpc, { key, channelId, to: '+442079460000', values: ada })
  const [item] = await itemsOver(rpc, batchId)
  sandbox.setFault(null)
  expect(item).toMatchObject({ state: 'unknown' })
  // Repeating an unconfirmed send is pointed out too.
  const repeat = { key, to: '+442079460000', region: 'GB' }
  expect((await rpc.templates.sentTo(repeat)).items).toMatchObject([{ state: 'unknown', text: 'Hello Ada!' }])
  expect(tenant.ottMessages()).toHaveLength(1)
})

test('points out numbers that start with their country code and reads them as chosen', async () => {
  const { rpc } = there()
  await syncDnc(rpc)
  const { key } = await hello(rpc)
  const fileId = await upload(rpc, 'list.csv', 'name,mobile\nAda,4915112345678\nBob,0049 151 12345679')
  const mapping = [{ name: 'name', source: { from: 'name' as const } }]
  for (const [hasCountryCodes, readableTwoWays] of [
    [false, 1],
    [true, 0],
  ] as const) {
    const source = peopleIn(fileId, { hasCountryCodes })
    const { send, first, reading } = await dryRun(rpc, { key, source, mapping })
    expect(send.counts).toMatchObject({ recipients: 2, willSend: 2, readableTwoWays })
    expect(reading).toEqual({ region: 'DE', hasCountryCodes })
    expect(first.map((one) => one.phone)).toEqual(['+4915112345678', '+4915112345679'])
  }
})

test('remembers a channel only after the service accepted a message over it, which is sent even if that fails', async () => {
  const { rpc, dataDir } = await open()
  await syncDnc(rpc)
  const { key } = await hello(rpc)
  const send = async (channelId: string) => {
    const { batchId } = await sendTo(rpc, { key, channelId, to: '+442079460000', values: ada })
    return (await itemsOver(rpc, batchId))[0]!.state
  }
  const { items } = await rpc.templates.channels()
  expect(await send('00000000-0000-4000-8000-000000000000')).toBe('rejected')
  expect(await rpc.templates.channels()).toEqual({ items })
  expect(await send(items[0]!.id)).toBe('done')
  const used = (await rpc.templates.channels()).items.find(({ id }) => id === items[0]!.id)
  expect(used).toMatchObject({ lastUsedAt: expect.any(String) })

  const [id] = readdirSync(join(dataDir, 'connections'))
  const other = new Sqlite(join(dataDir, 'connections', id!, 'state.db'))
  other.exec(`CREATE TRIGGER broken BEFORE UPDATE ON ott_channels BEGIN SELECT raise(ABORT, 'broken'); END`)
  other.close()
  expect(await send(items[0]!.id)).toBe('done')
  expect(await rpc.outbox.resume()).toMatchObject({ problem: null })
})

test('sends to a file after a dry run: no one twice, no one on the DNC list', async () => {
  const clock = quickClock()
  const { rpc, tenant, channelId } = await open(clock)
  await syncDnc(rpc)
  const { key } = await rpc.templates.create({
    name: 'Points',
    body: '{{name}}: {{points}} points, {{shop}}',
    variables: [nameVariable, { name: 'points', type: 'number' }, { name: 'shop', type: 'string' }],
  })
  const listed = tenant.dnc()[0]!.phone_number
  await rpc.dnc.hold({ phone: '+442079460009', region: 'GB', evidence: 'asked' })
  const lines = [
    'customer,mobile,points',
    'Ada,020 7946 0000,12',
    'Grace,+442079460001,7.5',
    'Ada again,+44 20 7946 0000,13',
    `Listed,${listed},1`,
    'Held,+442079460009,1',
    'No points,+442079460002,',
    'Words,+442079460003,twelve',
    'Zeros,+442079460004,007',
    'Nobody,12,3',
  ]
  const fileId = await upload(rpc, 'points.csv', lines.join('\r\n'))
  const { header, phoneColumn, nameColumn } = await rpc.templates.inspectFile({ fileId })
  expect({ header, phoneColumn, nameColumn }).toEqual({
    header: ['customer', 'mobile', 'points'],
    phoneColumn: 1,
    nameColumn: 0,
  })
  const subject: Phrase = { key: 'subject.tagged', tag: 'vip' }
  const order = { key, channelId, subject, source: peopleIn(fileId, { region: 'GB' }) }
  const mapping = [
    { name: 'name', source: { from: 'name' as const } },
    { name: 'points', source: { from: 'column' as const, column: 2 } },
    { name: 'shop', source: { from: 'constant' as const, value: 'Harbor' } },
  ]
  await expect(rpc.templates.prepare({ ...order, mapping: mapping.slice(1) })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  const startAt = new Date(clock.now() + 48 * 3_600_000).toISOString()
  const { send, first, leftOut, dncList } = await dryRun(rpc, { ...order, mapping, startAt })
  expect(send).toMatchObject({
    state: 'prepared',
    subject,
    counts: {
      recipients: 9,
      willSend: 2,
      dnc: 1,
      held: 1,
      missingValue: 1,
      badValue: 2,
      badNumber: 1,
      repeated: 1,
      unreadable: 0,
      sentLately: 0,
      readableTwoWays: 0,
      landlines: 2,
    },
  })
  expect(dncList.state).toBe('fresh')
  expect(first.map(({ phone, values }) => [phone, ...values.map(({ value }) => value)])).toEqual([
    ['+442079460000', 'Ada', 12, 'Harbor'],
    ['+442079460001', 'Grace', 7.5, 'Harbor'],
  ])
  expect(leftOut.map(({ leftOut: why }) => why)).toEqual([
    'repeated',
    'dnc',
    'held',
    'missing-value',
    'bad-value',
    'bad-value',
    'bad-number',
  ])
  const byPhone = await rpc.templates.recipient({ id: send.id, find: { phone: '020 7946 0009' } })
  expect(byPhone.recipient).toMatchObject({ leftOut: 'held' })
  const byPlace = await rpc.templates.recipient({ id: send.id, find: { at: 2 } })
  expect(byPlace.recipient).toMatchObject({ phone: '+442079460001' })
  expect(tenant.ottMessages(), 'a dry run sends nothing').toEqual([])

  const { batchId } = await confirmed(rpc, send.id)
  await expect(confirmSend(rpc, send.id)).rejects.toMatchObject({ code: 'SEND_NOT_POSSIBLE' })
  clock.skip(25 * 3_600_000)
  const waiting = await dryRun(rpc, { ...order, mapping })
  expect(waiting.send.counts, 'who will get it is counted').toMatchObject({ willSend: 2, sentLately: 2 })
  const to = { key, to: '+442079460000', region: 'GB' }
  expect((await rpc.templates.sentTo(to)).items).toMatchObject([{ state: 'scheduled' }])
  const own = (await rpc.templates.sends({})).items.find(({ id }) => id === send.id)
  expect(own).toMatchObject({ state: 'scheduled', outcome: null })
  clock.skip(23 * 3_600_000)
  const items = await itemsOver(rpc, batchId!)
  expect(items.map(({ state }) => state)).toEqual(['done', 'done'])
  expect(
    tenant
      .ottMessages()
      .map(({ to, body }) => [to, body])
      .sort(),
  ).toEqual([
    ['+442079460000', 'Ada: 12 points, Harbor'],
    ['+442079460001', 'Grace: 7.5 points, Harbor'],
  ])
  const results = await savedBy(rpc, await rpc.templates.exportResults({ id: send.id, what: 'all' }))
  const rows = results.replaceAll('"', '').trim().split('\r\n')
  expect(rows).toHaveLength(10)
  expect(rows[0]).toMatch(/phone,name,\{\{name\}\},\{\{points\}\},\{\{shop\}\},outcome,/)
  expect((await rpc.templates.sendOf({ id: send.id })).send.state).toBe('finished')
  expect((await rpc.templates.sends({})).items.at(-1)).toMatchObject({ id: send.id, state: 'finished' })
  expect(rows[1]).toMatch(/^\+442079460000,Ada,Ada,12,Harbor,sent,,[\w-]+,delivered,/)
  expect(rows.filter((row) => row.includes('skipped'))).toHaveLength(7)

  const again = await dryRun(rpc, { ...order, mapping })
  expect(again.send.counts, 'who got it within a day is counted').toMatchObject({
    willSend: 2,
    sentLately: 2,
  })
  const { taskId } = await rpc.templates.recount({ id: again.id, skipReceived: true })
  await taskEnd(rpc, taskId!)
  const { send: without } = await rpc.templates.sendOf({ id: again.id })
  expect(without).toMatchObject({
    state: 'prepared',
    skipReceived: true,
    counts: { willSend: 0, sentLately: 0, received: 2 },
  })
  clock.skip(25 * 3_600_000)
  const later = await dryRun(rpc, { ...order, mapping })
  expect(later.send.counts).toMatchObject({ willSend: 2, sentLately: 0 })
}, 60_000)

test('fills placeholders from contact tags, asks if they changed, and undoes the send during its undo window', async () => {
  const { rpc, tenant } = await open()
  await syncDnc(rpc)
  const { key } = await rpc.templates.create({
    name: 'City',
    body: '{{name}} of {{city}}',
    variables: [nameVariable, { name: 'city', type: 'string' }],
  })
  for (let n = 0; n < 6; n++)
    await rpc.contacts.create({
      name: `Contact ${n}`,
      phone: `+44207946010${n}`,
      email: '',
      tags: n === 5 ? {} : { city: n < 3 ? 'Berlin' : 'Wien' },
    })
  const mapping = [
    { name: 'name', source: { from: 'name' as const } },
    { name: 'city', source: { from: 'tag' as const, key: 'city' } },
  ]
  const contacts = { filter: { text: 'contact' }, exceptIds: [] }
  const { send, first } = await dryRun(rpc, { key, source: { contacts }, mapping })
  expect(send.counts).toMatchObject({ recipients: 6, willSend: 5, missingValue: 1 })
  expect(first[4]).toMatchObject({ name: 'Contact 4', values: [{ value: 'Contact 4' }, { value: 'Wien' }] })

  // Between check and confirmation one is held and one gets another name.
  const hold = await rpc.dnc.hold({ phone: '+442079460100', region: 'GB', evidence: 'asked' })
  expect(await confirmed(rpc, send.id)).toMatchObject({
    state: 'prepared',
    changedFrom: 5,
    batchId: null,
    counts: { willSend: 4, held: 1 },
  })
  const asShown = { id: send.id, willSend: send.counts!.willSend, digest: send.digest! }
  expect(await rpc.templates.queue(asShown), 'confirmed where the first count is shown').toMatchObject({
    state: 'prepared',
    changedFrom: 5,
  })
  await rpc.dnc.release({ id: hold.id })
  expect(await confirmed(rpc, send.id)).toMatchObject({ changedFrom: 4, counts: { willSend: 5 } })
  const { contact } = await rpc.contacts.byPhone({ phone: '+442079460104' })
  const renamed = { name: 'Contact renamed', phone: contact!.phone, email: '', tags: { city: 'Wien' } }
  await rpc.contacts.update({ id: contact!.id, draft: renamed })
  expect(await confirmed(rpc, send.id)).toMatchObject({ changedFrom: 5, counts: { willSend: 5 } })

  await confirmSend(rpc, send.id)
  const { batchId, undoableUntil } = await queued(rpc, send.id)
  expect(undoableUntil).not.toBeNull()
  const [item] = (await rpc.outbox.list({ filter: { batchId: batchId! } })).items
  expect(item).toMatchObject({ operation: 'send-ott', state: 'undoable' })
  expect(item!.contactId).not.toBeNull()
  expect((await rpc.contacts.get({ id: item!.contactId! })).contact.state, 'the record is not touched').toBe(
    'local',
  )
  expect(await rpc.outbox.undo({ batchId: batchId! })).toMatchObject({ undone: 5 })
  expect((await rpc.templates.sendOf({ id: send.id })).send.state).toBe('undone')
  expect(tenant.ottMessages()).toEqual([])
})

test('sends to a file later, within the hours of each country: others are skipped until you decide', async () => {
  const { rpc } = await open()
  await syncDnc(rpc)
  const { key } = await hello(rpc)
  const lines = [
    'name,mobile',
    'Ada,020 7946 0000',
    'Satellite,+881612345678',
    'Kosovo,+38344123456',
    // In July, 15:00 in New York is 9:00 in Hawaii; in January it is 14:00.
    'New York,+12125550123',
    'Kim,+81312345678',
  ]
  const fileId = await upload(rpc, 'people.csv', lines.join('\r\n'))
  // 11:00 in London is 19:00 in Tokyo, after the hours.
  const startAt = `${new Date().getUTCFullYear() + 1}-07-12T10:00:00.000Z`
  const { send, leftOut, ...plan } = await dryRun(rpc, {
    key,
    source: peopleIn(fileId, { region: 'GB' }),
    mapping: [{ name: 'name', source: { from: 'name' } }],
    startAt,
    hours: { fromMinute: 9 * 60, toMinute: 14 * 60 + 30 },
  })
  expect(send).toMatchObject({ startAt, counts: { willSend: 2, unplaced: 2, noHours: 1 } })
  expect(leftOut.map(({ reason }) => reason)).toEqual([
    { key: 'plan.noCountry' },
    { key: 'plan.noCountry' },
    { key: 'plan.noHours' },
  ])
  expect(plan).toMatchObject({ outsideHours: 1, lastAt: expect.stringContaining('-07-13T00:00:0') })

  // Another count reads the copy of the file.
  await rpc.files.discard({ fileId })
  const { taskId } = await rpc.templates.recount({ id: send.id, sendUnplaced: true })
  await taskEnd(rpc, taskId!)
  const now = await confirmed(rpc, send.id)
  expect(now).toMatchObject({ state: 'scheduled', startAt, undoableUntil: startAt, changedFrom: null })
  expect((await rpc.templates.sendOf({ id: send.id })).lastAt).toMatch(/-07-13T00:00:0/)
  const { items } = await rpc.outbox.list({ filter: { batchId: now.batchId! } })
  expect(items.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'scheduled'))
  const { createdAt } = now
  expect((await rpc.outbox.batches({})).items[0]).toMatchObject({ startAt, startMissed: false, createdAt })
  expect(createdAt > send.createdAt, 'not the time of the dry run').toBe(true)
  await rpc.dnc.hold({ phone: '+881612345678', region: 'GB', evidence: 'asked' })
  expect(await rpc.sendReports.toSkip({ batchId: now.batchId! })).toEqual({ count: 1 })
  expect(await rpc.outbox.undo({ batchId: now.batchId! })).toMatchObject({ undone: 4 })
})

test('accepts minimal, extra and unusual answers for a template and a send', async () => {
  const service = await startFixtureService()
  onTestFinished(() => service.stop())
  service.on('GET /webhooks/subscriptions', json(404, { error: 'not found' }))
  service.on('GET /dashboard', json(200, { messages_today: 1 }))
  service.on('POST /templates', json(201, { id: 'tpl-1', status: 'in_review', extra: { a: 1 } }))
  service.on('POST /ott/messages', json(200, { id: 'ott-1', status: 'parked', cost: 3 }))
  const { rpc } = await startTestCore()
  await connectTo(rpc, service.baseUrl, 'Other')
  const made = await hello(rpc)
  expect(made).toMatchObject({ serviceId: 'tpl-1', status: 'in_review', name: 'Hello', state: 'known' })
  const order = { key: made.key, to: '+442079460000', values: ada, uncheckedKnowingly: true }
  const { batchId } = await sendTo(rpc, order)
  const [item] = await itemsOver(rpc, batchId)
  expect(item).toMatchObject({ state: 'done', serviceId: 'ott-1', serviceStatus: 'parked' })
  service.on('DELETE /ott/templates/tpl-1', json(200, {}))
  expect(await rpc.templates.remove({ key: made.key })).toMatchObject({ outcome: 'deleted' })
})

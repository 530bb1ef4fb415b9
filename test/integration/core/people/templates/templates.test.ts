import type { Phrase } from '#electron/contract/phrases.ts'
import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { OutboxItem } from '#contract/people/outbox.ts'
import type { BulkSend } from '#contract/people/templates.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { json, startFixtureService } from '../../../../helpers/fixture-service.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { type Rpc, type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const nameVariable = { name: 'name', type: 'string' as const }

/** A console signed in to a sandbox with a few people on its DNC list. */
async function open(clock?: Clock): Promise<RunningCore> {
  const running = await startCore({
    sandbox: { contactsCount: 0, dncCount: 5 },
    ...(clock ? { clock } : {}),
  })
  onTestFinished(() => running.stop())
  await running.rpc.connections.openSandbox()
  return running
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

async function channelOf(rpc: Rpc): Promise<string> {
  return (await rpc.templates.channels()).items[0]!.id
}

async function syncDnc(rpc: Rpc): Promise<void> {
  const { taskId } = await rpc.dnc.sync()
  await taskEnd(rpc, taskId)
}

async function itemsOver(rpc: Rpc, batchId: string): Promise<OutboxItem[]> {
  for await (const _drain of await rpc.outbox.watch()) {
    const { items } = await rpc.outbox.list({ filter: { batchId }, limit: 500 })
    if (items.every(({ endedAt }) => endedAt !== null)) return items
  }
  throw new Error('the stream of the outbox ended')
}

async function prepared(rpc: Rpc, send: BulkSend): Promise<Awaited<ReturnType<Rpc['templates']['sendOf']>>> {
  await taskEnd(rpc, send.taskId!)
  return rpc.templates.sendOf({ id: send.id })
}

async function upload(rpc: Rpc, name: string, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  const { fileId } = await rpc.files.begin({ name, sizeBytes: bytes.length })
  await rpc.files.append({ fileId, offset: 0, base64: bytes.toString('base64') })
  return fileId
}

async function taken(rpc: Rpc, taskId: string): Promise<string> {
  await taskEnd(rpc, taskId)
  const { refId } = await rpc.tasks.get({ id: taskId })
  return Buffer.from((await rpc.files.read({ fileId: refId!, offset: 0 })).base64, 'base64').toString()
}

test('creates a template at the service, lists it and deletes it there', async () => {
  const { rpc, sandbox } = await open()
  const made = await hello(rpc)
  expect(made).toMatchObject({ name: 'Hello', status: 'active', state: 'known', origin: 'created' })
  expect(sandbox.tenant().templates().at(-1)).toMatchObject({
    id: made.serviceId,
    variables: { name: 'string' },
  })
  expect((await rpc.templates.list({ text: 'hell' })).items).toEqual([made])

  const gone = await rpc.templates.remove({ key: made.key })
  expect(gone).toEqual({ outcome: 'deleted', template: null })
  expect(
    sandbox
      .tenant()
      .templates()
      .map(({ id }) => id),
  ).not.toContain(made.serviceId)
  expect((await rpc.templates.list({})).total).toBe(0)
})

test('names mistakes before the call and quotes the service after it', async () => {
  const { rpc, sandbox } = await open()
  const before = sandbox.tenant().templates().length
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
  expect(sandbox.tenant().templates()).toHaveLength(before)
  expect((await rpc.templates.list({})).total, 'nothing is kept of what was refused').toBe(0)
})

test('keeps an unanswered creation as unconfirmed, without repeating it, and accepts its ID manually', async () => {
  const { rpc, sandbox } = await open()
  const before = sandbox.tenant().templates().length
  sandbox.setFault('reset-after-commit')
  await expect(hello(rpc)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  sandbox.setFault(null)
  expect(sandbox.tenant().templates()).toHaveLength(before + 1)
  const [kept] = (await rpc.templates.list({})).items
  expect(kept).toMatchObject({ state: 'unconfirmed', serviceId: null, body: 'Hello {{ name }}!' })
  const to = { channelId: await channelOf(rpc), to: '+442079460000', region: 'GB', contactId: null }
  await expect(rpc.templates.send({ key: kept!.key, ...to, values: [] })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })

  const serviceId = sandbox.tenant().templates().at(-1)!.id
  const { name, body, variables } = kept!
  const adopted = await rpc.templates.adopt({ serviceId, key: kept!.key, name, body: body!, variables })
  expect(adopted).toMatchObject({ key: kept!.key, serviceId, state: 'known', problem: null })
})

test('adopts a template by its ID and refuses one that the service does not have', async () => {
  const { rpc, sandbox } = await open()
  const [theirs] = sandbox.tenant().templates()
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
  const { rpc, sandbox } = await open()
  const { items } = await rpc.templates.channels()
  expect(items).toEqual(
    sandbox
      .tenant()
      .channels()
      .map(({ id, name }) => ({ id, label: name, ofSandbox: true, lastUsedAt: null })),
  )
  const { key } = await rpc.templates.create({
    name: 'Points',
    body: '{{name}}: {{points}} points',
    variables: [nameVariable, { name: 'points', type: 'number' }],
  })
  const send = (values: { name: string; value: string }[], more = {}) =>
    rpc.templates.send({
      key,
      channelId: items[0]!.id,
      to: '020 7946 0000',
      region: 'GB',
      contactId: null,
      values,
      ...more,
    })
  const right = [
    { name: 'name', value: 'Ada' },
    { name: 'points', value: '12.5' },
  ]
  const refusals: [{ name: string; value: string }[], Phrase][] = [
    [[right[0]!], { key: 'input.emptyValue', name: 'points' }],
    [
      [right[0]!, { name: 'points', value: '1,200' }],
      { key: 'input.valueOf', name: 'points', reason: { key: 'number.twoWays' } },
    ],
    [[...right, { name: 'day', value: 'x' }], { key: 'input.noVariable', name: 'day' }],
  ]
  for (const [values, detail] of refusals)
    await expect(send(values)).rejects.toMatchObject({ code: 'INVALID_INPUT', data: { detail } })
  await expect(send(right), 'the list was never synced').rejects.toMatchObject({ code: 'DNC_LIST_NOT_FRESH' })
  await syncDnc(rpc)
  const listed = sandbox.tenant().dnc()[0]!.phone_number
  await expect(send(right, { to: listed })).rejects.toMatchObject({ code: 'ON_DNC' })
  // The service knows no holds.
  await rpc.dnc.hold({ phone: '+442079460003', region: 'GB', evidence: 'asked on the phone' })
  await expect(send(right, { to: '+442079460003' })).rejects.toMatchObject({ code: 'ON_DNC' })

  const number = { key, to: '020 7946 0000', region: 'GB' }
  expect(await rpc.templates.sentTo(number)).toEqual({ items: [] })
  const { batchId, itemId } = await send(right)
  const [item] = await itemsOver(rpc, batchId)
  const [sent] = sandbox.tenant().ottMessages()
  expect(sent).toMatchObject({ to: '+442079460000', body: 'Ada: 12.5 points' })
  expect(item).toMatchObject({ id: itemId, state: 'done', serviceId: sent!.id, serviceStatus: 'delivered' })
  expect(sandbox.tenant().ottMessages()).toHaveLength(1)
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
  const other = await hello(rpc)
  expect(await rpc.templates.sentTo({ ...number, key: other.key })).toEqual({ items: [] })
  expect(await rpc.templates.sentTo({ ...number, to: '020 7946 0001' })).toEqual({ items: [] })
})

test('keeps an unanswered send as unconfirmed in the outbox and never retries it automatically', async () => {
  const { rpc, sandbox } = await open()
  await syncDnc(rpc)
  const { key } = await hello(rpc)
  const channelId = await channelOf(rpc)
  sandbox.setFault('reset-after-commit')
  const { batchId } = await rpc.templates.send({
    key,
    channelId,
    to: '+442079460000',
    region: 'GB',
    contactId: null,
    values: [{ name: 'name', value: 'Ada' }],
  })
  const [item] = await itemsOver(rpc, batchId)
  sandbox.setFault(null)
  expect(item).toMatchObject({ state: 'unknown' })
  // Repeating an unconfirmed send is pointed out too.
  const repeat = { key, to: '+442079460000', region: 'GB' }
  expect((await rpc.templates.sentTo(repeat)).items).toMatchObject([{ state: 'unknown', text: 'Hello Ada!' }])
  expect(sandbox.tenant().ottMessages()).toHaveLength(1)
})

test('points out numbers that start with their country code and reads them as chosen', async () => {
  const { rpc } = await open()
  await syncDnc(rpc)
  const { key } = await hello(rpc)
  const channelId = await channelOf(rpc)
  const fileId = await upload(rpc, 'list.csv', 'name,mobile\nAda,4915112345678\nBob,0049 151 12345679')
  const prepare = (hasCountryCodes: boolean) =>
    rpc.templates.prepare({
      key,
      channelId,
      subject: 'list.csv',
      source: {
        file: {
          fileId,
          headerRow: 1,
          phoneColumn: 1,
          nameColumn: 0,
          region: 'DE',
          hasCountryCodes,
        },
      },
      mapping: [{ name: 'name', source: { from: 'name' } }],
    })
  for (const [hasCountryCodes, readableTwoWays] of [
    [false, 1],
    [true, 0],
  ] as const) {
    const { send, first, reading } = await prepared(rpc, await prepare(hasCountryCodes))
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
    const { batchId } = await rpc.templates.send({
      key,
      channelId,
      to: '+442079460000',
      region: 'GB',
      contactId: null,
      values: [{ name: 'name', value: 'Ada' }],
    })
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
  const { rpc, sandbox } = await open(clock)
  await syncDnc(rpc)
  const { key } = await rpc.templates.create({
    name: 'Points',
    body: '{{name}}: {{points}} points, {{shop}}',
    variables: [nameVariable, { name: 'points', type: 'number' }, { name: 'shop', type: 'string' }],
  })
  const channelId = await channelOf(rpc)
  const listed = sandbox.tenant().dnc()[0]!.phone_number
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
  const order = {
    key,
    channelId,
    subject: 'points.csv',
    source: {
      file: {
        fileId,
        headerRow: 1,
        phoneColumn: 1,
        nameColumn: 0,
        region: 'GB',
        hasCountryCodes: false,
      },
    },
  }
  const mapping = [
    { name: 'name', source: { from: 'name' as const } },
    { name: 'points', source: { from: 'column' as const, column: 2 } },
    { name: 'shop', source: { from: 'constant' as const, value: 'Harbor' } },
  ]
  await expect(rpc.templates.prepare({ ...order, mapping: mapping.slice(1) })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  const { send, first, leftOut, dncList } = await prepared(
    rpc,
    await rpc.templates.prepare({ ...order, mapping }),
  )
  expect(send).toMatchObject({
    state: 'prepared',
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
  expect(sandbox.tenant().ottMessages(), 'a dry run sends nothing').toEqual([])

  await rpc.templates.queue({ id: send.id })
  await expect(rpc.templates.queue({ id: send.id })).rejects.toMatchObject({ code: 'SEND_NOT_POSSIBLE' })
  const { batchId } = await queued(rpc, send.id)
  clock.skip(30_000)
  const items = await itemsOver(rpc, batchId!)
  expect(items.map(({ state }) => state)).toEqual(['done', 'done'])
  expect(
    sandbox
      .tenant()
      .ottMessages()
      .map(({ to, body }) => [to, body])
      .sort(),
  ).toEqual([
    ['+442079460000', 'Ada: 12 points, Harbor'],
    ['+442079460001', 'Grace: 7.5 points, Harbor'],
  ])
  const { taskId } = await rpc.templates.exportResults({ id: send.id, what: 'all' })
  const rows = (await taken(rpc, taskId)).replaceAll('"', '').trim().split('\r\n')
  expect(rows).toHaveLength(10)
  expect((await rpc.templates.sendOf({ id: send.id })).send.state).toBe('finished')
  expect((await rpc.templates.sends({})).items).toMatchObject([{ id: send.id, state: 'finished' }])
  expect(rows[1]).toMatch(/^\+442079460000,Ada,Ada,12,Harbor,sent,,[\w-]+,delivered,/)
  expect(rows.filter((row) => row.includes('skipped'))).toHaveLength(7)

  const again = await prepared(rpc, await rpc.templates.prepare({ ...order, mapping }))
  expect(again.send.counts, 'who got it within a day is counted').toMatchObject({
    willSend: 2,
    sentLately: 2,
  })
  clock.skip(25 * 3_600_000)
  const later = await prepared(rpc, await rpc.templates.prepare({ ...order, mapping }))
  expect(later.send.counts).toMatchObject({ willSend: 2, sentLately: 0 })
}, 60_000)

async function queued(rpc: Rpc, id: string): Promise<BulkSend> {
  for await (const _tasks of await rpc.tasks.watch()) {
    const { send } = await rpc.templates.sendOf({ id })
    if (send.state === 'queued' || send.state === 'finished') return send
  }
  throw new Error('the stream of tasks ended')
}

test('fills placeholders from contact tags and undoes the send during its undo window', async () => {
  const { rpc, sandbox } = await open()
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
  const { send, first } = await prepared(
    rpc,
    await rpc.templates.prepare({
      key,
      channelId: await channelOf(rpc),
      subject: 'all',
      source: { contacts },
      mapping,
    }),
  )
  expect(send.counts).toMatchObject({ recipients: 6, willSend: 5, missingValue: 1 })
  expect(first[4]).toMatchObject({ name: 'Contact 4', values: [{ value: 'Contact 4' }, { value: 'Wien' }] })

  await rpc.templates.queue({ id: send.id })
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
  expect(sandbox.tenant().ottMessages()).toEqual([])
})

test('accepts minimal, extra and unusual answers for a template and a send', async () => {
  const service = await startFixtureService()
  onTestFinished(() => service.stop())
  service.on('GET /dashboard', json(200, { messages_today: 1 }))
  service.on('POST /templates', json(201, { id: 'tpl-1', status: 'in_review', extra: { a: 1 } }))
  service.on('POST /ott/messages', json(200, { id: 'ott-1', status: 'parked', cost: 3 }))
  const running = await startCore({})
  onTestFinished(() => running.stop())
  const { rpc } = running
  await rpc.connections.connect({
    name: 'Other',
    baseUrl: service.baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey: 'a-key' },
  })
  const made = await hello(rpc)
  expect(made).toMatchObject({ serviceId: 'tpl-1', status: 'in_review', name: 'Hello', state: 'known' })
  const { batchId } = await rpc.templates.send({
    key: made.key,
    channelId: 'a-channel',
    to: '+442079460000',
    region: 'GB',
    contactId: null,
    values: [{ name: 'name', value: 'Ada' }],
    uncheckedKnowingly: true,
  })
  const [item] = await itemsOver(rpc, batchId)
  expect(item).toMatchObject({ state: 'done', serviceId: 'ott-1', serviceStatus: 'parked' })
  service.on('DELETE /ott/templates/tpl-1', json(200, {}))
  expect(await rpc.templates.remove({ key: made.key })).toMatchObject({ outcome: 'deleted' })
})

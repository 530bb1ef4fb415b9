import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRowReader } from '#electron/lib/csv/row-reader.ts'
import type { Sandbox } from '#electron/sandbox/create-sandbox.ts'
import { confirmSend } from '../../../../helpers/bulk-sends.ts'
import { download } from '../../../../helpers/contact-files.ts'
import { createFastDayClock } from '../../../../helpers/fast-clock.ts'
import { type Rpc, type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

let rpc: Rpc
let sandbox: Sandbox
let running: RunningCore
beforeAll(async () => {
  running = await startCore({ clock: createFastDayClock(50, { keepDeadlines: true }) })
  ;({ rpc, sandbox } = running)
  await rpc.connections.openSandbox()
})
afterAll(() => running.stop())

async function doneItem(batchId: string) {
  for await (const _drain of await rpc.outbox.watch()) {
    const [item] = (await rpc.outbox.list({ filter: { batchId } })).items
    if (item?.endedAt) return item
  }
  throw new Error('the outbox was closed')
}

const texts = (...names: string[]) => names.map((name) => ({ name, type: 'string' as const }))
const person = (name: string, phone: string) => ({ name, phone, email: '', tags: {} })

test('keeps the text, IDs and times of a message from the service', async () => {
  const channel = sandbox.tenant().channels()[0]!
  const { key } = await rpc.templates.create({
    name: 'Points',
    body: 'Hi {{name}}',
    variables: texts('name', 'spare'),
  })
  const order = {
    key,
    channelId: channel.id,
    to: '+442079460000',
    region: 'GB',
    contactId: null,
    uncheckedKnowingly: true,
  }
  const values = [
    { name: 'name', value: 'Ada' },
    { name: 'spare', value: '' },
  ]
  await expect(rpc.templates.send({ ...order, values })).rejects.toMatchObject({
    data: { detail: { key: 'input.emptyValue', name: 'spare' } },
  })
  const { batchId } = await rpc.templates.send({ ...order, values, allowEmpty: true })
  const item = await doneItem(batchId)
  const [sent] = sandbox.tenant().ottMessages()
  expect(item).toMatchObject({
    serviceId: sent!.id,
    answer: {
      providerMessageId: sent!.provider_message_id,
      channelId: sent!.channel_id,
      templateId: sent!.template_id,
      body: 'Hi Ada',
      createdAt: sent!.created_at,
    },
  })
  // The service's text is shown even if the template changes here.
  await rpc.templates.forget({ key })
  await rpc.templates.adopt({ serviceId: sent!.template_id, name: 'Other', body: 'Bye', variables: [] })
  const again = (await rpc.templates.list({})).items[0]!
  const { items } = await rpc.templates.sentTo({ key: again.key, to: order.to, region: 'GB' })
  expect(items).toMatchObject([{ text: 'Hi Ada' }])
})

test('includes the service’s IDs and texts in the results of a send', async () => {
  const { contact } = await rpc.contacts.create(person('Ada', '+442079460001'))
  const { key } = await rpc.templates.create({
    name: 'T',
    body: 'Hi {{name}}{{end}}',
    variables: texts('name', 'end'),
  })
  const prepared = await rpc.templates.prepare({
    key,
    channelId: sandbox.tenant().channels()[0]!.id,
    source: { contacts: { ids: [contact.id] } },
    subject: 'Ada',
    mapping: [
      { name: 'name', source: { from: 'name' } },
      { name: 'end', source: { from: 'empty' } },
    ],
  })
  await taskEnd(rpc, prepared.taskId!)
  const { taskId } = await confirmSend(rpc, prepared.id, { uncheckedKnowingly: true })
  if (taskId !== null) await taskEnd(rpc, taskId)
  await expect.poll(async () => (await rpc.templates.sendOf({ id: prepared.id })).outcome?.done).toBe(1)
  const sent = sandbox
    .tenant()
    .ottMessages()
    .find(({ to }) => to === contact.phone)
  const exporting = await rpc.templates.exportResults({ id: prepared.id, what: 'all' })
  const results = await taskEnd(rpc, exporting.taskId)
  const rows: string[][] = []
  const reader = createRowReader(',', ({ cells }) => rows.push(cells))
  reader.push((await download(rpc, results.refId!)).toString())
  reader.end()
  const row = Object.fromEntries(rows[0]!.map((name, at) => [name, rows[1]![at]]))
  expect(row).toMatchObject({
    message_id: sent!.id,
    provider_message_id: sent!.provider_message_id,
    channel_id: sent!.channel_id,
    template_id: sent!.template_id,
    created_at: sent!.created_at,
    body: 'Hi Ada',
  })
})

test('shows when the service created templates and contacts, and DNC entry IDs', async () => {
  const template = await rpc.templates.create({ name: 'T', body: 'Hi', variables: [] })
  const { templates, contacts, dnc } = sandbox.tenant()
  const made = templates().find(({ id }) => id === template.serviceId)!
  expect(template).toMatchObject({ createdAt: made.created_at, updatedAt: made.updated_at })

  const { contact } = await rpc.contacts.create(person('Bea', '+442079460002'))
  const { batchId } = await rpc.contacts.push({ selection: { ids: [contact.id] }, uncheckedKnowingly: true })
  await doneItem(batchId!)
  const record = contacts().at(-1)!
  await expect
    .poll(async () => (await rpc.contacts.get({ id: contact.id })).atService)
    .toEqual({ createdAt: record.created_at, updatedAt: record.updated_at })

  const { taskId } = await rpc.dnc.sync()
  await taskEnd(rpc, taskId)
  const { items } = await rpc.dnc.list({ which: 'all', limit: 1 })
  const entry = dnc().find(({ id }) => id === items[0]!.entryId)
  expect(entry).toMatchObject({ phone_number: items[0]!.phoneNumber })
  const online = await rpc.dnc.checkOnline({ phone: items[0]!.phone!, region: 'US' })
  expect(online.entry?.id).toBe(entry!.id)
})

test('adds an existing contact by its service ID and deletes it', async () => {
  const { contacts } = sandbox.tenant()
  const theirs = contacts().at(2)
  const { contact } = await rpc.contacts.create({
    ...person(theirs!.name, theirs!.phone),
    serviceId: theirs!.id,
  })
  expect(contact).toMatchObject({ state: 'service', serviceId: theirs!.id, changedHere: false })
  const { batchId } = await rpc.contacts.delete({ selection: { ids: [contact.id] } })
  await expect.poll(() => contacts().some(({ id }) => id === theirs!.id)).toBe(false)
  expect(batchId).not.toBeNull()
})

test('sets the service ID of a local contact but never replaces one', async () => {
  const [one, other] = sandbox.tenant().contacts()
  const draft = person('Here', one!.phone)
  const local = (await rpc.contacts.create(draft)).contact
  const adopted = await rpc.contacts.create({ ...draft, serviceId: one!.id })
  expect(adopted.contact).toMatchObject({ id: local.id, state: 'service', serviceId: one!.id })
  await expect(rpc.contacts.create({ ...draft, serviceId: other!.id })).rejects.toMatchObject({
    code: 'CONTACT_EXISTS',
  })
})

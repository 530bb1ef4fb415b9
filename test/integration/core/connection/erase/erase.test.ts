import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Connection } from '#contract/connection/connections.ts'
import { confirmSend, dryRun, peopleIn, sendTo, someChannel } from '../../../../helpers/bulk-sends.ts'
import { allContacts, importFile, savedBy, upload } from '../../../../helpers/contact-files.ts'
import { changeFile } from '../../../../helpers/held-write.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { moBody } from '../../../../helpers/deliver-events.ts'
import { openAtOttService } from '../../../../helpers/ott-service.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { eventsStored, outboxOver, taskEnd } from '../../../../helpers/wait-for.ts'
import { restartCore, startInSandbox, startListening } from '../../../../helpers/test-core.ts'
import {
  alertSql,
  deliver,
  erase,
  expectErased,
  filesWith,
  fill,
  other,
  personal,
  phone,
  secret,
} from './erase-fixture.ts'

/** Makes the next start rebuild all events from the journal. */
async function rebuilt(running: RunningCore): Promise<RunningCore> {
  await running.stopCore()
  changeFile(join(running.dataDir, 'connections', 'sandbox', 'state.db'), 'DELETE FROM projector')
  return restartCore(running)
}

test('erases a person from every file of the profile and keeps everyone else', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  await fill(rpc)
  const wide = Buffer.from('\ufeffName;E-Mail\nA. Lovelace;ada@x.example\n', 'utf16le')
  const fileId = await upload(rpc, 'wide.csv', wide)
  changeFile(join(running.dataDir, 'console.db'), alertSql)
  expect(filesWith(running, personal).length).toBeGreaterThan(3)
  const refused = (number: string, confirm: string, code: string) =>
    expect(rpc.erase.start({ phone: number, confirm, keepHold: false })).rejects.toMatchObject({ code })
  await refused(phone, '+49171', 'CONFIRMATION_MISMATCH')
  // Other numbers and IDs contain one so short.
  await refused('12345', '12345', 'PHONE_INVALID')
  // The inbound messages were sent to it.
  await refused('+15550100', '15550100', 'INVALID_INPUT')
  const connection = { id: 'sandbox', name: 'Live', colour: 'red', production: true } as const
  await rpc.connections.update(connection)
  await refused(phone, phone, 'CONFIRMATION_MISMATCH')
  await rpc.connections.update({ ...connection, production: false })
  const receipt = await erase(rpc)
  expect(receipt.removed).toEqual(
    expect.arrayContaining([
      { place: 'contacts', count: 1 },
      { place: 'deliveries', count: 5 },
      { place: 'events', count: 4 },
      { place: 'holds', count: 1 },
    ]),
  )
  expect(receipt).toMatchObject({ ending: '01', kept: [] })
  expect(receipt.files).toEqual(
    expect.arrayContaining([
      { kind: 'file', name: 'people.csv' },
      { kind: 'rejected', name: 'people.csv' },
      { kind: 'file', name: 'wide.csv' },
    ]),
  )
  await expectErased(running)
  await expect(rpc.files.read({ fileId, offset: 0 })).rejects.toMatchObject({ code: 'FILE_ERASED' })
})

test('rebuilds no event from erased deliveries and stores later ones as new', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  await fill(rpc)
  await erase(rpc)
  await deliver(rpc, moBody('m-1', phone, 'It is Ada Lovelace'))
  await eventsStored(rpc, 3)
  const restarted = await rebuilt(running)
  await eventsStored(restarted.rpc, 3)
  expect(filesWith(restarted, ['prefers mornings'])).toEqual([])
})

test('names the record on the service, also when it stopped after the contact was removed', async () => {
  const running = await startListening()
  const { rpc } = running
  await rpc.contacts.create({ name: 'Ada Lovelace', phone, email: '', tags: {}, serviceId: 'their-1' })
  await deliver(rpc, moBody('m-1', phone, 'Hello'))
  await eventsStored(rpc, 1)
  const inState = (sql: string) =>
    changeFile(join(running.dataDir, 'connections', 'sandbox', 'state.db'), sql)
  inState("CREATE TRIGGER stops BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'stopped'); END")
  const { id, taskId } = await rpc.erase.start({ phone, confirm: phone, keepHold: false })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'failed' })
  expect(await rpc.contacts.byPhone({ phone })).toEqual({ contact: null })
  await running.stopCore()
  inState('DROP TRIGGER stops')
  const again = await restartCore(running)
  const receipt = async () => (await again.rpc.erase.receipts()).items.find((one) => one.id === id)!
  await expect.poll(async () => (await receipt()).endedAt).not.toBe(null)
  expect((await receipt()).kept).toEqual([{ reason: 'on-service', count: 1 }])
})

test('names the contact that has the number beside its own', async () => {
  const { rpc } = await startInSandbox()
  await importFile(rpc, 'two.csv', 'Name,Phone\nAnn Sample,+1 201 555 0240/41\n', {
    severalNumbers: 'use-first',
  })
  expect((await erase(rpc, '+12015550241')).kept).toEqual([{ reason: 'other-contact', count: 1 }])
  const first = await erase(rpc, '+12015550240')
  expect(first).toMatchObject({
    removed: expect.arrayContaining([{ place: 'contacts', count: 1 }]),
    kept: [],
  })
})

test('names the entry of the DNC list, which it can’t remove', async () => {
  const { rpc, sandbox } = await startInSandbox()
  await syncDnc(rpc)
  const listed = sandbox.tenant().dnc()[0]!.phone_number
  expect((await erase(rpc, listed)).kept).toEqual([{ reason: 'dnc-list', count: 1 }])
})

test('keeps messages of others that only share a name, note or tag value with the person', async () => {
  const { rpc } = await startInSandbox()
  await fill(rpc)
  const shared = 'Who prefers mornings? Ada Lovelace, the Countess of Lovelace'
  await deliver(rpc, moBody('m-6', other.phone, shared), moBody('m-7', other.phone, `Ada is now ${phone}`))
  await eventsStored(rpc, 8)
  await erase(rpc)
  const { items } = await rpc.events.search({ filter: { kinds: ['mo'] }, limit: 10 })
  expect(items.map(({ content }) => content)).toEqual([shared, 'Hello'])
})

test('blocks a number by its hash alone, until it is released together with a later hold', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  await fill(rpc)
  expect((await erase(rpc, phone, true)).kept).toEqual([{ reason: 'hashed-hold', count: 1 }])
  expect(filesWith(running, personal)).toEqual([])
  const { contact, hold } = await rpc.contacts.create({ name: 'New', phone, email: '', tags: {} })
  expect([hold === null, contact.held]).toEqual([false, true])
  const { id } = await rpc.dnc.hold({ phone, region: 'DE', evidence: 'Asked by phone' })
  expect(await rpc.dnc.release({ id })).toMatchObject({ phone, endReason: 'by-hand' })
  expect((await rpc.contacts.byPhone({ phone })).contact).toMatchObject({ held: false })
})

test('blocks the other spelling of an erased number, too', async () => {
  const { rpc } = await startInSandbox()
  await erase(rpc, '+5491157447700', true)
  const create = (phone: string) => rpc.contacts.create({ name: 'New', phone, email: '', tags: {} })
  const { contact, hold } = await create('+541157447700')
  expect([hold === null, contact.held]).toEqual([false, true])
  expect((await create('+541157447701')).contact).toMatchObject({ held: false })
  await rpc.dnc.hold({ phone: contact.phone, region: 'AR', evidence: 'Asked by phone' })
  const { items } = await rpc.dnc.holds({ which: 'active', limit: 10 })
  await rpc.dnc.release({ id: items[0]!.id })
  expect((await rpc.contacts.byPhone({ phone: contact.phone })).contact).toMatchObject({ held: false })
})

test('shows contacts of an erased line as on hold, however they are stored', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  const spellings = ['+541157447700', '+5491157447700']
  const held = async ({ rpc } = running) =>
    (await allContacts(rpc)).map((contact) => (contact.held ? contact.phone : 'free'))
  await importFile(rpc, 'before.csv', `Phone\n${spellings[0]}\n+541157447701\n`)
  await erase(rpc, spellings[1]!, true)
  expect(await held()).toEqual([spellings[0], 'free'])
  await importFile(rpc, 'after.csv', `Phone\n${spellings[1]}\n`)
  expect(await held()).toEqual([spellings[0], 'free', spellings[1]])
  const { id } = (await rpc.contacts.byPhone({ phone: spellings[1]! })).contact!
  const { batchId } = await rpc.contacts.delete({ selection: { ids: [id] } })
  await rpc.outbox.undo({ batchId: batchId! })
  expect(await held(await restartCore(running))).toEqual([spellings[0], 'free', spellings[1]])
})

test('never widens a saved filter or a send: those with the person in their filter go', async () => {
  const { rpc } = await startInSandbox()
  await fill(rpc)
  const filter = { text: '0171 23456701' }
  await rpc.contacts.saveFilter({ name: 'Ada', filter })
  await rpc.contacts.saveFilter({ name: 'Grace', filter: { text: 'Grace' } })
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const { id } = await dryRun(rpc, { key, source: { contacts: { filter, exceptIds: [] } } })
  expect((await erase(rpc)).removed).toContainEqual({ place: 'settings', count: 1 })
  expect((await rpc.contacts.savedFilters()).filters.map(({ name }) => name)).toEqual(['Grace'])
  await expect(rpc.templates.sendOf({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('leaves no trigram of an erased or a deleted contact in the search index', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  // One of many: FTS5 itself rewrites an index with a tenth of it deleted.
  const others = Array.from({ length: 60 }, (_, at) => `Grace Hopper,+491712345${1000 + at}`)
  const file = ['Name,Phone', ...others, `Quvor,${phone}`, 'Juwel,+4917123456703', ''].join('\n')
  await importFile(rpc, 'many.csv', file)
  const indexed = (trigram: string) => filesWith(running, [trigram]).filter((name) => /search\.db/.test(name))
  await expect.poll(() => [indexed('quv'), indexed('juw')]).not.toContainEqual([])
  await erase(rpc)
  expect(indexed('quv')).toEqual([])
  const { contact } = await rpc.contacts.byPhone({ phone: '+4917123456703' })
  await rpc.contacts.delete({ selection: { ids: [contact!.id] } })
  await expect.poll(() => indexed('juw'), { timeout: 15_000 }).toEqual([])
})

test('empties a test send to someone else that has the person’s values', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  const variables = [{ name: 'name', type: 'string' as const }]
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello {{ name }}', variables })
  const fileId = await upload(rpc, 'people.csv', Buffer.from(`Name,Phone\nXimena Quortz,${phone}\n`))
  const mapping = [{ name: 'name', source: { from: 'name' as const } }]
  const { id } = await dryRun(rpc, { key, source: peopleIn(fileId), mapping })
  await rpc.templates.test({ id, at: 1, to: other.phone, region: 'DE', uncheckedKnowingly: true })
  await outboxOver(rpc)
  const { kept, removed } = await erase(rpc)
  expect(kept).toEqual([])
  // Nobody looked up a message.
  expect(removed.map(({ place }) => place)).not.toContain('lookups')
  expect(filesWith(running, ['Ximena Quortz'])).toEqual([])
})

test('stops a paused queueing, leaves the person out of its file, and sends to the others', async () => {
  const { rpc, service, running } = await openAtOttService()
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  const people = ['Name,Phone', 'Ada Lovelace,0171 234567-01', `Kim,${other.phone}`, 'Lee,+4917123456703']
  people.push('Ann,+4917123456704', 'Bo,+4917123456705')
  const fileId = await upload(rpc, 'people.csv', people.join('\n'))
  const { id } = await dryRun(rpc, { key, source: peopleIn(fileId) })
  const { taskId } = await confirmSend(rpc, id)
  await rpc.tasks.pause({ id: taskId! })
  expect((await erase(rpc)).kept).toEqual([])
  expect(filesWith(running, ['234567-01', 'Ada Lovelace'])).toEqual([])
  expect((await rpc.tasks.get({ id: taskId! })).state).toBe('interrupted')
  await rpc.tasks.resume({ id: taskId! })
  await taskEnd(rpc, taskId!)
  const { send } = await rpc.templates.sendOf({ id })
  expect(send).toMatchObject({ state: 'prepared', changedFrom: 5, counts: { recipients: 4, willSend: 4 } })
  await rpc.outbox.pause()
  await taskEnd(rpc, (await confirmSend(rpc, id)).taskId!)
  expect((await rpc.templates.sendOf({ id })).drain).toEqual({ state: 'paused', problem: null })

  await rpc.dnc.hold({ phone: other.phone, region: 'DE', evidence: 'Asked by phone' })
  service.dnc = ['+4917123456703']
  await syncDnc(rpc)
  await erase(rpc, '+4917123456704')
  await rpc.outbox.resume()
  await outboxOver(rpc)
  expect(service.requests.map(({ to }) => to)).toEqual(['+4917123456705'])
  expect((await rpc.templates.sendOf({ id })).notSent).toEqual({ dnc: 1, held: 1, erased: 1 })
  expect((await rpc.outbox.batches({})).items.map(({ counts }) => counts)).toContainEqual(
    expect.objectContaining({ 'not-sent': 1, held: 1 }),
  )
  const { counts } = await rpc.sendReports.get({ id })
  const one = { status: null, code: null, count: 1 }
  expect(counts).toEqual(['dnc', 'erased', 'held', 'no-report'].map((outcome) => ({ outcome, ...one })))
})

test('drops exactly the rows of erased people from the file of a send, by the numbers read from them', async () => {
  const { rpc, service } = await openAtOttService()
  const { key } = await rpc.templates.create({
    name: 'Hello',
    body: 'Hello {{who}}',
    variables: [{ name: 'who', type: 'string' }],
  })
  const rows = [
    'Name,Phone,Country,Order',
    'Ana,011 15-2345-6789,AR,',
    'Ian,0011 49 171 23456703,AU,',
    'Tom,0171            23456701,DE,',
    'Ada,+1 201 555 0241,US,',
    'Kim,0201 5550241,DE,',
    `Grace,${other.phone},DE,2015550241`,
  ]
  const fileId = await upload(rpc, 'people.csv', rows.join('\n'))
  const mapping = [{ name: 'who', source: { from: 'column' as const, column: 0 } }]
  const { id, send } = await dryRun(rpc, { key, source: peopleIn(fileId, { countryColumn: 2 }), mapping })
  expect(send.counts).toMatchObject({ willSend: 6 })
  for (const number of ['+5491123456789', '+4917123456703', phone, '+12015550241']) await erase(rpc, number)
  await taskEnd(rpc, (await rpc.templates.recount({ id })).taskId!)
  await taskEnd(rpc, (await confirmSend(rpc, id)).taskId!)
  await outboxOver(rpc)
  expect(service.requests.map(({ to }) => to)).toEqual(['+492015550241', other.phone])
  await erase(rpc, other.phone)
  expect(await savedBy(rpc, await rpc.templates.exportResults({ id, what: 'all' }))).toMatch(
    /^"","","","sent","erased on request"/m,
  )
})

test('still counts an erased recipient as on hold', async () => {
  const { rpc } = await openAtOttService()
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  await rpc.outbox.pause()
  await sendTo(rpc, { key, to: phone })
  await rpc.dnc.hold({ phone, region: 'DE', evidence: 'Asked by phone' })
  await rpc.outbox.resume()
  await outboxOver(rpc)
  await erase(rpc, phone)
  const { items, total } = await rpc.outbox.list({ filter: { states: ['held'] }, limit: 5 })
  expect({ total, phones: items.map((item) => item.phone) }).toEqual({ total: 1, phones: [''] })
})

const failing = "CREATE TRIGGER stops BEFORE DELETE ON contacts BEGIN SELECT RAISE(ABORT, 'stopped'); END"

test.each([
  ['done', '', [other.phone], 'FILE_ERASED'],
  ['failed', failing, [phone, other.phone], null],
] as const)(
  'counts sends confirmed or begun during an erasure after it, also when that failed (%s)',
  async (end, sql, sentTo, problem) => {
    const { rpc, service, running } = await openAtOttService()
    const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
    const fileId = await upload(rpc, 'people.csv', `Name,Phone\nAda,${phone}\nGrace,${other.phone}\n`)
    const { id } = await dryRun(rpc, { key, source: peopleIn(fileId) })
    await rpc.contacts.create({ name: 'Ada', phone, email: '', tags: {} })
    await rpc.dnc.hold({ phone, region: 'DE', evidence: 'Asked by phone' })
    await rpc.outbox.pause()
    const again = await upload(rpc, 'again.csv', `Name,Phone\nAda,${phone}\n`)
    const folder = join(running.dataDir, 'connections')
    const own = readdirSync(folder).find((name) => name !== 'sandbox')!
    const contacts = new Sqlite(join(folder, own, 'contacts.db'))
    contacts.exec('BEGIN IMMEDIATE')
    const { taskId } = await rpc.erase.start({ phone, confirm: phone, keepHold: false })
    const removed = async () => (await rpc.erase.receipts()).items[0]!.removed.map(({ place }) => place)
    await expect.poll(removed).toContain('holds')
    const queueing = await confirmSend(rpc, id)
    await sendTo(rpc, { key, to: phone })
    const counting = await rpc.templates.prepare({
      key,
      channelId: someChannel,
      source: peopleIn(again),
      subject: 'again.csv',
      mapping: [],
    })
    await expect.poll(async () => (await rpc.tasks.get({ id: counting.taskId! })).state).toBe('interrupted')
    contacts.exec(`${sql}; COMMIT`)
    contacts.close()
    expect((await taskEnd(rpc, taskId)).state).toBe(end)
    expect((await taskEnd(rpc, queueing.taskId!)).state).toBe('done')
    expect((await taskEnd(rpc, counting.taskId!)).problem?.code ?? null).toBe(problem)
    expect((await rpc.templates.sendOf({ id })).send).toMatchObject({
      changedFrom: 2,
      counts: { willSend: 1 },
    })
    await taskEnd(rpc, (await confirmSend(rpc, id)).taskId!)
    await rpc.outbox.resume()
    await outboxOver(rpc)
    expect(service.requests.map(({ to }) => to)).toEqual(sentTo)
  },
)

test('leaves no request that can be resent to the person, and every other one', async () => {
  const { rpc, service } = await openAtOttService()
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  for (const [to, fate] of [
    [phone, 'rejected'],
    [other.phone, 'reset-before'],
    [phone, 'reset-after'],
  ] as const) {
    service.fate = () => fate
    await sendTo(rpc, { key, to })
    await outboxOver(rpc)
  }
  await rpc.outbox.pause()
  await sendTo(rpc, { key, to: phone })
  await rpc.dnc.hold({ phone, region: 'DE', evidence: 'Asked by phone' })
  expect(await erase(rpc, '+49 (171) 234-56701')).toMatchObject({
    removed: expect.arrayContaining([
      { place: 'unconfirmed', count: 1 },
      { place: 'outbox', count: 2 },
    ]),
    kept: [],
  })
  service.fate = () => 'done'
  await rpc.outbox.resume()
  const all = { selection: { filter: {} } }
  expect(await rpc.outbox.retryRejected(all)).toMatchObject({ queued: 0, blocked: 0 })
  expect(await rpc.outbox.resolve({ ...all, how: 'send-again' })).toMatchObject({ resolved: 1 })
  await outboxOver(rpc)
  expect(service.requests.map(({ to }) => to)).toEqual([phone, other.phone, phone, other.phone])
})

test('keeps longer numbers that contain a short one', async () => {
  const { rpc } = await startListening()
  const short = '2345670'
  await deliver(
    rpc,
    moBody('m-1', other.phone, `Order 1${short} and ${short}9`),
    moBody('m-2', other.phone, `Call ${short}`),
    moBody('m-3', short, 'Hello'),
  )
  await eventsStored(rpc, 3)
  await rpc.events.saveFilter({ name: 'Order', filter: { text: `1${short}` } })
  await rpc.events.saveFilter({ name: 'Number', filter: { number: short } })
  await erase(rpc, short)
  const { items } = await rpc.events.search({ filter: {}, limit: 10 })
  expect(items.map(({ content }) => content)).toEqual([`Order 1${short} and ${short}9`])
  const { filters } = await rpc.events.savedFilters()
  expect(filters.map(({ filter }) => filter)).toEqual([{ number: '0' }, { text: `1${short}` }])
})

test('finds every spelling of a number in files, events, holds and messages of others', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  const kim = '+12015550241'
  const [{ id, name, colour, production }] = (await rpc.connections.list()).connections as [Connection]
  await rpc.connections.update({ id, name, colour, production, country: 'US' })
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  const table = 'Name,Phone\nKim Sample,+1\u200b201\u200b5550241\nLee Other,+12015550242\n'
  for (const text of [table, table.replace('+1\u200b201\u200b5550241', '1.2015550241E+10')])
    await upload(rpc, 'people.csv', Buffer.from(text))
  await upload(rpc, 'wide.csv', Buffer.from(`\ufeff${table}`, 'utf16le'))
  for (const tel of ['TEL:+1201\r\n 5550241', 'TEL;ENCODING=QUOTED-PRINTABLE:=2B12015550241'])
    await upload(rpc, 'kim.vcf', Buffer.from(`BEGIN:VCARD\r\nFN:Kim Sample\r\n${tel}\r\nEND:VCARD\r\n`))
  const others = await upload(rpc, 'others.csv', Buffer.from('Name,Phone\nLee Other,+12015550242\n'))
  const spelled = ['whatsapp:+12015550241', '(201) 555-0241', '+1\u200b2015550241', '1 201 555 0241']
  await deliver(
    rpc,
    ...spelled.map((source, at) => moBody(`m-${at}`, source, at === 0 ? 'STOP' : 'Hello')),
    moBody('m-8', other.phone, 'Call Kim at (201) 555-0241'),
    moBody('m-9', other.phone, 'Call Lee at (201) 555-0242'),
  )
  await eventsStored(rpc, 6)
  await expect.poll(async () => (await rpc.dnc.holds({ which: 'active', limit: 5 })).total).toBe(1)
  const receipt = await erase(rpc, kim)
  expect(receipt.kept).toEqual([])
  expect(receipt.removed).toEqual(
    expect.arrayContaining([
      { place: 'holds', count: 1 },
      { place: 'events', count: 5 },
      { place: 'files', count: 5 },
    ]),
  )
  expect(filesWith(running, ['5550241', '555-0241', 'Kim Sample'])).toEqual([])
  const { items } = await rpc.events.search({ filter: {}, limit: 10 })
  expect(items.map(({ content }) => content)).toEqual(['Call Lee at (201) 555-0242'])
  expect(await rpc.files.read({ fileId: others, offset: 0 })).toBeTruthy()
})

test('empties the delivery of a short number in national form', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  const [{ id, name, colour, production }] = (await rpc.connections.list()).connections as [Connection]
  await rpc.connections.update({ id, name, colour, production, country: 'NO' })
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  await deliver(rpc, moBody('m-1', '40612345', 'Hello'), moBody('m-2', other.phone, 'Hello'))
  await eventsStored(rpc, 2)
  const { removed } = await erase(rpc, '+4740612345')
  expect(removed).toEqual(
    expect.arrayContaining([
      { place: 'deliveries', count: 1 },
      { place: 'events', count: 1 },
    ]),
  )
  expect(filesWith(running, ['40612345'])).toEqual([])
})

test('removes a hold that can’t be applied if its sender spells the number', async () => {
  const running = await startListening()
  const { rpc } = running
  await deliver(rpc, moBody('m-1', '(201) 555-0241', 'STOP'), moBody('m-2', '(201) 555-0242', 'STOP'))
  await eventsStored(rpc, 2)
  const held = async () =>
    (await rpc.dnc.holds({ which: 'active', limit: 5 })).items.map(({ phone: sender }) => sender)
  await expect.poll(async () => (await held()).length).toBe(2)
  const kim = '+12015550241'
  const receipt = await erase(rpc, kim, true)
  expect(receipt.removed).toContainEqual({ place: 'holds', count: 1 })
  expect(await held()).toEqual(['(201) 555-0242'])
  expect(filesWith(running, ['555-0241'])).toEqual([])
})

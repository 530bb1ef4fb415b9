import { englishText, type Phrase } from '#electron/contract/phrases.ts'
import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { importFile } from '../../../../helpers/contact-files.ts'
import { createFastDayClock } from '../../../../helpers/fast-clock.ts'
import { startOttService } from '../../../../helpers/ott-service.ts'
import { type Rpc, startCore } from '../../../../helpers/start-core.ts'
import { everyItem } from '../outbox/outbox-items.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const polish = '+48601223024'
const german = '+491706755604'
const onList = (phone: string): Phrase => ({ key: 'phone.otherOnDnc', digits: phone.slice(1) })
const channelId = '96d03559-3298-4c60-a38e-3e26769de09c'
const inGermany = { region: 'DE', hasCountryCodes: false }

/** A dry run of a file of numbers. */
async function dryRun(rpc: Rpc, key: number, fileId: string) {
  const send = await rpc.templates.prepare({
    key,
    channelId,
    subject: 'list.csv',
    source: { file: { fileId, headerRow: 1, phoneColumn: 0, nameColumn: null, ...inGermany } },
    mapping: [],
  })
  await taskEnd(rpc, send.taskId!)
  return send
}

/** A console with one number on the DNC list and one on hold. Without their plus, both are also German numbers. */
async function open({ speed = 50, isSynced = true } = {}) {
  const service = await startOttService()
  onTestFinished(() => service.stop())
  service.dnc = [polish]
  const running = await startCore({ clock: createFastDayClock(speed) })
  onTestFinished(() => running.stop())
  const { rpc } = running
  await rpc.connections.connect({
    name: 'List',
    baseUrl: service.baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey: 'k-1' },
  })
  if (isSynced) await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
  await rpc.dnc.hold({ phone: german, region: 'DE', evidence: 'asked' })

  async function upload(text: string): Promise<string> {
    const bytes = Buffer.from(text)
    const { fileId } = await rpc.files.begin({ name: 'list.csv', sizeBytes: bytes.length })
    await rpc.files.append({ fileId, offset: 0, base64: bytes.toString('base64') })
    return fileId
  }
  const read = async (fileId: string) =>
    Buffer.from((await rpc.files.read({ fileId, offset: 0 })).base64, 'base64').toString()
  const stateFile = () => {
    const folder = join(running.dataDir, 'connections')
    return join(folder, readdirSync(folder)[0]!, 'state.db')
  }
  return { rpc, service, upload, read, stateFile }
}

test('does not call a number clear that is listed or held with a plus', async () => {
  const { rpc } = await open()
  const phones = ['48601223024', '48 601\u00a0223-024', '491706755604', '048601223024', '48601223025', polish]
  const { verdicts } = await rpc.dnc.checkOffline({ phones, region: 'DE' })
  expect(verdicts.map(({ verdict, phone, reason, source }) => [verdict, phone, reason, source])).toEqual([
    ['blocked', '+4948601223024', onList(polish), 'dnc'],
    ['blocked', '+4948601223024', onList(polish), 'dnc'],
    ['blocked', german, 'asked', 'hold'],
    ['clear', '+4948601223024', null, 'none'],
    ['clear', '+4948601223025', null, 'none'],
    ['blocked', polish, 'asked', 'dnc'],
  ])
  // Also when it is not a number as dialled.
  const [unread] = (await rpc.dnc.checkOffline({ phones: ['48601223024'], region: 'US' })).verdicts
  expect(unread).toMatchObject({ verdict: 'blocked', phone: polish, reason: onList(polish) })

  const online = await rpc.dnc.checkOnline({ phone: '48601223024', region: 'DE' })
  expect(online.remarks).toContainEqual({ key: 'dnc.otherOnDnc', digits: polish.slice(1) })
})

test('asks the service about every number that a text may mean', async () => {
  const { rpc, service } = await open({ isSynced: false })
  expect(await rpc.dnc.checkOnline({ phone: '48601223024', region: 'DE' })).toMatchObject({
    phone: '+4948601223024',
    verdict: 'blocked',
    entry: { phoneNumber: polish },
    remarks: [{ key: 'dnc.notYetOffline' }, { key: 'dnc.otherOnDnc', digits: polish.slice(1) }],
  })
  service.dnc = []
  expect(await rpc.dnc.checkOnline({ phone: '48601223024', region: 'DE' })).toMatchObject({
    verdict: 'not-proven',
  })
})

test('checks a text with an extension or several numbers by the number that is listed, here and at the service', async () => {
  const { rpc } = await open()
  const texts = ['+48 601 223 024 ext 4', '0171 1234567 / 0048 601 223 024']
  const { verdicts } = await rpc.dnc.checkOffline({ phones: texts, region: 'DE' })
  expect(verdicts).toMatchObject([
    { verdict: 'blocked', phone: polish, reason: 'asked' },
    { verdict: 'blocked', phone: polish, reason: onList(polish) },
  ])
  expect(englishText(onList(polish))).toBe('it could be +48601223024, which is on the DNC list')
  for (const phone of texts)
    expect(await rpc.dnc.checkOnline({ phone, region: 'DE' })).toMatchObject({ phone: polish })
  const two = { phone: '0171 1234567 / 0171 1234568', region: 'DE' }
  await expect(rpc.dnc.checkOnline(two)).rejects.toMatchObject({ code: 'NUMBER_INVALID' })
})

test('reports such numbers in a list as blocked', async () => {
  const { rpc, read } = await open()
  const text = '48601223024\n491706755604\n48601223025\n+48601223024'
  const { taskId } = await rpc.dnc.checkFile({ name: 'pasted', source: { text }, ...inGermany })
  await taskEnd(rpc, taskId)
  const run = (await rpc.dnc.checkRuns({ limit: 1 })).items[0]!
  expect(run.counts).toMatchObject({ rows: 4, clear: 1, blocked: 3, unparsable: 0 })
  const blocked = await read(run.files!.blocked)
  expect(blocked).toContain(`"48601223024","+4948601223024","${englishText(onList(polish))}"`)
  expect(blocked).toMatch(/"491706755604","\+491706755604","asked","\d{4}-.*Z","hold"/)
  expect(await read(run.files!.clear)).toContain('"48601223025","+4948601223025"')
})

test('says of a list what it says of each of its numbers, and calls nobody clear in another reading', async () => {
  const { rpc, service, read } = await open()
  service.dnc = ['+4915155510047', '+15155510049', '+495550047', '+524531031659', '+12025550187']
  await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
  const listed = ['15155510047', '15155510049', '5550047', '5214531031659', '12,025,550,187', '491706755604']
  const others = ['15155510048', '5550048', '2,025,550,188', '0151 5551 0050', '12025550188', 'n/a']
  const { verdicts } = await rpc.dnc.checkOffline({ phones: [...listed, ...others], region: 'DE' })
  const one = verdicts.map(({ input, phone, verdict }) => [input, phone, verdict])
  expect(one.slice(listed.length)).toEqual([
    ['15155510048', '+4915155510048', 'clear'],
    ['5550048', '+495550048', 'clear'],
    ['2,025,550,188', '+492025550188', 'clear'],
    ['0151 5551 0050', '+4915155510050', 'clear'],
    ['12025550188', null, 'unparsable'],
    ['n/a', null, 'unparsable'],
  ])

  /** What each file of a check has. */
  async function checked(hasCountryCodes: boolean) {
    const text = [...listed, ...others].join('\n')
    const { taskId } = await rpc.dnc.checkFile({
      name: 'pasted',
      source: { text },
      region: 'DE',
      hasCountryCodes,
    })
    await taskEnd(rpc, taskId)
    const { files } = (await rpc.dnc.checkRuns({ limit: 1 })).items[0]!
    const rowsOf = async (fileId: string) =>
      [...(await read(fileId)).matchAll(/^"([^"]+)","([^"]+)"/gm)].map(([, ...cells]) => cells)
    const [clear, blocked, unparsable] = await Promise.all([
      rowsOf(files!.clear),
      rowsOf(files!.blocked),
      rowsOf(files!.unparsable),
    ])
    return { clear, blocked, unparsable: unparsable.map(([, input]) => input) }
  }
  const having = (wanted: string) =>
    one.flatMap(([input, phone, verdict]) => (verdict === wanted ? [[input, phone]] : []))
  expect(await checked(false)).toEqual({
    clear: having('clear'),
    blocked: having('blocked'),
    unparsable: having('unparsable').map(([input]) => input),
  })
  const { clear, blocked } = await checked(true)
  expect(blocked.map(([input]) => input)).toEqual(listed)
  expect(clear).toEqual([
    ['15155510048', '+15155510048'],
    ['0151 5551 0050', '+4915155510050'],
    ['12025550188', '+12025550188'],
  ])
})

test('sends nothing to such a number', async () => {
  const { rpc, upload } = await open()
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const fileId = await upload('mobile\n48601223024\n491706755604\n48601223025')
  const send = await dryRun(rpc, key, fileId)
  const { send: prepared, first, leftOut } = await rpc.templates.sendOf({ id: send.id })
  expect(prepared.counts).toMatchObject({ recipients: 3, willSend: 1, dnc: 1, held: 1 })
  expect(first.map(({ phone }) => phone)).toEqual(['+4948601223025'])
  expect(leftOut.map((row) => [row.leftOut, row.reason])).toEqual([
    ['dnc', onList(polish)],
    ['held', { key: 'plan.held' }],
  ])

  const one = { key, channelId, region: 'DE', contactId: null, values: [], uncheckedKnowingly: false }
  await expect(rpc.templates.send({ ...one, to: '48601223024' })).rejects.toMatchObject({
    code: 'ON_DNC',
    data: { phone: '+4948601223024', reason: onList(polish) },
  })
  // The service knows nothing of a hold.
  await rpc.dnc.hold({ phone: '+48601223031', region: 'DE', evidence: 'asked' })
  await expect(rpc.templates.send({ ...one, to: '48601223031' })).rejects.toMatchObject({ code: 'ON_DNC' })
})

test('sends nothing to a number whose other reading was listed or held while the request waited', async () => {
  const { rpc, service, upload, stateFile } = await open()
  await rpc.outbox.pause()
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const others = ['48601223026', '48601223027', '48601223028']
  const fileId = await upload(['mobile', ...others].join('\n'))
  const send = await dryRun(rpc, key, fileId)
  await rpc.templates.queue({ id: send.id, uncheckedKnowingly: false })
  const one = { key, channelId, region: 'DE', contactId: null, values: [], uncheckedKnowingly: false }
  await rpc.templates.send({ ...one, to: '48601223029' })
  await rpc.templates.send({ ...one, to: '48601223030' })
  for await (const { counts } of await rpc.outbox.watch()) if (counts.queued === 5) break

  service.dnc = ['+48601223026', '+48601223029']
  await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
  await rpc.dnc.hold({ phone: '+48601223027', region: 'DE', evidence: 'asked' })
  await rpc.outbox.resume()
  const ended = async () => {
    for await (const { counts } of await rpc.outbox.watch())
      if (counts.queued + counts.undoable + counts['in-flight'] === 0) break
    return (await everyItem(rpc, ['rejected'])).map(({ phone, problem }) => [phone, problem?.code]).toSorted()
  }
  const blocked = ['+4948601223026', '+4948601223027', '+4948601223029'].map((phone) => [phone, 'ON_DNC'])
  expect(await ended()).toEqual(blocked)
  // A retry knows the other readings too.
  await rpc.outbox.retryRejected({ selection: { filter: {} } })
  expect(await ended()).toEqual(blocked)
  expect([...service.sent.keys()].toSorted()).toEqual(['+4948601223028', '+4948601223030'])

  // An erasure keeps requests to the other number without the erased one. If that stays blocked, they don't leave.
  await rpc.outbox.pause()
  for (const to of ['48601223031', '48601223032']) await rpc.templates.send({ ...one, to })
  for (const [ending, keepHold] of Object.entries({ 26: false, 30: false, 31: false, 32: true })) {
    const phone = `+486012230${ending}`
    await taskEnd(rpc, (await rpc.erase.start({ phone, confirm: phone, keepHold })).taskId)
  }
  const left = await everyItem(rpc, ['done', 'rejected', 'queued', 'undoable'])
  expect(left.map(({ phone, state }) => [phone, state]).toSorted()).toEqual([
    ['+4948601223026', 'rejected'],
    ['+4948601223027', 'rejected'],
    ['+4948601223028', 'done'],
    ['+4948601223029', 'rejected'],
    ['+4948601223030', 'done'],
    ['+4948601223031', 'queued'],
  ])
  const state = new Sqlite(stateFile(), { readonly: true })
  const further = `SELECT group_concat(others_json || coalesce(problem_json, '')) FROM outbox`
  expect(state.prepare(further).pluck().get()).not.toMatch(/\b486012230(26|30|31|32)/)
  state.close()
})

test('judges a contact’s number by its other numbers wherever the outbox does', async () => {
  const { rpc, upload, read } = await open()
  const table =
    'Name,Phone\nAnn,+49 151 55560010 / +48601223024\nBob,+49 151 55560011 / 0170 6755604\nCy,+49 151 55560012\n'
  await importFile(rpc, 'two.csv', table, { severalNumbers: 'use-first' })
  const phones = ['+4915155560010', '+4915155560011', '+4915155560012']
  const reasons = [onList(polish), { key: 'phone.otherOnHold', digits: german.slice(1) }]

  const { verdicts } = await rpc.dnc.checkOffline({ phones, region: 'DE' })
  expect(verdicts.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['blocked', reasons[0]],
    ['blocked', reasons[1]],
    ['clear', null],
  ])
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const fileId = await upload(['mobile', ...phones].join('\n'))
  const send = await dryRun(rpc, key, fileId)
  const { send: prepared, leftOut } = await rpc.templates.sendOf({ id: send.id })
  expect(prepared.counts).toMatchObject({ willSend: 1, dnc: 1, held: 1 })
  expect(leftOut.map(({ reason }) => reason)).toEqual(reasons)

  const list = { name: 'pasted', source: { text: phones.join('\n') }, ...inGermany }
  await taskEnd(rpc, (await rpc.dnc.checkFile(list)).taskId)
  const { files } = (await rpc.dnc.checkRuns({ limit: 1 })).items[0]!
  expect((await read(files!.clear)).match(/\+49\d+/g)).toEqual([phones[2], phones[2]])
})

test('asks the service about one recipient right before sending', async () => {
  const { rpc, service } = await open({ speed: 5, isSynced: false })
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const send = (to: string) =>
    rpc.templates.send({
      key,
      channelId,
      region: 'DE',
      contactId: null,
      values: [],
      uncheckedKnowingly: false,
      to,
    })
  const numbers = ['+4915155560020', '+4915155560021', '+4915155560022'] as const
  const verdicts = async () =>
    (await rpc.dnc.checkOffline({ phones: [...numbers], region: 'DE' })).verdicts.map(
      ({ verdict }) => verdict,
    )
  // Its answer counts without a copy, but only once the parameter is verified.
  await expect(send(numbers[0])).rejects.toMatchObject({ code: 'DNC_LIST_NOT_FRESH' })
  await taskEnd(rpc, (await rpc.settings.detectFieldNames({ names: ['dncCheckParameter'] })).taskId)
  await send(numbers[0])
  await expect(send(polish)).rejects.toMatchObject({
    code: 'ON_DNC',
    data: { phone: polish, reason: 'asked' },
  })

  await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
  service.dnc.push(numbers[1])
  expect(await verdicts()).toEqual(['clear', 'clear', 'clear'])
  await expect(send(numbers[1])).rejects.toMatchObject({ code: 'ON_DNC', data: { phone: numbers[1] } })
  expect(await verdicts()).toEqual(['clear', 'blocked', 'clear'])
  // The next sync confirms it.
  await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
  expect(await verdicts()).toEqual(['clear', 'blocked', 'clear'])
  expect(await rpc.dnc.list({ which: 'all', limit: 5 })).toMatchObject({ total: 2, cache: { entries: 2 } })

  // Without an answer, the copy's age counts.
  await service.stop()
  await send(numbers[2])
  expect((await everyItem(rpc)).map(({ phone }) => phone).toSorted()).toEqual([numbers[0], numbers[2]])
})

import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { englishText, type Phrase } from '#electron/contract/phrases.ts'
import { confirmSend, dryRun, peopleIn, sendTo } from '../../../../helpers/bulk-sends.ts'
import { importFile, textOf, upload } from '../../../../helpers/contact-files.ts'
import { checkList, syncDnc } from '../../../../helpers/dnc.ts'
import { openAtOttService, shareOttService } from '../../../../helpers/ott-service.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { outboxOver, taskEnd } from '../../../../helpers/wait-for.ts'
import { everyItem } from '../outbox/outbox-items.ts'

const polish = '+48601223024'
const german = '+491706755604'
const onList = (phone: string): Phrase => ({ key: 'phone.otherOnDnc', digits: phone.slice(1) })

const withDncList = shareOttService()

/** Puts one number on hold. Without their plus, it and the one on the list are also German numbers. */
async function prepare(rpc: Rpc) {
  await rpc.dnc.hold({ phone: german, region: 'DE', evidence: 'asked' })
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  return {
    rpc,
    /** A dry run of a file of numbers. */
    plan: async (numbers: readonly string[]) => {
      const fileId = await upload(rpc, 'list.csv', ['mobile', ...numbers].join('\n'))
      return dryRun(rpc, { key, source: peopleIn(fileId, { phoneColumn: 0, nameColumn: null }) })
    },
    send: (to: string) => sendTo(rpc, { key, to }),
  }
}

/** The shared console, with one number on the DNC list. */
const open = async () => prepare(await withDncList(polish))

/** A console of its own, for tests that send. */
async function openOwn(options: Parameters<typeof openAtOttService>[0] = {}) {
  const opened = await openAtOttService({ dnc: [polish], ...options })
  return { ...opened, ...(await prepare(opened.rpc)) }
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
  const { rpc, service } = await openOwn({ isSynced: false })
  expect(await rpc.dnc.checkOnline({ phone: '48601223024', region: 'DE' })).toMatchObject({
    phone: '+4948601223024',
    verdict: 'blocked',
    entry: { phoneNumber: polish },
    remarks: [{ key: 'dnc.notYetOffline' }, { key: 'dnc.otherOnDnc', digits: polish.slice(1) }],
  })
  // The number as dialled, though the answer about the other one proves nothing.
  service.dnc = ['+4948601223024']
  expect(await rpc.dnc.checkOnline({ phone: '48601223024', region: 'DE' })).toMatchObject({
    phone: '+4948601223024',
    verdict: 'blocked',
    remarks: [{ key: 'dnc.notYetOffline' }],
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
  expect(englishText(onList(polish))).toBe(
    'another number in its row, or another way to read it, +48601223024, is on the DNC list',
  )
  for (const phone of texts)
    expect(await rpc.dnc.checkOnline({ phone, region: 'DE' })).toMatchObject({ phone: polish })
  const two = { phone: '0171 1234567 / 0171 1234568', region: 'DE' }
  await expect(rpc.dnc.checkOnline(two)).rejects.toMatchObject({ code: 'NUMBER_INVALID' })
})

test('says of a list what it says of each of its numbers, and calls nobody clear in another reading', async () => {
  const { rpc } = await open()
  await withDncList('+4915155510047', '+15155510049', '+495550047', '+524531031659', '+12025550187')
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
    const source = { text: [...listed, ...others].join('\n') }
    const { counts, files } = await checkList(rpc, { source, hasCountryCodes })
    const texts = [files!.clear, files!.blocked, files!.unparsable].map((fileId) => textOf(rpc, fileId))
    const [clear, blocked, unparsable] = await Promise.all(texts)
    const rowsIn = (text = '') => [...text.matchAll(/^"([^"]+)","([^"]+)"/gm)].map(([, ...cells]) => cells)
    expect(blocked).toMatch(/"491706755604","\+491706755604","asked","\d{4}-.*Z","hold"/)
    const reason = englishText(onList(hasCountryCodes ? '+4915155510047' : '+15155510049'))
    expect(blocked).toContain(`"${reason}"`)
    return {
      clear: rowsIn(clear),
      blocked: rowsIn(blocked),
      unparsable: rowsIn(unparsable).map(([, input]) => input),
      twoWays: counts.readableTwoWays,
    }
  }
  const having = (wanted: string) =>
    one.flatMap(([input, phone, verdict]) => (verdict === wanted ? [[input, phone]] : []))
  expect(await checked(false)).toEqual({
    clear: having('clear'),
    blocked: having('blocked'),
    unparsable: having('unparsable').map(([input]) => input),
    // 491706755604, with its code or without.
    twoWays: 1,
  })
  const { clear, blocked, twoWays } = await checked(true)
  expect(twoWays).toBe(0)
  expect(blocked.map(([input]) => input)).toEqual(listed)
  expect(clear).toEqual([
    ['15155510048', '+15155510048'],
    ['0151 5551 0050', '+4915155510050'],
    ['12025550188', '+12025550188'],
  ])
})

test('sends nothing to such a number', async () => {
  const { rpc, plan, send } = await open()
  const { send: prepared, first, leftOut } = await plan(['48601223024', '491706755604', '48601223025'])
  expect(prepared.counts).toMatchObject({ recipients: 3, willSend: 1, dnc: 1, held: 1 })
  expect(first.map(({ phone }) => phone)).toEqual(['+4948601223025'])
  expect(leftOut.map((row) => [row.leftOut, row.reason])).toEqual([
    ['dnc', onList(polish)],
    ['held', { key: 'plan.held' }],
  ])
  await expect(send('48601223024')).rejects.toMatchObject({
    code: 'ON_DNC',
    data: { phone: '+4948601223024', reason: onList(polish) },
  })
  // The service knows nothing of a hold.
  await rpc.dnc.hold({ phone: '+48601223031', region: 'DE', evidence: 'asked' })
  await expect(send('48601223031')).rejects.toMatchObject({ code: 'ON_DNC' })
})

test('sends nothing to a number whose other reading was listed or held while the request waited', async () => {
  const { rpc, service, running, plan, send } = await openOwn()
  await rpc.outbox.pause()
  const { id } = await plan(['48601223026', '48601223027', '48601223028'])
  await confirmSend(rpc, id, { uncheckedKnowingly: false })
  for (const to of ['48601223029', '48601223030']) await send(to)
  for await (const { counts } of await rpc.outbox.watch()) if (counts.queued === 5) break

  service.dnc = ['+48601223026', '+48601223029']
  await syncDnc(rpc)
  await rpc.dnc.hold({ phone: '+48601223027', region: 'DE', evidence: 'asked' })
  await rpc.outbox.resume()
  const ended = async () => {
    await outboxOver(rpc)
    return (await everyItem(rpc, ['not-sent', 'held']))
      .map(({ phone, problem }) => [phone, problem?.code])
      .toSorted()
  }
  const blocked = ['+4948601223026', '+4948601223027', '+4948601223029'].map((phone) => [phone, 'ON_DNC'])
  expect(await ended()).toEqual(blocked)
  // A retry knows the other readings too.
  await rpc.outbox.retryRejected({ selection: { filter: {} } })
  expect(await ended()).toEqual(blocked)
  expect([...service.sent.keys()].toSorted()).toEqual(['+4948601223028', '+4948601223030'])

  // An erasure keeps requests to the other number without the erased one. If that stays blocked, they don't leave.
  await rpc.outbox.pause()
  for (const to of ['48601223031', '48601223032']) await send(to)
  for (const [ending, keepHold] of Object.entries({ 26: false, 30: false, 31: false, 32: true })) {
    const phone = `+486012230${ending}`
    await taskEnd(rpc, (await rpc.erase.start({ phone, confirm: phone, keepHold })).taskId)
  }
  const left = await everyItem(rpc, ['done', 'rejected', 'not-sent', 'held', 'queued', 'undoable'])
  expect(left.map(({ phone, state }) => [phone, state]).toSorted()).toEqual([
    ['+4948601223026', 'rejected'],
    ['+4948601223027', 'rejected'],
    ['+4948601223028', 'done'],
    ['+4948601223029', 'rejected'],
    ['+4948601223030', 'done'],
    ['+4948601223031', 'queued'],
  ])
  const folder = join(running.dataDir, 'connections')
  const state = new Sqlite(join(folder, readdirSync(folder)[0]!, 'state.db'), { readonly: true })
  const further = `SELECT group_concat(others_json || coalesce(problem_json, '')) FROM outbox`
  expect(state.prepare(further).pluck().get()).not.toMatch(/\b486012230(26|30|31|32)/)
  state.close()
})

test('judges a contact’s number by its other numbers wherever the outbox does', async () => {
  const { rpc, plan } = await open()
  const phones = ['+4915155560010', '+4915155560011', '+4915155560012']
  const table = `Name,Phone\nAnn,${phones[0]} / ${polish}\nBob,${phones[1]} / 0170 6755604\nCy,${phones[2]}\n`
  await importFile(rpc, 'two.csv', table, { severalNumbers: 'use-first' })
  const reasons = [onList(polish), { key: 'phone.otherOnHold', digits: german.slice(1) }]

  const { verdicts } = await rpc.dnc.checkOffline({ phones, region: 'DE' })
  expect(verdicts.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['blocked', reasons[0]],
    ['blocked', reasons[1]],
    ['clear', null],
  ])
  const { send, leftOut } = await plan(phones)
  expect(send.counts).toMatchObject({ willSend: 1, dnc: 1, held: 1 })
  expect(leftOut.map(({ reason }) => reason)).toEqual(reasons)
  const { files } = await checkList(rpc, { source: { text: phones.join('\n') } })
  expect((await textOf(rpc, files!.clear)).match(/\+49\d+/g)).toEqual([phones[2], phones[2]])
})

test('asks the service about one recipient right before sending', async () => {
  const { rpc, service, send } = await openOwn({ speed: 5, isSynced: false })
  const numbers = ['+4915155560020', '+4915155560021', '+4915155560022'] as const
  const verdicts = async () => {
    const answer = await rpc.dnc.checkOffline({ phones: [...numbers], region: 'DE' })
    return answer.verdicts.map(({ verdict }) => verdict)
  }
  // Its answer counts without a copy, but only once the parameter is verified.
  await expect(send(numbers[0])).rejects.toMatchObject({ code: 'DNC_LIST_NOT_FRESH' })
  await taskEnd(rpc, (await rpc.settings.detectFieldNames({ names: ['dncCheckParameter'] })).taskId)
  await send(numbers[0])
  await expect(send(polish)).rejects.toMatchObject({
    code: 'ON_DNC',
    data: { phone: polish, reason: 'asked' },
  })

  await syncDnc(rpc)
  service.dnc.push(numbers[1])
  expect(await verdicts()).toEqual(['clear', 'clear', 'clear'])
  await expect(send(numbers[1])).rejects.toMatchObject({ code: 'ON_DNC', data: { phone: numbers[1] } })
  expect(await verdicts()).toEqual(['clear', 'blocked', 'clear'])
  // The next sync confirms it.
  await syncDnc(rpc)
  expect(await verdicts()).toEqual(['clear', 'blocked', 'clear'])
  expect(await rpc.dnc.list({ which: 'all', limit: 5 })).toMatchObject({ total: 2, cache: { entries: 2 } })

  // Without an answer, the copy's age counts.
  await service.stop()
  await send(numbers[2])
  expect((await everyItem(rpc)).map(({ phone }) => phone).toSorted()).toEqual([numbers[0], numbers[2]])
})

import { expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { importFile } from '../../../../helpers/contact-files.ts'
import { dryRun } from '../../../../helpers/bulk-sends.ts'
import { deliverEvents, moBody } from '../../../../helpers/deliver-events.ts'
import { statusWhere, messagesWait, taskEnd } from '../../../../helpers/wait-for.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { runRelay } from '../../../../helpers/relay.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'

const key = 'k'.repeat(43)
const phone = '+14155550177'

const read = (rpc: Rpc, url: string, token: string) =>
  rpc.listener.setRelay({ mode: 'both', url, inbox: 'main', token })
const check = async (rpc: Rpc) =>
  (await rpc.dnc.checkOffline({ phones: [phone], region: 'US' })).verdicts[0]!.verdict
const active = async (rpc: Rpc) =>
  (await rpc.dnc.holds({ which: 'active', limit: 10 })).items.filter(({ number }) => number === phone)
async function team(rpc: Rpc) {
  for await (const view of await rpc.team.watch()) return view
  throw new Error('No view')
}

it('two operators share holds, sends and conversations over the relay, and are asked to erase what one erased', async () => {
  const relay = await runRelay()
  const tokenOf = (name: string, readOnly: boolean) =>
    addToken(openFolder(relay.dataDir), name, 'main', 1, readOnly)
  let skewMs = 0
  const clock = { ...systemClock, now: () => Date.now() + skewMs }
  const [ana, firstBen] = [
    await startInSandbox({ sandbox: { dncCount: 1 } }),
    await startInSandbox({
      sandbox: { dncCount: 1 },
      clock,
    }),
  ]
  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: { code: string }) => error.code,
    )
  const join = (rpc: Rpc, name: string, withKey = key) => rpc.team.join({ name, key: withKey })
  expect(await errorOf(join(ana.rpc, 'Ana'))).toBe('INVALID_INPUT')
  for (const { rpc } of [ana, firstBen]) await syncDnc(rpc)
  await read(ana.rpc, relay.url, await tokenOf('ana-2', false))
  await read(firstBen.rpc, relay.url, await tokenOf('ben', true))

  // From before joining.
  const hold = await ana.rpc.dnc.hold({ phone, region: 'US', evidence: 'Asked by phone' })
  await join(ana.rpc, 'Ana')
  await expect.poll(async () => (await team(ana.rpc)).waiting).toBe(0)
  expect(await errorOf(join(firstBen.rpc, 'Ben', 'x'.repeat(43)))).toBe('TEAM_KEY_WRONG')
  await join(firstBen.rpc, 'Ben')
  await expect.poll(() => check(firstBen.rpc)).toBe('blocked')
  const [row] = await active(firstBen.rpc)
  expect(row).toMatchObject({ source: 'by-hand', author: 'Ana', evidence: 'Asked by phone', verified: true })
  expect(row!.since).toBe(hold.since)
  const { key: templateKey } = await firstBen.rpc.templates.create({ name: 'Hi', body: 'Hi.', variables: [] })
  const [channel] = (await firstBen.rpc.templates.channels()).items
  const send = (rpc: Rpc, to: string) =>
    errorOf(
      rpc.templates.send({
        key: templateKey,
        channelId: channel!.id,
        to,
        region: 'US',
        contactId: null,
        values: [],
      }),
    )
  expect(await send(firstBen.rpc, phone)).toBe('ON_DNC')

  // A read-only token: Ben's removal counts here and isn't shared.
  expect(await team(firstBen.rpc)).toMatchObject({ name: 'Ben', mayPost: false, waiting: 0 })
  await firstBen.rpc.dnc.release({ id: row!.id })
  await firstBen.rpc.errorCodes.setNote({ code: '30007', note: 'Wait a day' })
  expect(await check(firstBen.rpc)).toBe('clear')
  await expect.poll(async () => (await team(firstBen.rpc)).waiting).toBe(2)
  expect(await check(ana.rpc)).toBe('blocked')
  expect((await ana.rpc.errorCodes.get({ code: '30007' })).note).toBe('')
  // With another token it is, also after a restart.
  await read(firstBen.rpc, relay.url, await tokenOf('ben-2', false))
  const ben = await restartCore(firstBen, { clock })
  await expect.poll(() => check(ana.rpc)).toBe('clear')
  await expect
    .poll(async () => (await ana.rpc.errorCodes.get({ code: '30007' })).noteVersions)
    .toMatchObject([{ text: 'Wait a day', by: 'Ben' }])

  // What Ana sends is known at Ben's, who has the same template.
  for (const { rpc } of [ana, { rpc: ben.rpc }]) await syncDnc(rpc)
  const other = '+14155550199'
  const { key: anaKey } = await ana.rpc.templates.create({ name: 'Offer', body: 'Hi.', variables: [] })
  const { serviceId } = await ana.rpc.templates.get({ key: anaKey })
  const known = { name: 'Offer', body: 'Hi.', variables: [] }
  const { key: benKey } = await ben.rpc.templates.adopt({ serviceId: serviceId!, ...known })
  const to = { to: other, region: 'US' }
  const values = { channelId: channel!.id, contactId: null, values: [] }
  await ana.rpc.templates.send({ key: anaKey, ...to, ...values })
  await expect
    .poll(async () => (await ben.rpc.templates.sentTo({ key: benKey, ...to })).items)
    .toMatchObject([{ author: 'Ana', batchId: null, templateName: 'Offer', text: 'Hi.', state: 'done' }])
  const [byAna] = (await ben.rpc.templates.sentTo({ key: benKey, ...to })).items
  expect(await ben.rpc.templates.sentAs({ messageId: byAna!.messageId! })).toEqual({ message: byAna })
  await ben.rpc.contacts.create({ name: 'Ada', phone: other, email: '', tags: {} })
  const planned = await dryRun(ben.rpc, { key: benKey, source: { contacts: { filter: {}, exceptIds: [] } } })
  expect(planned.send).toMatchObject({ counts: { willSend: 1, sentLately: 1 }, sentBy: ['Ana'] })
  await taskEnd(ben.rpc, (await ben.rpc.templates.recount({ id: planned.id, skipReceived: true })).taskId!)
  const { leftOut } = await ben.rpc.templates.sendOf({ id: planned.id })
  expect(leftOut).toMatchObject([{ reason: { key: 'plan.receivedFrom', author: 'Ana' } }])
  const erasedOther = await ben.rpc.erase.start({ phone: other, confirm: other, keepHold: false })
  await taskEnd(ben.rpc, erasedOther.taskId)
  const receiptAtBen = async () => (await ben.rpc.erase.receipts()).items[0]!
  expect(await receiptAtBen()).toMatchObject({
    team: { erased: [], kept: [], missing: ['Ana'] },
  })
  const askedAt = async (rpc: Rpc) => (await team(rpc)).erasures
  await expect.poll(() => askedAt(ana.rpc)).toMatchObject([{ author: 'Ben', phone: other }])
  await statusWhere(ana.rpc, ({ notices }) => notices.some(({ error }) => error.code === 'TEAM_ERASED'))
  await ana.rpc.team.keepErased({ id: (await askedAt(ana.rpc))[0]!.id })
  expect(await askedAt(ana.rpc)).toEqual([])
  await expect
    .poll(async () => (await receiptAtBen()).team)
    .toEqual({ erased: [], kept: ['Ana'], missing: [], inLog: 0 })
  expect((await ben.rpc.templates.sentTo({ key: benKey, ...to })).items).toEqual([])

  // Ana handles a conversation whose last message Ben gets later; another message reopens it.
  const secret = 'a secret that the test knows'
  const sender = '14155550166'
  for (const { rpc } of [ana, { rpc: ben.rpc }])
    await rpc.listener.addSecret({ label: 'Test', value: secret })
  const deliver = (rpc: Rpc, id: string) => deliverEvents(rpc, secret, moBody(id, `+${sender}`, 'Hello?'))
  const workAt = async (rpc: Rpc) => (await rpc.inbox.list({})).items[0]?.work
  const messagesAt = async (rpc: Rpc) => (await rpc.inbox.list({})).items[0]?.messages
  for (const id of ['in-1', 'in-2']) await deliver(ana.rpc, id)
  await expect.poll(() => messagesAt(ana.rpc)).toBe(2)
  const { last } = (await ana.rpc.inbox.get({ sender })).conversation
  await ana.rpc.inbox.setWork({ sender, state: 'done', upToSeq: last.seq })
  await ana.rpc.inbox.setNote({ sender, text: 'Call back' })
  await deliver(ben.rpc, 'in-1')
  await expect
    .poll(async () => (await ben.rpc.inbox.get({ sender })).noteVersions)
    .toMatchObject([{ by: 'Ana' }])
  expect(await workAt(ben.rpc)).toBeNull()
  const changesAt = async (rpc: Rpc, show: 'holds' | 'sends' | 'conversations') =>
    (await rpc.team.changes({ show })).items
  expect(await changesAt(ben.rpc, 'sends')).toMatchObject([{ what: 'sent', by: 'Ana', count: 1 }])
  expect(await changesAt(ana.rpc, 'conversations')).toMatchObject([
    { what: 'note', about: `+${sender}`, text: 'Call back', by: null, isRemoved: false },
    { what: 'done', about: `+${sender}`, by: null },
  ])
  await deliverEvents(ana.rpc, secret, moBody('in-0', '+14155550155', 'STOP'))
  await expect.poll(async () => (await changesAt(ben.rpc, 'holds'))[0]).toMatchObject({ what: 'opt-out' })
  expect(await changesAt(ana.rpc, 'holds')).toMatchObject([
    { what: 'opt-out', about: '+14155550155', text: 'STOP' },
    { what: 'kept', by: null },
    { what: 'erase', by: 'Ben', about: '' },
    { what: 'hold', by: 'Ben', about: phone, text: 'Asked by phone', isRemoved: true },
    { what: 'hold', by: null, about: phone, isRemoved: false },
  ])
  await deliver(ben.rpc, 'in-2')
  await expect.poll(() => workAt(ben.rpc)).toMatchObject({ state: 'done', by: 'Ana' })
  await deliver(ben.rpc, 'in-3')
  await expect.poll(() => workAt(ben.rpc)).toBeNull()

  // Erased at one console: gone there for good.
  await ana.rpc.dnc.hold({ phone, region: 'US', evidence: 'Asked again' })
  await expect.poll(() => check(ben.rpc)).toBe('blocked')
  const { taskId } = await ben.rpc.erase.start({ phone, confirm: phone, keepHold: true })
  await taskEnd(ben.rpc, taskId)
  expect((await receiptAtBen()).kept.map(({ reason }) => reason)).not.toContain('team')
  expect(await check(ben.rpc)).toBe('blocked')
  expect((await active(ben.rpc)).length).toBe(0)
  // Ana erases it, too: without her hold, the number stays on hold as a hash.
  await expect.poll(async () => (await askedAt(ana.rpc)).length).toBe(1)
  const atAna = await ana.rpc.erase.start({ phone, confirm: phone, keepHold: false })
  await taskEnd(ana.rpc, atAna.taskId)
  expect(await askedAt(ana.rpc)).toEqual([])
  expect((await active(ana.rpc)).length).toBe(0)
  expect(await check(ana.rpc)).toBe('blocked')
  await expect.poll(async () => (await receiptAtBen()).team).toMatchObject({ erased: ['Ana'] })
  await ben.rpc.team.leave()
  await join(ben.rpc, 'Ben')
  await expect.poll(async () => (await team(ben.rpc)).state).toBe('current')
  expect((await active(ben.rpc)).length).toBe(0)

  // Seconds after the relay was lost, nothing is clear, although the copy of the DNC list is fresh, and messages wait.
  await syncDnc(ben.rpc)
  await relay.stop()
  skewMs = 11_000
  const { verdicts, cache } = await ben.rpc.dnc.checkOffline({ phones: ['+14155550188'], region: 'US' })
  expect(cache.state).toBe('team-stale')
  expect(verdicts[0]).toMatchObject({ verdict: 'not-known', reason: { key: 'dnc.team-stale' } })
  expect(await send(ben.rpc, '+14155550188')).toBeNull()
  await ben.rpc.listener.setRelay({ mode: 'local', url: relay.url, inbox: 'main' })
  await messagesWait(ben.rpc, 'inbound.team')
  // The service knows nothing of the team.
  await taskEnd(ben.rpc, (await ben.rpc.settings.detectFieldNames({ names: ['dncCheckParameter'] })).taskId)
  expect(await ben.rpc.dnc.checkOnline({ phone: '+14155550188', region: 'US' })).toMatchObject({
    verdict: 'not-proven',
    remarks: [{ key: 'dnc.teamOutdated' }],
  })
  // After leaving, the team’s holds stay, and only the DNC list has an age.
  await ben.rpc.team.leave()
  expect((await ben.rpc.dnc.list({ which: 'all', limit: 1 })).cache.state).toBe('fresh')
})

it('two operators share notes, filters and alert rules: the last change counts, and both texts of a note stay', async () => {
  const dataDir = tempFolder()
  const relay = await runRelay({ dataDir })
  const [ana, ben] = [await startInSandbox(), await startInSandbox()]
  const names = { Ana: ana.rpc, Ben: ben.rpc }
  for (const [name, rpc] of Object.entries(names)) {
    await read(rpc, relay.url, await addToken(openFolder(dataDir), `${name.toLowerCase()}-2`, 'main', 1))
    await importFile(rpc, 'people.csv', `phone,name,note\n${phone},Ada,From the file of ${name}\n`)
  }
  const contactAt = async (rpc: Rpc, of = phone) => {
    const { contact } = await rpc.contacts.byPhone({ phone: of })
    return rpc.contacts.get({ id: contact!.id })
  }
  const noteAt = (rpc: Rpc) => rpc.errorCodes.get({ code: '2' })
  const textsAt = async (rpc: Rpc) => (await noteAt(rpc)).noteVersions.map(({ text }) => text)
  const ruleAt = async (rpc: Rpc) =>
    (await rpc.campaigns.alertRules()).alertRules.find(({ campaignId }) => campaignId === 'c-1')
  const rules = { failedShare: null, stalled: { minutes: 5 }, errorShare: null }
  const vip = { name: 'VIP', filter: { tags: [{ key: 'tier', value: 'gold' }] } }
  const stops = { name: 'Stops', filter: { kind: 'mo' } }
  // From before joining.
  const { contact } = await contactAt(ana.rpc)
  await ana.rpc.contacts.setNote({ id: contact.id, note: 'Call after six' })
  await ana.rpc.contacts.saveFilter(vip)
  for (const [name, rpc] of Object.entries(names)) await rpc.team.join({ name, key })
  await ana.rpc.events.saveFilter(stops)
  await ana.rpc.campaigns.setAlertRule({ campaignId: 'c-1', mode: 'armed', rules })
  const filtersAt = async () => [
    ...(await ben.rpc.contacts.savedFilters()).filters,
    ...(await ben.rpc.events.savedFilters()).filters,
  ]
  await expect.poll(filtersAt).toEqual([
    { ...vip, by: 'Ana' },
    { ...stops, by: 'Ana' },
  ])
  // It pauses at Ben's only once he turns that on.
  await expect.poll(() => ruleAt(ben.rpc)).toMatchObject({ mode: 'notify', armedBy: 'Ana', rules })
  await expect
    .poll(() => contactAt(ben.rpc))
    .toMatchObject({
      note: 'Call after six',
      // What an import brought stays with its computer.
      noteVersions: [
        { text: 'Call after six', by: 'Ana' },
        { text: 'From the file of Ben', by: null },
      ],
      contact: { hasNote: true },
    })
  expect((await contactAt(ana.rpc)).noteVersions).toMatchObject([
    { text: 'Call after six' },
    { text: 'From the file of Ana' },
  ])
  await ben.rpc.campaigns.removeAlertRule({ campaignId: 'c-1' })
  await expect.poll(() => ruleAt(ana.rpc)).toBeUndefined()
  expect((await ana.rpc.team.changes({ limit: 1 })).items).toMatchObject([
    { what: 'alert-rule', about: 'c-1', by: 'Ben', isRemoved: true },
  ])

  // Neither sees what the other writes.
  const { port, token } = relay
  await relay.stop()
  await ana.rpc.errorCodes.setNote({ code: '2', note: 'by Ana' })
  // In a later millisecond.
  const anaMs = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(anaMs)
  await ben.rpc.errorCodes.setNote({ code: '2', note: 'by Ben' })
  await runRelay({ dataDir, port }, token)
  for (const rpc of [ana.rpc, ben.rpc]) {
    await expect.poll(() => textsAt(rpc), { timeout: 15_000 }).toEqual(['by Ben', 'by Ana'])
    expect((await noteAt(rpc)).note).toBe('by Ben')
  }

  // A note goes with its person to a new number.
  const newPhone = '+14155550178'
  await ana.rpc.contacts.update({
    id: contact.id,
    draft: { name: 'Ada', phone: newPhone, email: '', tags: {} },
  })
  await ben.rpc.contacts.create({ name: 'Ada', phone: newPhone, email: '', tags: {} })
  await expect.poll(async () => (await contactAt(ben.rpc, newPhone)).note).toBe('Call after six')
  await expect.poll(async () => (await contactAt(ben.rpc)).note).toBe('')

  const { taskId } = await ben.rpc.erase.start({ phone, confirm: phone, keepHold: false })
  await taskEnd(ben.rpc, taskId)
  await ben.rpc.contacts.create({ name: 'Ada', phone, email: '', tags: {} })
  expect(await contactAt(ben.rpc)).toMatchObject({ note: '', noteVersions: [] })
})

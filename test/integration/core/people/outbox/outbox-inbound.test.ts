import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from '#electron/listener/journal.ts'
import { sendTo } from '../../../../helpers/bulk-sends.ts'
import { moBody } from '../../../../helpers/deliver-events.ts'
import { dncCache, syncDnc } from '../../../../helpers/dnc.ts'
import { testSecret } from '../../../../helpers/listener.ts'
import { startOttService } from '../../../../helpers/ott-service.ts'
import { freePort } from '../../../../helpers/ports.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { post, runRelay } from '../../../../helpers/relay.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'
import type { Rpc, RunningCore } from '../../../../helpers/start-core.ts'
import { restartCore, startTestCore } from '../../../../helpers/test-core.ts'
import { frontConnection, messagesWait, outboxIs, outboxOver } from '../../../../helpers/wait-for.ts'

const leaver = '+4930901820001'
const other = '+4930901820002'
const stop = moBody('mo-1', leaver, 'STOP')

/** A console that can check signatures, with a message to each of two people in its paused outbox. */
async function open(webhooks: unknown[] | null = null) {
  const service = await startOttService()
  if (webhooks) service.webhooks = webhooks
  onTestFinished(() => service.stop())
  const config = { startWith: { kind: 'last' as const }, listenerPort: await freePort() }
  const first = await startTestCore({ config })
  const { rpc } = first
  const order = { name: 'List', baseUrl: service.baseUrl, colour: 'blue', production: false } as const
  const credential = { kind: 'api-key', apiKey: 'k-1' } as const
  const { connection } = await rpc.connections.connect({ ...order, credential })
  await syncDnc(rpc)
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  await rpc.listener.addSecret({ label: 'Service', value: testSecret })
  await rpc.outbox.pause()
  for (const to of [leaver, other]) await sendTo(rpc, { key, to })
  const restart = (after: RunningCore) => restartCore(after, { config })
  const signIn = (rpc: Rpc, apiKey: string = credential.apiKey) =>
    rpc.connections.connect({ ...order, id: connection.id, credential: { ...credential, apiKey } })
  return {
    service,
    first,
    key,
    folder: join(first.dataDir, 'connections', connection.id),
    restart,
    signIn,
    /** Restarts it where the keychain is gone, signs in, and resumes the outbox. */
    async loseSecrets() {
      await first.stopCore()
      first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
      const { rpc } = await restart(first)
      await signIn(rpc)
      await rpc.outbox.resume()
      return rpc
    },
  }
}

/** The numbers that got a message, once none waits. */
async function reached(rpc: Rpc, { sent }: { sent: ReadonlyMap<string, number> }): Promise<string[]> {
  await outboxOver(rpc)
  return [...sent.keys()]
}

test('messages wait for a lost signing secret, and for what was rejected without it', async () => {
  const { first, service, loseSecrets } = await open()
  const gone = { url: `http://127.0.0.1:${String(await freePort())}`, inbox: 'main' }
  await first.rpc.listener.setRelay({ mode: 'both', ...gone, token: 't-1' })
  const rpc = await loseSecrets()
  await messagesWait(rpc, 'inbound.token')
  await rpc.listener.setRelay({ mode: 'local', ...gone })
  await messagesWait(rpc, 'inbound.secret')
  const { url } = (await rpc.listener.get()).status
  expect(await deliverSigned(url!, stop, testSecret)).toBe(401)
  expect(service.requests).toEqual([])
  await rpc.listener.addSecret({ label: 'Service', value: testSecret })
  expect(await reached(rpc, service)).toEqual([other])
})

test('messages wait for a lost signing secret until a new subscription delivers, also where the service hides secrets', async () => {
  const { service, loseSecrets } = await open()
  const rpc = await loseSecrets()
  await messagesWait(rpc, 'inbound.secret')
  const url = (await rpc.listener.get()).status.url!
  const secret = 'f'.repeat(64)
  await rpc.listener.addSecret({ label: url, value: secret })
  service.webhooks = [{ id: 'w-1', url, events: ['message.received'], status: 'active', secret: '***' }]
  await rpc.webhooks.list({ background: false })
  await messagesWait(rpc, 'inbound.secret')
  expect(await deliverSigned(url, stop, secret)).toBe(200)
  expect(await reached(rpc, service)).toEqual([other])
})

test('messages wait for the secret of the subscription that brings inbound messages, but not for junk', async () => {
  const { first, service, restart } = await open()
  const { url } = (await first.rpc.listener.get()).status
  const secret = 'f'.repeat(64)
  service.webhooks = [{ id: 'w-1', url, events: ['message.received'], status: 'active', secret }]
  await first.rpc.webhooks.list({ background: false })
  await first.stopCore()
  const { rpc } = await restart(first)
  await rpc.outbox.resume()
  await messagesWait(rpc, 'inbound.secret')
  expect(await deliverSigned(url!, moBody('mo-2', other, 'Hi'), testSecret)).toBe(200)
  expect(await deliverSigned(url!, stop, secret)).toBe(401)
  expect(await deliverSigned(url!, 'junk', 'e'.repeat(64))).toBe(401)
  await rpc.listener.addSecret({ label: 'Service', value: secret })
  expect(await reached(rpc, service)).toEqual([other])
})

const hidden = '***'
const forwarder = 'https://forwarder.example/in'
const ofReports = { id: 'w-2', events: ['message.delivered'], status: 'active' }
test.each([
  ['at its address, hiding the secret', null, hidden, []],
  ['through a forwarder, hiding the secret', forwarder, hidden, [{ url: `${forwarder}2`, secret: hidden }]],
  [
    'through a forwarder, showing the secret',
    forwarder,
    'f'.repeat(64),
    [{ url: forwarder, secret: 'd'.repeat(64) }],
  ],
])(
  'messages wait for rejected deliveries until the service delivers %s',
  async (_, forwarded, shown, others) => {
    const { first, service } = await open()
    const { rpc } = first
    const url = (await rpc.listener.get()).status.url!
    const subscribed = forwarded ?? url
    const secret = 'f'.repeat(64)
    await rpc.listener.addSecret({ label: subscribed, value: secret })
    const events = ['message.received']
    service.webhooks = [
      { id: 'w-1', url: subscribed, events, status: 'active', secret: shown },
      { id: 'w-0', url: subscribed, events, status: 'disabled', secret: hidden },
      ...others.map((other) => ({ ...ofReports, ...other })),
    ]
    for (const other of others) {
      await rpc.listener.addSecret({ label: other.url, value: 'd'.repeat(64) })
      const report = { event: 'dlr', message_id: 'm-of-others', status: 'delivered', destination: leaver }
      expect(await deliverSigned(url, JSON.stringify(report), 'd'.repeat(64))).toBe(200)
    }
    await rpc.webhooks.list({ background: false })
    expect(await deliverSigned(url, stop, 'e'.repeat(64))).toBe(401)
    await expect.poll(async () => (await rpc.listener.get()).status.refused).toBe(1)
    await rpc.outbox.resume()
    await messagesWait(rpc, 'inbound.rejected')
    expect(service.requests).toEqual([])
    expect(await deliverSigned(url, moBody('mo-2', other, 'Hi'), secret)).toBe(200)
    expect((await reached(rpc, service)).toSorted()).toEqual([leaver, other])
    const { subscriptions } = await rpc.webhooks.list({ background: false })
    expect(subscriptions).toMatchObject([
      { pointsHere: true, arrived: { count: 1 } },
      { status: 'disabled' },
      ...others.map(() => ({})),
    ])
  },
)

test('messages wait until inbound messages are subscribed, or one arrives that no listed subscription explains', async () => {
  const { first, service, key } = await open([])
  const { rpc } = first
  const { url } = (await rpc.listener.get()).status
  const lists = async (webhooks: unknown[]) => {
    service.webhooks = webhooks
    await rpc.webhooks.list({ background: false })
  }
  await rpc.outbox.resume()
  await messagesWait(rpc, 'inbound.subscription')
  await lists([{ id: 'w-1', url: 'https://tunnel.example/', events: ['message.received'], secret: '***' }])
  await messagesWait(rpc, 'inbound.subscription')
  expect(service.requests).toEqual([])
  expect(await deliverSigned(url!, stop, testSecret)).toBe(200)
  expect(await reached(rpc, service)).toEqual([other])

  const late = '+4930901820003'
  await lists([{ id: 'w-2', url, events: ['message.delivered'], status: 'active', secret: testSecret }])
  await sendTo(rpc, { key, to: late })
  await messagesWait(rpc, 'inbound.subscription')
  await lists([{ id: 'w-3', url, events: ['message.received'], status: 'active', secret: testSecret }])
  expect(await reached(rpc, service)).toEqual([other, late])
})

test('messages wait after a new sign-in until the subscriptions were read again, also if sent anyway while signed out', async () => {
  const { first, service, signIn } = await open()
  const { rpc } = first
  const { url } = (await rpc.listener.get()).status
  await rpc.webhooks.list({ background: false })
  expect(await deliverSigned(url!, moBody('mo-2', other, 'Hi'), testSecret)).toBe(200)
  service.isExpired = true
  await rpc.webhooks.list({ background: false })
  await rpc.outbox.resume()
  await outboxIs(rpc, 'signed-out')
  await rpc.outbox.sendAnyway({ problem: 'inbound.reading' })
  Object.assign(service, { isExpired: false, webhooks: [] })
  await signIn(rpc)
  await messagesWait(rpc, 'inbound.subscription')
  expect(service.requests).toEqual([])
})

test('an opt-out that only names a message holds the recipient of that message', async () => {
  const { first, service, key, folder, restart } = await open()
  const { rpc } = first
  const third = '+4930901820003'
  await sendTo(rpc, { key, to: third })
  await rpc.outbox.resume()
  await outboxOver(rpc)
  const { items } = await rpc.outbox.list({ filter: {}, limit: 3 })
  const message_id = (to: string) => items.find(({ phone }) => phone === to)!.serviceId
  const { url } = (await rpc.listener.get()).status
  for (const event of [
    { event: 'dlr', message_id: message_id(leaver), status: 'opted_out' },
    { event: 'contact.unsubscribed', message_id: message_id(other) },
    { event: 'opt_out', message_id: message_id(third), from: '+4930901820099' },
    { event: 'contact.unsubscribed', message_id: 'of-another-program' },
    { event: 'contact.unsubscribed', message_id: 'of-a-third-program' },
  ])
    expect(await deliverSigned(url!, JSON.stringify(event), testSecret)).toBe(200)
  for (const phone of [leaver, other, third])
    await expect
      .poll(async () => (await rpc.dnc.checkOffline({ phones: [phone], region: 'DE' })).verdicts)
      .toMatchObject([{ verdict: 'blocked', source: 'hold' }])
  const unknown = async () =>
    (await rpc.dnc.holds({ which: 'active', limit: 10 })).items.filter(({ number }) => number === null)
  await expect.poll(unknown).toHaveLength(2)
  // The report of one comes.
  const fourth = '+4930901820004'
  const late = { event: 'dlr', message_id: 'of-another-program', status: 'delivered', destination: fourth }
  expect(await deliverSigned(url!, JSON.stringify(late), testSecret)).toBe(200)
  await expect.poll(unknown).toMatchObject([{ evidence: 'contact.unsubscribed' }])
  const held = async (of: Rpc) =>
    (await of.dnc.holds({ which: 'active', limit: 10 })).items.filter(({ number }) => number === fourth)
  expect(await held(rpc)).toMatchObject([{ evidence: 'contact.unsubscribed' }])

  // An unconfirmed request to its person gets the ID of the other one.
  const fifth = '+4930901820005'
  service.fate = () => 'reset-after'
  await sendTo(rpc, { key, to: fifth })
  const unconfirmed = { states: ['unknown' as const] }
  await expect.poll(async () => (await rpc.outbox.list({ filter: unconfirmed, limit: 1 })).total).toBe(1)
  await rpc.outbox.resolve({
    selection: { filter: unconfirmed },
    how: 'mark-done',
    serviceId: 'of-a-third-program',
  })
  expect(await rpc.dnc.checkOffline({ phones: [fifth], region: 'DE' })).toMatchObject({
    verdicts: [{ verdict: 'blocked', source: 'hold' }],
  })
  expect(await unknown()).toEqual([])

  // As if it crashed once the report was stored.
  await first.stopCore()
  const db = new Database(join(folder, 'state.db'))
  db.exec(`DELETE FROM holds WHERE phone = '${fourth}'; UPDATE holds_progress SET seq = seq - 1`)
  db.close()
  const { rpc: again } = await restart(first)
  expect(await held(again)).toHaveLength(1)
})

test('another API key, maybe of another tenant, lets messages wait for the DNC list read with it', async () => {
  const { first, service, signIn } = await open()
  const { rpc } = first
  const state = async () => (await dncCache(rpc)).state
  await rpc.connections.signOut({ id: (await frontConnection(rpc))!.id })
  await signIn(rpc)
  expect(await state()).toBe('fresh')
  service.dnc = [leaver]
  await signIn(rpc, 'k-2')
  expect(await state()).toBe('other-key')
  await rpc.outbox.resume()
  expect(await reached(rpc, service)).toEqual([other])
})

test('a restart does not forget that no subscription is left, nor does a list that can’t be read as a whole', async () => {
  const { first, service, restart } = await open()
  const { url } = (await first.rpc.listener.get()).status
  expect(await deliverSigned(url!, moBody('mo-2', other, 'Hi'), testSecret)).toBe(200)
  service.webhooks = []
  await first.rpc.webhooks.list({ background: false })
  await first.stopCore()
  const { rpc } = await restart(first)
  await rpc.outbox.resume()
  await messagesWait(rpc, 'inbound.subscription')
  service.webhooks = [{ url }]
  await rpc.webhooks.list({ background: false })
  await messagesWait(rpc, 'inbound.subscription')
  expect(service.requests).toEqual([])
  service.webhooks = [{ id: 'w-1', url, events: ['message.received'], status: 'active' }]
  await rpc.webhooks.list({ background: false })
  expect((await reached(rpc, service)).toSorted()).toEqual([leaver, other])
})

test('reads what waited at the relay before the first message of a resumed send leaves, and waits once it is lost', async () => {
  const { first, service, restart, key } = await open()
  const relay = await runRelay()
  await first.rpc.listener.setRelay({ mode: 'relay', url: relay.url, inbox: 'main', token: relay.token })
  await first.stopCore()
  expect(await post(`${relay.url}/webhooks`, stop)).toBe(200)
  await relay.stop()
  const { rpc } = await restart(first)
  await rpc.outbox.resume()
  await messagesWait(rpc, 'inbound.relay')
  const again = () => runRelay({ dataDir: relay.dataDir, port: relay.port }, relay.token)
  const second = await again()
  await rpc.listener.retryRelay()
  expect(await reached(rpc, service)).toEqual([other])

  const late = '+4930901820003'
  await second.stop()
  await expect.poll(async () => (await rpc.listener.get()).status.relay?.state).toBe('unreachable')
  await sendTo(rpc, { key, to: late })
  await messagesWait(rpc, 'inbound.relay')
  expect(service.sent.has(late)).toBe(false)
  await again()
  expect(await reached(rpc, service)).toEqual([other, late])
})

test('reads what a crash left unread in the journal before the first message leaves', async () => {
  const { first, service, restart, folder } = await open()
  await first.stopCore()
  const journal = openJournal({ file: join(folder, 'journal.db'), log: quietLog, now: Date.now })
  const delivery = {
    receivedMs: Date.now(),
    verdict: 'signed',
    secretId: null,
    remote: '127.0.0.1',
    headersJson: '[]',
  } as const
  journal.append([{ ...delivery, body: Buffer.from(stop) }])
  journal.close()
  const state = new Database(join(folder, 'state.db'))
  state.exec('UPDATE outbox_control SET paused = 0')
  state.close()
  const { rpc } = await restart(first)
  expect(await reached(rpc, service)).toEqual([other])
})

import { expect, test } from 'vitest'
import { deliverEvents, moBody } from '../../../../helpers/deliver-events.ts'
import { freePort } from '../../../../helpers/ports.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { restartCore, serviceSecret, startInSandbox, startListening } from '../../../../helpers/test-core.ts'
import { deliverMessages, messageCount } from './inbox-deliveries.ts'

const asked = async (rpc: Rpc) =>
  (await rpc.inbox.list({ which: 'possible-opt-outs' })).items.map(({ number }) => number)
const activeHolds = async (rpc: Rpc) =>
  (await rpc.dnc.holds({ which: 'active' })).items.map(({ phone, evidence, source }) => [
    phone,
    evidence,
    source,
  ])
const verdictOf = async (rpc: Rpc, phone: string) =>
  (await rpc.dnc.checkOffline({ phones: [phone], region: 'US' })).verdicts[0]

test('holds everyone whom an opt-out event may mean', async () => {
  const { rpc } = await startListening()
  const own = '+12025550100'
  await deliverEvents(
    rpc,
    serviceSecret,
    JSON.stringify({ event: 'opted_out', from: own, to: '+12025550107' }),
    JSON.stringify({ event: 'dlr', message_id: 'm-8', status: 'delivered', destination: '+12025550108' }),
    JSON.stringify({ event: 'opted_out', from: own, message_id: 'm-8' }),
  )
  for (const phone of ['+12025550107', '+12025550108'])
    await expect.poll(() => verdictOf(rpc, phone)).toMatchObject({ verdict: 'blocked', source: 'hold' })
})

test('holds and asks about near misses of keywords, and answers each conversation once', async () => {
  let running = await startListening()
  let { rpc } = running
  await deliverMessages(
    rpc,
    ['m-1', '+12025550101', 'Stop. Thank you'],
    ['m-2', '+12025550102', 'STOP\n\nSent from my iPhone'],
    ['m-3', '+12025550103', 'Don’t stop'],
    ['m-4', '+12025550104', 'Liked “Reply STOP to opt out”'],
    ['m-5', '+12025550105', 'S.T.O.P'],
    ['m-6', '72975', 'Please stop'],
  )
  expect(await asked(rpc)).toEqual(['72975', '+12025550102', '+12025550101'])
  // Nobody is contacted until someone decides; a denial and a quote are no opt-outs.
  await expect
    .poll(() => activeHolds(rpc))
    .toEqual([
      ['72975', 'Please stop', 'possible-opt-out'],
      ['+12025550105', 'S.T.O.P', 'opt-out'],
      ['+12025550102', 'STOP\n\nSent from my iPhone', 'possible-opt-out'],
      ['+12025550101', 'Stop. Thank you', 'possible-opt-out'],
    ])
  expect(await verdictOf(rpc, '+12025550102')).toMatchObject({ verdict: 'blocked', source: 'hold' })
  expect(await rpc.dnc.holds({ which: 'not-handed-off' })).toMatchObject({
    items: [{ phone: '+12025550105' }],
    total: 1,
  })
  const list = await rpc.inbox.list({ which: 'possible-opt-outs' })
  expect(list).toMatchObject({ total: 3, state: { possibleOptOuts: 3 } })

  const first = await rpc.inbox.get({ sender: '12025550101' })
  expect(first.possibleOptOuts).toEqual([first.conversation.last.seq])
  const [seq] = first.possibleOptOuts
  expect(first.optedOut).toBeNull()
  await rpc.inbox.answerOptOut({ sender: '12025550101', upToSeq: seq!, answer: 'hold' })
  expect((await rpc.inbox.get({ sender: '12025550101' })).optedOut).toMatchObject({ seq })
  expect((await activeHolds(rpc)).filter(([phone]) => phone === '+12025550101')).toEqual([
    ['+12025550101', 'Stop. Thank you', 'by-hand'],
    ['+12025550101', 'Stop. Thank you', 'possible-opt-out'],
  ])
  expect(await verdictOf(rpc, '+12025550101')).toMatchObject({ verdict: 'blocked', source: 'hold' })

  const second = await rpc.inbox.get({ sender: '12025550102' })
  const no = { sender: '12025550102', upToSeq: second.possibleOptOuts[0]!, answer: 'not-opt-out' as const }
  expect(await rpc.inbox.answerOptOut(no)).toMatchObject({ possibleOptOuts: 1 })
  await expect(rpc.inbox.answerOptOut(no)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await verdictOf(rpc, '+12025550102')).not.toMatchObject({ verdict: 'blocked' })

  // A duplicate, a restart and a rebuild ask nothing again; a new message does.
  await deliverEvents(rpc, serviceSecret, moBody('m-2', '+12025550102', 'STOP\n\nSent from my iPhone'))
  running = await restartCore(running)
  ;({ rpc } = running)
  await expect.poll(() => messageCount(rpc)).toBe(6)
  expect(await asked(rpc)).toEqual(['72975'])
  await deliverMessages(rpc, ['m-7', '+12025550102', 'I said stop'], ['m-8', '+12025550101', 'stop now'])
  expect(await asked(rpc)).toEqual(['+12025550102', '72975'])
})

test('stays on hold and asks once nothing else holds the sender', async () => {
  const { rpc } = await startListening()
  const phone = '+12025550101'
  const { id } = await rpc.dnc.hold({ phone, region: 'US', evidence: 'By phone' })
  await deliverMessages(rpc, ['m-1', phone, 'please stop'])
  await expect.poll(async () => (await activeHolds(rpc)).length).toBe(2)
  expect(await asked(rpc)).toEqual([])
  await rpc.dnc.release({ id })
  expect(await asked(rpc)).toEqual([phone])
  expect(await verdictOf(rpc, phone)).toMatchObject({ verdict: 'blocked' })
  // Removing what is listed with it ends all.
  const [hold] = (await rpc.dnc.holds({ which: 'active' })).items
  await rpc.dnc.release({ id: hold!.id, others: hold!.others.map((other) => other.id) })
  expect(await asked(rpc)).toEqual([])
})

test('a later keyword or hold answers, a sender on hold isn’t asked about, and a hold without a number says so', async () => {
  const { rpc } = await startListening()
  await rpc.dnc.hold({ phone: '+12025550103', region: 'US', evidence: 'By phone' })
  await deliverMessages(
    rpc,
    ['m-1', '+12025550101', 'please stop'],
    ['m-2', '+12025550102', 'please stop'],
    ['m-3', '+12025550103', 'please stop'],
    ['m-4', 'INFO', 'please stop'],
  )
  expect(await asked(rpc)).toEqual(['INFO', '+12025550102', '+12025550101'])
  await deliverMessages(rpc, ['m-5', '+12025550101', 'STOP'])
  await rpc.dnc.hold({ phone: '+12025550102', region: 'US', evidence: 'By phone' })
  expect(await asked(rpc)).toEqual(['INFO'])
  const { possibleOptOuts } = await rpc.inbox.get({ sender: '=info' })
  await rpc.inbox.answerOptOut({ sender: '=info', upToSeq: possibleOptOuts[0]!, answer: 'hold' })
  const { items } = await rpc.dnc.holds({ which: 'active' })
  expect(items.find(({ phone }) => phone === 'INFO')).toMatchObject({ number: null })
  expect(await asked(rpc)).toEqual([])
})

test('asks about a sender that only may be on hold', async () => {
  const { rpc } = await startListening()
  await deliverMessages(rpc, ['m-1', '555-0101', 'STOP'])
  await expect.poll(async () => (await rpc.dnc.holds({ which: 'active' })).items.length).toBe(1)
  await deliverMessages(rpc, ['m-2', '+13055550101', 'please stop'])
  expect(await asked(rpc)).toEqual(['+13055550101'])
})

test('asks about a signed message, also if an unsigned one with its ID was answered', async () => {
  const { rpc } = await startInSandbox()
  const { config } = await rpc.listener.get()
  await rpc.listener.configure({ ...config, port: await freePort(), allowUnsigned: true })
  const { url } = (await rpc.listener.get()).status
  await fetch(url!, { method: 'POST', body: moBody('m-1', '+12025550101', 'please stop') })
  await expect.poll(() => asked(rpc)).toEqual(['+12025550101'])
  const { possibleOptOuts } = await rpc.inbox.get({ sender: '12025550101' })
  const no = { sender: '12025550101', upToSeq: possibleOptOuts[0]!, answer: 'not-opt-out' as const }
  await rpc.inbox.answerOptOut(no)
  await rpc.listener.addSecret({ label: 'Test', value: serviceSecret })
  await deliverEvents(rpc, serviceSecret, moBody('m-1', '+12025550102', 'please stop'))
  await expect.poll(() => asked(rpc)).toEqual(['+12025550102'])
})

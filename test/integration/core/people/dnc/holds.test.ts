import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textOf } from '../../../../helpers/contact-files.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { freePort } from '../../../../helpers/ports.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'
import { eventsStored } from '../../../../helpers/wait-for.ts'

/** Senders as gateways write them, and the number to hold; null: none until the country is known. */
const senders = [
  ['+12025550101', '+12025550101'],
  ['12025550102', '+12025550102'],
  ['whatsapp:+12025550105', '+12025550105'],
  ['+44 (0)7400 123456', '+447400123456'],
  ['\u200e+1\u00a0202\u2011555\u20110109', '+12025550109'],
  ['(202) 555-0107', null],
  ['2025550108', null],
  ['72975', null],
  ['INFO', null],
] as const
const national = { '(202) 555-0107': '+12025550107', '2025550108': '+12025550108' }

async function deliverStops(rpc: Rpc, sources: readonly string[]): Promise<void> {
  await rpc.listener.addSecret({ label: 'Test', value: 'stop-secret' })
  const { url } = (await rpc.listener.get()).status
  for (const [at, source] of sources.entries()) {
    const body = { event: 'mo', message_id: `m-${at}`, source, destination: '+12025550199', content: 'STOP' }
    await deliverSigned(url!, JSON.stringify({ ...body, received_at: '2026-01-05T09:00:00Z' }), 'stop-secret')
  }
  await eventsStored(rpc, sources.length)
}

/** Everyone writes twice: one conversation and one hold each. */
const deliverAll = (rpc: Rpc) =>
  deliverStops(
    rpc,
    [...senders, ...senders].map(([source]) => source),
  )

async function choose(rpc: Rpc, country: string): Promise<void> {
  const { id, name, colour, production } = (await rpc.connections.list()).connections[0]!
  await rpc.connections.update({ id, name, colour, production, country })
}

const holds = async (rpc: Rpc) =>
  (await rpc.dnc.holds({ which: 'active', limit: 50 })).items.map(({ phone, number }) => [phone, number])
const cache = async (rpc: Rpc) => (await rpc.dnc.list({ which: 'all', limit: 1 })).cache
const verdict = async (rpc: Rpc, phone: string) =>
  (await rpc.dnc.checkOffline({ phones: [phone], region: 'US' })).verdicts[0]!

test('holds every sender that can be read, and marks the others', async () => {
  const first = await startInSandbox({ sandbox: { dncCount: 1 } })
  const { rpc } = first
  await deliverAll(rpc)
  await expect.poll(async () => (await holds(rpc)).length).toBe(senders.length)
  expect((await holds(rpc)).reverse()).toEqual(senders)
  expect(await cache(rpc)).toMatchObject({ unreadableHolds: 4, withoutCountry: 2 })
  for (const [, number] of senders)
    if (number) expect(await verdict(rpc, number)).toMatchObject({ verdict: 'blocked', source: 'hold' })
  // Nothing is made up: neither is +20 25550107 held, nor is the American number called clear.
  expect(await verdict(rpc, '+12025550107')).toMatchObject({
    verdict: 'not-known',
    reason: { key: 'phone.maybeOnHold' },
  })
  const conversations = async (of: Rpc) =>
    (await of.inbox.list({ limit: 100 })).items
      .filter(({ last }) => last.optOut)
      .map(({ phone, number, messages }) => [number, phone, messages])
      .sort()
  const wanted = (read: (source: string, number: string | null) => string | null) =>
    senders.map(([source, number]) => [source, read(source, number), 2]).sort()
  await expect.poll(() => conversations(rpc)).toEqual(wanted((_, number) => number))

  await choose(rpc, 'US')
  const readUs = (source: string, number: string | null) =>
    number ?? (national as Record<string, string>)[source] ?? null
  await expect
    .poll(async () => (await holds(rpc)).reverse())
    .toEqual(senders.map(([source, number]) => [source, readUs(source, number)]))
  expect(await cache(rpc)).toMatchObject({ unreadableHolds: 2, withoutCountry: 0 })
  for (const number of Object.values(national))
    expect(await verdict(rpc, number)).toMatchObject({ verdict: 'blocked', source: 'hold' })
  await expect.poll(() => conversations(rpc)).toEqual(wanted(readUs))

  // Events are found by the number, however their sender is written.
  for (const [source, number] of senders) {
    const sought = readUs(source, number)
    if (!sought) continue
    const { items } = await rpc.events.search({ filter: { number: sought, region: 'US' }, limit: 10 })
    expect(items.map((event) => event.number)).toEqual([source, source])
  }

  // The country is kept, and an unfinished run would continue.
  const second = await restartCore(first)
  expect(await cache(second.rpc)).toMatchObject({ unreadableHolds: 2 })
})

test('stops blocking a number when a person removes the hold of another spelling', async () => {
  const { rpc } = await startInSandbox({ sandbox: { dncCount: 1 } })
  await deliverAll(rpc)
  await expect.poll(async () => (await holds(rpc)).length).toBe(senders.length)
  const { items } = await rpc.dnc.holds({ which: 'active', limit: 50 })
  const hold = items.find(({ phone }) => phone.startsWith('whatsapp'))!
  await rpc.dnc.release({ id: hold.id })
  expect(await verdict(rpc, '+12025550105')).not.toMatchObject({ verdict: 'blocked' })
})

test('holds all that a sender may mean, also if one of the numbers is on hold', async () => {
  const { rpc } = await startInSandbox({ sandbox: { dncCount: 1 } })
  await choose(rpc, 'DE')
  // Without a plus, the Polish number is also a German one.
  await deliverStops(rpc, ['+48601223024', '48601223024', '48601223024'])
  await expect.poll(async () => (await holds(rpc)).length).toBe(2)
  for (const phone of ['+48601223024', '+4948601223024'])
    expect(await verdict(rpc, phone)).toMatchObject({ verdict: 'blocked', source: 'hold' })
})

test('holds the senders of opt-outs in a web form and without the names of the spec', async () => {
  const { rpc } = await startInSandbox()
  await rpc.listener.addSecret({ label: 'Stop', value: 'stop-secret' })
  const { url } = (await rpc.listener.get()).status
  const [own, first, second] = ['+12025550199', '+12025550121', '+12025550122']
  const form = (fields: Record<string, string>) => String(new URLSearchParams(fields))
  await deliverSigned(url!, form({ event: 'mo', source: first, content: 'STOP' }), 'stop-secret')
  await deliverSigned(
    url!,
    form({ SmsStatus: 'received', From: second, To: own, Body: 'Stop' }),
    'stop-secret',
  )
  await expect
    .poll(async () => (await rpc.dnc.holds({ which: 'active', limit: 10 })).items.map(({ number }) => number))
    .toEqual([second, first])
})

test('holds the sender of a signed opt-out that replaces an unsigned copy of its ID, and whom the service calls opted out', async () => {
  const { rpc } = await startInSandbox({ sandbox: { dncCount: 1 } })
  const { config } = await rpc.listener.get()
  await rpc.listener.configure({ ...config, port: await freePort(), allowUnsigned: true })
  const { url } = (await rpc.listener.get()).status
  const body = (id: string, source: string, content: string) =>
    JSON.stringify({ event: 'mo', message_id: id, source, destination: '+12025550199', content })
  const unsigned = (text: string) => fetch(url!, { method: 'POST', body: text })
  await unsigned(body('m-1', '+12025550100', 'Hello'))
  await unsigned(body('m-2', '+12025550102', 'STOP'))
  await unsigned(body('m-3', '+12025550109', 'STOP'))
  const anyone = JSON.stringify({ event: 'contact.unsubscribed', message_id: 'm-5' })
  await unsigned(anyone)
  await expect.poll(async () => (await holds(rpc)).length).toBe(3)
  const released = (await rpc.dnc.holds({ which: 'active', limit: 5 })).items.find(({ phone }) =>
    phone.endsWith('02'),
  )
  await rpc.dnc.release({ id: released!.id })
  await rpc.listener.addSecret({ label: 'Test', value: 'stop-secret' })
  // Another text, the same text released meanwhile, and another sender.
  await deliverSigned(url!, anyone, 'stop-secret')
  await deliverSigned(url!, body('m-1', '+12025550101', 'STOP'), 'stop-secret')
  await deliverSigned(url!, body('m-2', '+12025550102', 'STOP'), 'stop-secret')
  await deliverSigned(url!, body('m-3', '+12025550103', 'STOP'), 'stop-secret')
  const report = { event: 'dlr', message_id: 'm-4', destination: '+12025550104', status: 'opted_out' }
  await deliverSigned(url!, JSON.stringify(report), 'stop-secret')
  const left = { event: 'contact.unsubscribed', phone: '+12025550105' }
  await deliverSigned(url!, JSON.stringify(left), 'stop-secret')
  const numbers = async () => (await holds(rpc)).map(([, number]) => number?.slice(-2)).sort()
  await expect.poll(numbers).toEqual(['01', '02', '03', '04', '05', '09', undefined])
  const sent = { event: 'dlr', message_id: 'm-5', destination: '+12025550106', status: 'delivered' }
  await deliverSigned(url!, JSON.stringify(sent), 'stop-secret')
  await expect.poll(numbers).toEqual(['01', '02', '03', '04', '05', '06', '09'])
})

test('exports many holds once each, oldest first, and answers others meanwhile', async () => {
  const { rpc, dataDir } = await startInSandbox({ sandbox: { dncCount: 1 } })
  const state = new Sqlite(join(dataDir, 'connections', 'sandbox', 'state.db'))
  const add = state.prepare(
    "INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES ('+' || @digits, @digits, 'STOP', 'opt-out', 1)",
  )
  const numbers = Array.from({ length: 20_500 }, (_, at) => 12_025_000_000 + at)
  state.transaction(() => {
    for (const digits of numbers) add.run({ digits })
  })()
  state.close()
  const order: string[] = []
  const exporting = rpc.dnc.exportHandOff({ all: false }).finally(() => order.push('export'))
  // Asked while the export runs, and answered between two of its turns.
  await rpc.dnc.holds({ which: 'active', limit: 1 }).finally(() => order.push('other'))
  const { fileId, count } = await exporting
  expect(order).toEqual(['other', 'export'])
  expect(count).toBe(numbers.length)
  const rows = (await textOf(rpc, fileId)).trim().split('\r\n').slice(1)
  expect(rows.map((row) => Number(/^"\+(\d+)"/.exec(row)?.[1]))).toEqual(numbers)
  expect((await rpc.dnc.holds({ which: 'not-handed-off', limit: 1 })).total).toBe(0)
  expect((await rpc.dnc.exportHandOff({ all: false })).count).toBe(0)
})

import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventRow } from '#contract/live/events.ts'
import { deliverEvents, dlrBody } from '../../../../helpers/deliver-events.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { restartCore, serviceSecret, startListening } from '../../../../helpers/test-core.ts'
import { eventsStored, statusWhere } from '../../../../helpers/wait-for.ts'

const deliver = (rpc: Rpc, ...bodies: string[]) => deliverEvents(rpc, serviceSecret, ...bodies)

async function allEvents(rpc: Rpc, count: number): Promise<EventRow[]> {
  await eventsStored(rpc, count)
  return (await rpc.events.search({ filter: {}, limit: 500 })).items
}

test('shows a signed event once with its duplicates, an unknown one with its raw body, and no forged one', async () => {
  const { rpc } = await startListening()
  const { url } = (await rpc.listener.get()).status
  const body = dlrBody('m-1', 'delivered')
  expect(await deliverSigned(url!, body, serviceSecret, 'f'.repeat(64))).toBe(401)
  await deliver(rpc, body, body, '{"event":"weather","sunny":true}')
  await statusWhere(rpc, ({ listener, projectionLag }) => listener.acknowledged === 3 && projectionLag === 0)
  const [odd, report, ...rest] = await allEvents(rpc, 2)
  expect(rest).toEqual([])
  expect(report).toMatchObject({
    kind: 'dlr',
    messageId: 'm-1',
    status: 'delivered',
    copies: 2,
    verdict: 'signed',
  })
  expect(odd).toMatchObject({ kind: 'quarantined', quarantineReason: expect.anything() })
  expect((await rpc.events.get({ seq: odd!.seq })).rawBody).toContain('"sunny":true')
  await statusWhere(rpc, ({ listener }) => listener.refused === 1)
  expect((await rpc.listener.refusals()).refusals).toMatchObject([
    { status: 401, method: 'POST', path: '/webhooks' },
  ])
})

test.each([
  [
    'event store aside and rebuilds it from the journal',
    'state.db',
    (file: string) =>
      writeFileSync(file, 'this is not a database, it only looks like one from afar'.repeat(200)),
  ],
  [
    'journal aside and numbers new events after the stored ones',
    'journal.db',
    (file: string) => truncateSync(file, 3_000),
  ],
])('sets a damaged %s, and says so', async (_what, name, damage) => {
  const first = await startListening()
  await deliver(first.rpc, dlrBody('m-1', 'submitted'))
  await allEvents(first.rpc, 1)
  await first.stopCore()
  const folder = join(first.dataDir, 'connections', 'sandbox')
  damage(join(folder, name))
  const { rpc } = await restartCore(first)
  const { notices } = await statusWhere(rpc, (status) => status.notices.length > 0)
  expect(notices).toMatchObject([{ error: { code: 'STORAGE_DAMAGED' } }])
  expect(readdirSync(folder).some((file) => file.startsWith(`${name}.corrupt-`))).toBe(true)
  await deliver(rpc, dlrBody('m-2', 'submitted'))
  expect((await allEvents(rpc, 2)).map(({ messageId }) => messageId)).toEqual(['m-2', 'm-1'])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AnsweringService,
  startAnsweringService,
  usualAnswer,
} from '../../../helpers/answering-service.ts'
import { type Rpc, type RunningCore, startCore } from '../../../helpers/start-core.ts'
import { connectTo } from '../../../helpers/test-core.ts'
import { taskEnd } from '../../../helpers/wait-for.ts'

let at: AnsweringService
let running: RunningCore
beforeAll(async () => {
  at = await startAnsweringService()
  running = await startCore({})
})
afterAll(() => Promise.all([running.stop(), at.stop()]))

/**
 * A new connection to a service with records by path. `says`: the `per_page` of its answers; `cap`: how many it returns at most; `totalOf`:
 * the total it states, by the records of the list and of the page.
 */
async function connected(
  lists: Record<string, unknown[]>,
  cap: number,
  says: unknown = cap,
  totalOf: (ofList: number, ofPage: number) => number | undefined = (ofList) => ofList,
): Promise<Rpc> {
  at.answer = (asked) => {
    const all = lists[asked.path]
    if (!all) return usualAnswer(asked)
    const page = Number(asked.query.get('page') ?? 1)
    const size = Math.min(Number(asked.query.get('per_page') ?? 20), cap)
    const data = all.slice((page - 1) * size, page * size)
    return [200, { data, total: totalOf(all.length, data.length), page, per_page: says }]
  }
  const { connections } = await running.rpc.connections.list()
  const { connection } = await connectTo(running.rpc, at.baseUrl, `Lists ${connections.length}`)
  return running.rpcOf(connection.id)
}

const some = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n))
const entry = (n: number) => ({ id: `e-${n}`, phone_number: `+1415555${1000 + n}` })

async function syncedDnc(rpc: Rpc) {
  expect(await taskEnd(rpc, (await rpc.dnc.sync()).taskId)).toMatchObject({ state: 'done' })
  return (await rpc.dnc.list({ which: 'all', limit: 500 })).cache
}

async function scheduled(rpc: Rpc) {
  for await (const step of await rpc.scheduled.read({}))
    if (['done', 'failed'].includes(step.kind)) return step
  return null
}

test.each<[string, number, number, unknown]>([
  ['says so', 237, 50, 50],
  ['conceals it', 237, 50, 100],
  ['returns one a page', 12, 1, 1],
])('syncs a DNC list whose service caps its pages and %s', async (_what, count, cap, says) => {
  const rpc = await connected({ '/dnc': some(count, entry) }, cap, says)
  expect(await syncedDnc(rpc)).toMatchObject({ state: 'fresh', entries: count })
})

test.each([
  ['50', 130, 50],
  ['one', 7, 1],
])('reads every list of a service that caps its pages at %s', async (_what, count, cap) => {
  const rpc = await connected(
    {
      '/campaigns': some(count, (n) => ({ id: `c-${n}`, name: `C${n}`, status: 'running' })),
      '/scheduled-messages': some(count, (n) => ({ id: `s-${n}`, status: 'pending' })),
      '/webhooks/subscriptions': some(count, (n) => ({ id: `w-${n}`, url: `https://example.com/${n}` })),
      '/messages': some(count, (n) => ({ id: `m-${n}` })),
    },
    cap,
  )
  expect((await rpc.webhooks.list()).subscriptions).toHaveLength(count)
  expect(await scheduled(rpc)).toMatchObject({ reading: { loaded: count, total: count, state: 'whole' } })
  const campaigns = await rpc.campaigns.list({ perPage: 100, status: 'running' })
  expect(campaigns).toMatchObject({ perPage: cap, total: count })
  const messages = await rpc.messages.list({ page: 2, perPage: 100 })
  expect(messages.items[0]?.id).toBe(`m-${cap}`)
})

const ofPage = (_all: number, page: number) => page
test.each([
  ['counts only the records of a page', ofPage, [200, { data: [], total: 0 }]],
  ['also refuses pages after the last', ofPage, [400, { error: 'no such page' }]],
  ['gives no total', () => undefined, [200, { data: [] }]],
] as const)('reads every list of a service that %s', async (_how, totalOf, last) => {
  const rpc = await connected(
    {
      '/campaigns': some(8, (n) => ({ id: `c-${n}`, name: `C${n}`, status: 'running' })),
      '/scheduled-messages': some(8, (n) => ({ id: `s-${n}`, status: 'pending' })),
      '/webhooks/subscriptions': some(8, (n) => ({ id: `w-${n}`, url: `https://example.com/${n}` })),
    },
    5,
    100,
    totalOf,
  )
  const { answer } = at
  at.answer = (asked) => (Number(asked.query.get('page')) > 2 ? [...last] : answer(asked))
  expect(await rpc.campaigns.running()).toMatchObject({ items: { length: 8 }, complete: true })
  expect((await rpc.webhooks.list()).subscriptions).toHaveLength(8)
  expect(await scheduled(rpc)).toMatchObject({ reading: { loaded: 8, total: 8, state: 'whole' } })
})

test.each([
  ['gives no total', () => undefined, [200, { data: [] }]],
  ['gives no total and refuses pages after the last', () => undefined, [400, { error: 'no such page' }]],
  ['counts only the records of a page', ofPage, [200, { data: [], total: 0 }]],
] as const)('syncs the DNC list if the service %s', async (_how, totalOf, last) => {
  const rpc = await connected({ '/dnc': some(8, entry), '/messages': [{ id: 'm-1' }] }, 5, 100, totalOf)
  const { answer } = at
  at.answer = (asked) => (Number(asked.query.get('page')) > 2 ? [...last] : answer(asked))
  expect(await syncedDnc(rpc)).toMatchObject({ state: 'fresh', entries: 8 })
  expect(await rpc.messages.list({})).toMatchObject({ items: [{ id: 'm-1' }], total: 1 })
})

test('skips a record that cannot be read and tells it', async () => {
  const broken = { id: null, status: { odd: true } }
  const rpc = await connected(
    {
      '/campaigns': [{ id: 'c-1' }, broken, { id: 'c-2' }],
      '/scheduled-messages': [broken, { id: 's-1' }],
      '/webhooks/subscriptions': [{ id: 'w-1', url: 'https://example.com' }, 7],
      '/messages': [{ id: 'm-1' }, null],
    },
    100,
  )
  expect(await rpc.campaigns.list({})).toMatchObject({ items: [{ id: 'c-1' }, { id: 'c-2' }], unreadable: 1 })
  expect(await scheduled(rpc)).toMatchObject({ reading: { loaded: 1, unreadable: 1, state: 'whole' } })
  expect(await rpc.webhooks.list()).toMatchObject({ subscriptions: [{ id: 'w-1' }], unreadable: 1 })
  expect(await rpc.messages.list({})).toMatchObject({ items: [{ id: 'm-1' }], unreadable: 1 })
})

test('blocks the number of a DNC record without an id, and calls one without a number unreadable', async () => {
  const { id: _, ...withoutId } = entry(1)
  const records = [entry(0), withoutId, { id: 'e-2', phone_number: {} }, null, { reason: 'no number' }]
  const rpc = await connected({ '/dnc': records }, 100)
  expect(await syncedDnc(rpc)).toMatchObject({ entries: 5, unreadable: 3 })
  const { verdicts } = await rpc.dnc.checkOffline({ phones: [withoutId.phone_number], region: 'US' })
  expect(verdicts[0]).toMatchObject({ verdict: 'blocked' })
  // A second sync of the same list finds the same entries.
  expect(await syncedDnc(rpc)).toMatchObject({ entries: 5, unreadable: 3 })
})

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { openDocuments } from '#electron/relay/storage.ts'
import { addToken, revokeToken } from '#electron/relay/tokens.ts'
import { dlr } from '../../helpers/listener.ts'
import { startNatsCluster, whyNoNats } from '../../helpers/nats-cluster.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import {
  createReader,
  isCaughtUp,
  post,
  postMany,
  readFeed,
  runRelay,
  testInbox,
} from '../../helpers/relay.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { teamContract } from './team-contract.ts'

const whyNot = whyNoNats()
let cluster: Awaited<ReturnType<typeof startNatsCluster>>
let documents: Awaited<ReturnType<typeof openDocuments>>
const storeConfig = () => ({
  servers: cluster.urls,
  credentialsFile: null,
  tls: null,
  replicas: null,
  spill: true,
})

/** An inbox and token of this test alone. */
async function setUp() {
  await expect.poll(() => documents.documents.refresh().then(() => 'connected')).toBe('connected')
  // The longest name.
  const name = `inbox-${randomUUID().slice(0, 8)}-`.padEnd(63, 'x')
  const tokenName = `reader-${randomUUID().slice(0, 8)}`
  const token = await addToken(documents.documents, tokenName, name, Date.now())
  return {
    name,
    token,
    tokenName,
    /** Without a folder nothing is spilled. */
    run: (dataDir: string | null, keep = testInbox.keep) =>
      runRelay(
        {
          dataDir,
          store: { ...storeConfig(), spill: dataDir !== null },
          inboxes: [{ ...testInbox, name, keep }],
        },
        token,
      ),
    read: (relay: { url: string }, reader: ReturnType<typeof createReader>) =>
      readFeed({ url: relay.url, token }, reader, { inbox: name }),
  }
}
const folder = () => join(tempFolder(), 'relay')
const readyz = async (url: string) => {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as unknown }
}

describe.skipIf(whyNot !== null)('a relay with NATS', () => {
  beforeAll(async () => {
    cluster = await startNatsCluster(1)
    documents = await openDocuments({ dataDir: null, store: storeConfig() }, systemClock, quietLog)
  })
  afterAll(async () => {
    await documents.close()
    await cluster.stop()
  })

  it('sends what any relay stored to a console at any other, from its position', async () => {
    const test = await setUp()
    const [first, second] = await Promise.all([test.run(null), test.run(null)])
    await postMany(first.url, 3, 'first')
    const reader = createReader()
    const feed = test.read(second, reader)
    await feed.now(() => reader.deliveries.length === 3)
    await postMany(first.url, 2, 'more')
    await postMany(second.url, 2, 'other')
    await feed.now(() => reader.deliveries.length === 7)
    feed.client.stop()
    await postMany(second.url, 1, 'last')
    await test.read(first, reader).now(isCaughtUp)
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(reader.ids()).toEqual('first0 first1 first2 more0 more1 other0 other1 last0'.split(' '))
    expect(reader.gaps).toEqual([])
  })

  it('ends the feed of a token that connects to another relay, and of one that was revoked', async () => {
    const test = await setUp()
    const [first, second] = await Promise.all([test.run(null), test.run(null)])
    const older = test.read(first, createReader())
    await older.now(isCaughtUp)
    // Of two claims the one written last counts, and this one is written in the background.
    const claim = () => documents.documents.read(`feeds/${test.tokenName}`) ?? ''
    await expect.poll(async () => documents.documents.refresh().then(claim)).not.toBe('')
    const newer = test.read(second, createReader())
    // The older one notices when a delivery ends its wait, at the latest after 15 s.
    const isReplaced = async () => {
      await postMany(first.url, 1)
      return older.states.at(-1)?.kind
    }
    await expect.poll(isReplaced).toBe('refused')
    expect(await older.state(({ kind }) => kind === 'refused')).toMatchObject({ reason: 'replaced' })
    await newer.now(isCaughtUp)
    expect(first.feeds()).toEqual([])
    await revokeToken(documents.documents, test.tokenName, Date.now())
    expect(await newer.state(({ kind }) => kind === 'refused')).toMatchObject({ reason: 'revoked' })
  })

  it('keeps what a token has not read, at any relay', async () => {
    const test = await setUp()
    const keep = { ...testInbox.keep, bytes: 1 }
    const [first, second] = await Promise.all([test.run(null, keep), test.run(null, keep)])
    await postMany(first.url, 3, 'read')
    const reader = createReader()
    const feed = test.read(second, reader)
    await feed.now(() => reader.deliveries.length === 3)
    await expect.poll(() => second.feeds().length).toBe(1)
    feed.client.stop()
    await postMany(first.url, 3, 'unread')
    const position = () => documents.documents.read(`readers/${test.name}/${test.tokenName}`) ?? ''
    await expect.poll(async () => documents.documents.refresh().then(position)).toMatch(/"upTo":3/)
    await Promise.all([first.dropOld(), second.dropOld()])
    await test.read(first, reader).now(isCaughtUp)
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(reader.gaps).toEqual([])
  })

  it('reports the union of the listening periods of all relays', async () => {
    const test = await setUp()
    const first = await test.run(null)
    const second = await test.run(null)
    await first.stop()
    const reader = createReader()
    await test.read(second, reader).state(() => reader.periods.size > 0)
    const periods = [...reader.periods.values()]
    const [running, ...covered] = periods.sort((a, b) => a.startedMs - b.startedMs)
    expect(running).toMatchObject({ endedMs: null })
    // The later relay's own period lies inside.
    expect(covered).toHaveLength(1)
    expect(covered[0]!.startedMs).toBeGreaterThanOrEqual(running!.startedMs)
  })

  it('answers 200 while JetStream is down, and stores each delivery once and in order when it is back', async () => {
    const test = await setUp()
    const relay = await test.run(folder())
    await postMany(relay.url, 3, 'before')
    const underWay = Array.from({ length: 20 }, (_one, at) =>
      post(`${relay.url}/webhooks`, dlr(`during${at}`)),
    )
    await cluster.kill(0)
    expect(new Set(await Promise.all(underWay))).toEqual(new Set([200]))
    await postMany(relay.url, 5, 'down')
    expect(await readyz(relay.url)).toMatchObject({
      status: 200,
      body: { backlog: { deliveries: expect.any(Number) as number, lost: 0 } },
    })
    cluster.start(0)
    await cluster.ready()
    const reader = createReader()
    const feed = test.read(relay, reader)
    await feed.now(() => reader.deliveries.length >= 28)
    await postMany(relay.url, 2, 'after')
    await feed.now(() => reader.ids().includes('after1'))
    expect(reader.ids().filter((id) => !id.startsWith('during'))).toEqual(
      'before0 before1 before2 down0 down1 down2 down3 down4 after0 after1'.split(' '),
    )
    expect(reader.ids()).toHaveLength(30)
    expect(new Set(reader.ids()).size).toBe(30)
    expect(reader.gaps).toEqual([])
    expect(await readyz(relay.url)).toEqual({ status: 200, body: { status: 'ready' } })
  })

  it('answers 503 while JetStream is down and nothing may be spilled', async () => {
    const test = await setUp()
    const relay = await test.run(null)
    await postMany(relay.url, 1, 'before')
    await cluster.kill(0)
    expect(await post(`${relay.url}/webhooks`, dlr('down'))).toBe(503)
    expect((await readyz(relay.url)).status).toBe(503)
    cluster.start(0)
    await cluster.ready()
    await expect.poll(() => post(`${relay.url}/webhooks`, dlr('after')), { timeout: 10_000 }).toBe(200)
    const reader = createReader()
    await test.read(relay, reader).now(() => reader.ids().includes('after'))
    expect(reader.ids()).not.toContain('down')
  })

  teamContract(async () => {
    const { name, token, run } = await setUp()
    const readToken = await addToken(documents.documents, `display-${name.slice(6, 14)}`, name, 1, true)
    return { ...(await run(folder())), inbox: name, token, readToken }
  })
})

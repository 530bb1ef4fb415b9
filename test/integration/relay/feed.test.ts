import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request } from 'node:https'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  feedBatch,
  type FeedPage,
  feedPath,
  feedQuery,
  type FeedRequest,
} from '#electron/listener/feed-protocol.ts'
import { createSignatureChecker } from '#electron/listener/signature.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken, revokeToken } from '#electron/relay/tokens.ts'
import { dlr, sign, testSecret } from '../../helpers/listener.ts'
import {
  createReader,
  isCaughtUp,
  post,
  postMany,
  readFeed,
  runRelay,
  testInbox,
} from '../../helpers/relay.ts'
import { certificateFor } from '../../helpers/certificate.ts'
import { startConnectProxy } from '../../helpers/connect-proxy.ts'
import { rawRequest } from '../../helpers/raw-http.ts'

type Relay = Pick<Awaited<ReturnType<typeof runRelay>>, 'url' | 'token'>

/** One request of a console, by hand. */
async function ask(
  { url, token }: Relay,
  asked: Partial<FeedRequest> = {},
  headers: object = {},
  change = '',
) {
  const query = feedQuery({ inbox: 'main', after: 0, sinceMs: 0, ...asked }).toString()
  const answer = await fetch(`${url}${feedPath}?${query}${change}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })
  return { status: answer.status, page: (await answer.json()) as FeedPage }
}

/** Why the relay refused this console for good. */
const refusal = async (feed: ReturnType<typeof readFeed>) => {
  const state = await feed.state(({ kind }) => kind === 'refused')
  return state.kind === 'refused' ? state.reason : null
}

describe('the feed of a relay', () => {
  it('sends stored and new deliveries with their signatures', async () => {
    const relay = await runRelay()
    await postMany(relay.url, 3, 'before')
    const reader = createReader()
    const feed = readFeed(relay, reader)
    await feed.now(() => reader.deliveries.length === 3)
    await postMany(relay.url, 2, 'after')
    await feed.now(() => reader.deliveries.length === 5)
    expect(reader.ids()).toEqual(['before0', 'before1', 'before2', 'after0', 'after1'])
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    const checker = createSignatureChecker(testInbox.secrets)
    for (const { headers, body } of reader.deliveries) {
      const signature = headers.find(([name]) => name === 'x-webhook-signature')?.[1]
      expect(checker.check(body, signature, Date.now()).ok).toBe(true)
    }
    expect(reader.gaps).toEqual([])
  })

  it('keeps the signature of a delivery that has no other headers', async () => {
    const relay = await runRelay()
    const body = dlr('bare')
    const lines = ['Host: relay', `X-Webhook-Signature: ${sign(body)}`, `Content-Length: ${body.length}`]
    const { port } = new URL(relay.url)
    const request = `POST /webhooks HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
    const [answer] = await rawRequest(Number(port), request)
    expect(answer!.status).toBe(200)
    const reader = createReader()
    await readFeed(relay, reader).now(() => reader.deliveries.length === 1)
    expect(reader.deliveries[0]!.headers).toEqual([['x-webhook-signature', sign(body)]])
  })

  it('works over TLS with its own certificate', async () => {
    const { cert, files } = await certificateFor('127.0.0.1')
    const relay = await runRelay({ tls: files })
    const stranger = readFeed(relay, createReader())
    expect(await stranger.state(({ kind }) => kind === 'unreachable')).toMatchObject({
      detail: expect.stringMatching(/self-signed/) as string,
    })
    stranger.client.stop()
    const body = dlr('one')
    const headers = { 'X-Webhook-Signature': sign(body) }
    const sent = request(`${relay.url}/webhooks`, { method: 'POST', ca: cert, headers }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(answer.resume().statusCode).toBe(200)
    const reader = createReader()
    await readFeed(relay, reader, { ca: cert }).now(() => reader.deliveries.length === 1)
  })

  it('uses a renewed certificate, and the old one while the new one is wrong', async () => {
    const { files, renew } = await certificateFor('first')
    const minutely: (() => void)[] = []
    const every: Clock['every'] = (periodMs, callback) => {
      if (periodMs === 60_000) minutely.push(callback)
      return systemClock.every(periodMs, callback)
    }
    const minutePasses = () => minutely.forEach((callback) => callback())
    const relay = await runRelay({ tls: files }, undefined, { ...systemClock, every })
    const nameOf = async () => {
      const socket = connectTls({ port: relay.port, host: '127.0.0.1', rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const { subject } = socket.getPeerCertificate()
      socket.destroy()
      return subject.CN
    }
    expect(await nameOf()).toBe('first')
    await renew('without its key', false)
    minutePasses()
    expect(await nameOf()).toBe('first')
    await renew('second')
    minutePasses()
    expect(await nameOf()).toBe('second')
  })

  it('goes through a proxy, and says when the proxy refuses', async () => {
    const { cert, files } = await certificateFor('relay.example')
    const relay = await runRelay({ tls: files })
    const proxy = await startConnectProxy(relay.port)
    onTestFinished(() => proxy.stop())
    const proxies = () => Promise.resolve([`http://ana:pass@${proxy.host}`])
    const far = { url: 'https://relay.example', token: relay.token }
    proxy.answer(407)
    const feed = readFeed(far, createReader(), { ca: cert, proxies })
    expect(await feed.state(({ kind }) => kind === 'unreachable')).toMatchObject({
      detail: { key: 'relay.proxyStatus', proxy: proxy.host, status: '407' },
    })
    proxy.answer(200)
    await feed.state(isCaughtUp)
    await expect.poll(() => relay.feeds().length).toBe(1)
    // The refused one, and one for all requests since.
    const authorization = `Basic ${Buffer.from('ana:pass').toString('base64')}`
    const asked = { target: 'relay.example:443', authorization }
    expect(proxy.asked.slice(-2)).toEqual([asked, asked])
  })

  it('connects again at once after waking up', async () => {
    const relay = await runRelay()
    const feed = readFeed(relay, createReader(), { random: () => 1 })
    await feed.state(isCaughtUp)
    feed.states.length = 0
    feed.client.wake()
    await feed.state(isCaughtUp)
    expect(feed.states.map(({ kind }) => kind)).not.toContain('unreachable')
    await expect.poll(() => relay.feeds().length).toBe(1)
  })

  it('closes the feeds of a revoked token, and refuses it from then on', async () => {
    const relay = await runRelay()
    const feed = readFeed(relay, createReader())
    await feed.state(({ kind }) => kind === 'connected')
    await revokeToken(openFolder(relay.dataDir), 'ana', Date.now())
    expect(await refusal(feed)).toBe('revoked')
    feed.states.length = 0
    feed.client.retry()
    expect(await refusal(feed)).toBe('revoked')
    expect(relay.feeds()).toEqual([])
  })

  it.each([
    ['an unknown token', 'swr_unknown', 'main', 'token'],
    ['a token for another inbox', null, 'other', 'other-inbox'],
  ])('refuses %s for good', async (_what, token, inbox, reason) => {
    const relay = await runRelay()
    const feed = readFeed({ url: relay.url, token: token ?? relay.token }, createReader(), { inbox })
    expect(await refusal(feed)).toBe(reason)
  })

  it('refuses a request that no console sends, also with a right token', async () => {
    const relay = await runRelay()
    for (const [status, headers, change] of [
      // A web page, one without an origin and one of the relay's own address.
      [403, { Origin: 'https://evil.example' }],
      [403, { Origin: 'null' }],
      [403, { Origin: relay.url }],
      [401, { Authorization: `Basic ${relay.token}` }],
      [400, {}, '&after=-1'],
    ] as const)
      expect(await ask(relay, {}, headers, change), `${status} ${change}`).toMatchObject({ status })
    const { status } = await fetch(`${relay.url}${feedPath}?token=${relay.token}`)
    expect(status).toBe(426)
    expect(relay.feeds()).toEqual([])
    expect(await ask(relay)).toMatchObject({ status: 200 })
  })

  it('stores honest deliveries and refuses every stranger during a flood', async () => {
    const relay = await runRelay()
    const flood = Array.from({ length: 1_000 }, (_item, at) => ask({ url: relay.url, token: `swr_${at}` }))
    await postMany(relay.url, 200)
    const answers = await Promise.all(flood)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect(relay.feeds()).toEqual([])
    const reader = createReader()
    readFeed(relay, reader)
    await expect.poll(() => reader.deliveries.length, { timeout: 30_000 }).toBe(200)
  })

  it('bounds a page, and counts as read only what a console asks after', async () => {
    const relay = await runRelay()
    const large = 'x'.repeat(60_000)
    for (let at = 0; at < 30; at++) await post(`${relay.url}/webhooks`, JSON.stringify({ at, large }))
    const prometheus = await addToken(openFolder(relay.dataDir), 'prometheus', null, Date.now())
    const unread = async () => {
      const answer = await fetch(`${relay.url}/metrics`, {
        headers: { Authorization: `Bearer ${prometheus}` },
      })
      return Number(/unread_deliveries\{.*\} (\d+)/.exec(await answer.text())![1])
    }
    const { page: first } = await ask(relay)
    const count = first.deliveries.length
    expect(count).toBe(Math.floor(feedBatch.bytes / 60_020))
    expect(await unread()).toBe(30)
    const { relayId, session } = first
    const { page: second } = await ask(relay, { relayId, session, after: count })
    expect(second).toMatchObject({ after: count, lastSeq: 30, gap: null })
    expect(second.deliveries).toHaveLength(30 - count)
    expect(await unread()).toBe(30 - count)
    // A console that was restored from an older copy has less, and asks for it again.
    expect((await ask(relay, { relayId, session, after: 1 })).page.after).toBe(1)
    expect(await unread()).toBe(29)
  })

  it('lets the newest console of a token read, and only so many consoles at a time', async () => {
    const relay = await runRelay({
      limits: { connections: 512, bodyBytes: 65_536, feeds: 1, teamBytes: 1024 ** 3 },
    })
    const former = readFeed(relay, createReader())
    await former.now(isCaughtUp)
    await readFeed(relay, createReader()).now(isCaughtUp)
    expect(await refusal(former)).toBe('replaced')
    const token = await addToken(openFolder(relay.dataDir), 'bo', 'main', Date.now())
    const other = readFeed({ url: relay.url, token }, createReader())
    expect(await other.state(({ kind }) => kind === 'unreachable')).toMatchObject({ detail: 'HTTP 503' })
  })

  it('tells waiting consoles that it stops', async () => {
    const relay = await runRelay()
    const feed = readFeed(relay, createReader(), { random: () => 1 })
    await expect.poll(() => relay.feeds().length).toBe(1)
    await relay.stop()
    expect(await feed.state(({ kind }) => kind === 'unreachable')).toMatchObject({
      detail: { key: 'relay.stopping' },
    })
  })

  it('refuses a console that is ahead of a restored relay', async () => {
    const relay = await runRelay()
    await postMany(relay.url, 1)
    const reader = createReader()
    await readFeed(relay, reader).now(isCaughtUp)
    const missing = { fromSeq: 2, toSeq: 50, fromMs: null, toMs: null }
    reader.sink.gap(reader.position()!.relayId, missing)
    const feed = readFeed(relay, reader)
    expect(await refusal(feed)).toBe('ahead')
  })
})

describe('the inboxes of a relay', () => {
  it('have their own paths, secrets and numbers', async () => {
    const other = {
      ...testInbox,
      name: 'other',
      path: '/other',
      secrets: [{ id: 's', label: 's', value: 'second' }],
    }
    const relay = await runRelay({ inboxes: [testInbox, other] })
    const body = dlr('one')
    const signedBy = (secret: string) => ({ 'x-webhook-signature': sign(body, secret) })
    expect(await post(`${relay.url}/webhooks`, body, signedBy(testSecret))).toBe(200)
    expect(await post(`${relay.url}/other`, body, signedBy('second'))).toBe(200)
    expect(await post(`${relay.url}/other`, body, signedBy(testSecret))).toBe(401)
    expect(await post(`${relay.url}/webhooks`, body, {})).toBe(401)
    expect(await post(`${relay.url}/nowhere`, body, signedBy(testSecret))).toBe(404)
    expect(await post(`${relay.url}/webhooks`, 'x'.repeat(70_000))).toBe(413)
    for (const [name, inbox] of [
      ['ana', 'main'],
      ['bo', 'other'],
    ] as const) {
      const token =
        name === 'ana' ? relay.token : await addToken(openFolder(relay.dataDir), name, inbox, Date.now())
      const reader = createReader()
      await readFeed({ url: relay.url, token }, reader, { inbox }).now(isCaughtUp)
      expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1])
    }
  })

  it('take deliveries of clients that offer HTTP/2', async () => {
    const relay = await runRelay()
    const body = dlr('offered')
    const headers = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
      'X-Webhook-Signature': sign(body),
    }
    const sent = requestHttp(`${relay.url}/webhooks`, { method: 'POST', headers }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(answer.resume().statusCode).toBe(200)
  })

  it('without a secret store within a rate, marked as unsigned', async () => {
    const relay = await runRelay({ inboxes: [{ ...testInbox, secrets: [], perSecond: 1 }] })
    const reader = createReader()
    const feed = readFeed(relay, reader)
    const statuses = await Promise.all(
      [1, 2, 3].map((at) => post(`${relay.url}/webhooks`, dlr(`u${at}`), {})),
    )
    expect(statuses.sort()).toEqual([200, 503, 503])
    await feed.now(() => reader.deliveries.length === 1)
  })

  it('are separate from health checks and metrics', async () => {
    const relay = await runRelay()
    const get = async (path: string, token?: string) => {
      const headers = token ? { Authorization: `Bearer ${token}` } : {}
      const answer = await fetch(relay.url + path, { headers })
      return { status: answer.status, text: await answer.text() }
    }
    expect(await get('/healthz')).toEqual({ status: 200, text: '{"status":"ok"}' })
    expect(await get('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' })
    expect((await get('/metrics')).status).toBe(401)
    expect((await get('/metrics', relay.token)).status).toBe(401)
    await postMany(relay.url, 2)
    const { status, text } = await get(
      '/metrics',
      await addToken(openFolder(relay.dataDir), 'prometheus', null, Date.now()),
    )
    expect(status).toBe(200)
    expect(text).toContain('switchboard_relay_deliveries_total{inbox="main",verdict="signed"} 2')
    expect(text).toContain('switchboard_relay_unread_deliveries{inbox="main",name="ana"} 2')
    expect(text).toContain('switchboard_relay_feeds_refused_total 0')
    expect(text).not.toMatch(/NaN|undefined/)
  })
})

import Sqlite from 'better-sqlite3'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { ConnectInput } from '#contract/connection/connections.ts'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import { type RunningCore, startCore } from '../../../helpers/start-core.ts'

const open: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop()
})

async function start(options: Parameters<typeof startCore>[0] = {}): Promise<RunningCore> {
  const running = await startCore(options)
  if (!options.after) open.push(running)
  return running
}

function asOperator(running: RunningCore, changes: Partial<ConnectInput> = {}): ConnectInput {
  const [tenant] = running.sandbox.tenants
  return {
    name: 'Harbor',
    baseUrl: running.sandbox.baseUrl,
    colour: 'blue',
    production: false,
    allowPlainHttp: false,
    evenOffline: false,
    credential: { kind: 'password', username: tenant!.username, password: tenant!.password },
    ...changes,
  }
}

const status = async (running: RunningCore) => {
  for await (const value of await running.rpc.status.watch()) return value
  throw new Error('no status')
}

test('quotes the service for a wrong password and saves nothing', async () => {
  const running = await start()
  const input = asOperator(running, {
    credential: { kind: 'password', username: 'operator@harbor.example', password: 'no' },
  })
  await expect(running.rpc.connections.connect(input)).rejects.toMatchObject({
    code: 'WRONG_PASSWORD',
    message: expect.stringContaining('Nothing was saved'),
  })
  expect((await running.rpc.connections.list()).connections).toEqual([])
  expect(running.secrets.values.size).toBe(0)
})

test('names an unreachable address and saves nothing', async () => {
  const running = await start()
  await expect(
    running.rpc.connections.connect(asOperator(running, { baseUrl: 'http://127.0.0.1:1/v1' })),
  ).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE', message: expect.stringContaining('127.0.0.1:1') })
  expect((await running.rpc.connections.list()).connections).toEqual([])
})

test('saves a connection without a reachable service on request, and stored data works', async () => {
  const running = await start()
  const { rpc } = running
  const input = { name: 'Far', baseUrl: 'http://127.0.0.1:9/v1', colour: 'blue', production: false } as const
  const apiKey = { kind: 'api-key', apiKey: 'key-far' } as const
  const password = { kind: 'password', username: 'ana', password: 'secret' } as const
  const { connection } = await rpc.connections.connect({ ...input, evenOffline: true, credential: password })
  expect((await status(running)).network).toMatchObject({
    reachable: false,
    lastAnswerAt: null,
    problem: { code: 'SERVICE_UNREACHABLE' },
  })
  const draft = { name: 'Ada', phone: '+14155550100', email: '', tags: {} }
  await rpc.contacts.create(draft)
  expect((await rpc.contacts.summary()).total).toBe(1)
  await rpc.connections.connect({ ...input, name: 'Farther', evenOffline: true, credential: apiKey })
  expect((await rpc.contacts.summary()).total).toBe(0)
  await rpc.connections.open({ id: connection.id })
  expect((await rpc.contacts.summary()).total).toBe(1)
})

test('saves nothing when the service refuses, even if asked to work offline', async () => {
  const running = await start()
  const input = asOperator(running, {
    evenOffline: true,
    credential: { kind: 'password', username: 'ana', password: 'wrong' },
  })
  await expect(running.rpc.connections.connect(input)).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
  expect((await running.rpc.connections.list()).connections).toEqual([])
})

test.each(['not an address', 'ftp://host/v1', 'https://user:pass@host/v1', ''])(
  'refuses the Base URL %j before sending anything',
  async (baseUrl) => {
    const running = await start()
    await expect(running.rpc.connections.connect(asOperator(running, { baseUrl }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(BASE_URL_INVALID|BASE_URL_WITH_CREDENTIALS|INVALID_INPUT)$/),
    })
  },
)

test('refuses plain http beyond this computer unless allowed by name', async () => {
  const running = await start()
  const input = asOperator(running, { baseUrl: 'http://messaging.example.invalid/v1' })
  await expect(running.rpc.connections.connect(input)).rejects.toMatchObject({ code: 'BASE_URL_NOT_HTTPS' })
  await expect(running.rpc.connections.connect({ ...input, allowPlainHttp: true })).rejects.toMatchObject({
    code: 'SERVICE_UNREACHABLE',
  })
})

test('recognises a web page that is not the service', async () => {
  const running = await start({ sandbox: { fault: 'login-html' } })
  await expect(running.rpc.connections.connect(asOperator(running))).rejects.toMatchObject({
    code: 'NOT_THE_SERVICE',
  })
})

test('follows no redirect and leaks no credential', async () => {
  const seen: string[] = []
  const other = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.authorization ?? ''}`)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  open.push({ stop: () => new Promise((resolve) => other.close(() => resolve())) })
  const running = await start()
  running.sandbox.setFault('redirect', {
    path: '/auth/login',
    location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/`,
  })
  await expect(running.rpc.connections.connect(asOperator(running))).rejects.toMatchObject({
    code: 'SERVICE_REDIRECTED',
  })
  expect(seen).toEqual([])
})

test('signs in with an API key, names a revoked one, and keeps stored events visible', async () => {
  const running = await start()
  const { id, key } = running.sandbox.createApiKey('operator@harbor.example')
  await running.rpc.connections.connect(asOperator(running, { credential: { kind: 'api-key', apiKey: key } }))
  expect((await status(running)).session.state).toBe('signed-in')
  await running.rpc.overview.get()
  running.sandbox.revokeApiKey(id)
  const { freshness } = await running.rpc.overview.get()
  expect(freshness).toMatchObject({ source: 'cache', error: { code: 'API_KEY_REFUSED' } })
  expect((await status(running)).session).toMatchObject({
    state: 'expired',
    problem: { code: 'API_KEY_REFUSED' },
  })
  expect((await running.rpc.events.search({ filter: {} })).storedTotal).toBe(0)
})

test('refuses an unknown API key and does not save it', async () => {
  const running = await start()
  await expect(
    running.rpc.connections.connect(
      asOperator(running, { credential: { kind: 'api-key', apiKey: 'nothing' } }),
    ),
  ).rejects.toMatchObject({ code: 'API_KEY_REFUSED' })
  expect(running.secrets.values.size).toBe(0)
})

test('reports an ended session, keeps the last answers with their age, and resumes after a sign-in', async () => {
  const running = await start()
  await running.rpc.connections.connect(asOperator(running))
  const [connection] = (await running.rpc.connections.list()).connections
  const live = await running.rpc.overview.get()
  expect(live.freshness?.source).toBe('live')
  running.sandbox.setFault('unauthorized')
  const { dashboard, freshness } = await running.rpc.overview.get()
  expect(dashboard).toEqual(live.dashboard)
  expect(freshness).toMatchObject({
    source: 'cache',
    asOf: live.freshness!.asOf,
    error: { code: 'SESSION_EXPIRED' },
  })
  expect((await status(running)).session.state).toBe('expired')

  running.sandbox.setFault(null)
  await running.rpc.connections.connect(asOperator(running, { id: connection!.id }))
  expect((await running.rpc.overview.get()).freshness?.source).toBe('live')
  expect((await status(running)).session.state).toBe('signed-in')
})

async function drainWhere({ outbox }: RunningCore['rpc'], holds: (drain: OutboxDrain) => boolean) {
  for await (const drain of await outbox.watch()) if (holds(drain)) return
  throw new Error('the outbox stream ended')
}

/** Ends the saved session at the service, as an administrator can. */
async function endSession({ secrets, sandbox }: RunningCore): Promise<void> {
  const { refreshToken } = JSON.parse([...secrets.values.values()][0]!) as { refreshToken: string }
  const post = (path: string, token: string) =>
    fetch(sandbox.baseUrl + path, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  const { access_token } = (await (await post('/auth/refresh', refreshToken)).json()) as {
    access_token: string
  }
  expect((await post('/auth/logout', access_token)).status).toBe(200)
}

test.each(['password', 'api-key'] as const)(
  'a new %s sign-in goes on receiving without a gap and resumes the outbox',
  async (kind) => {
    const running = await start()
    const { rpc, sandbox } = running
    const key = sandbox.createApiKey('operator@harbor.example')
    const byKey = ({ key: apiKey }: { key: string }) => ({ credential: { kind: 'api-key', apiKey } as const })
    const first = asOperator(running, kind === 'api-key' ? byKey(key) : {})
    const { connection } = await rpc.connections.connect(first)
    const secret = 'the secret of this test'
    await rpc.listener.addSecret({ label: 'Test', value: secret })
    const url = (await rpc.listener.get()).status.url!
    const deliver = (messageId: string) =>
      deliverSigned(url, `{"event":"dlr","message_id":"${messageId}","status":"delivered"}`, secret)
    if (kind === 'api-key') sandbox.revokeApiKey(key.id)
    else await endSession(running)
    const code = kind === 'api-key' ? 'API_KEY_REFUSED' : 'SESSION_EXPIRED'
    await expect(rpc.overview.get()).rejects.toMatchObject({ code })
    expect((await status(running)).session.state).toBe('expired')
    await rpc.contacts.create({ name: 'Ada', phone: '+14155550100', email: '', tags: {} })
    await rpc.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true })
    await drainWhere(rpc, ({ state }) => state === 'signed-out')

    const again = asOperator(running, {
      id: connection.id,
      name: 'Harbor again',
      ...(kind === 'api-key' ? byKey(sandbox.createApiKey('operator@harbor.example')) : {}),
    })
    const answers: number[] = []
    let isSignedIn = false
    const deliverMeanwhile = async () => {
      while (!isSignedIn) answers.push(await deliver(`during-${answers.length}`))
    }
    const signingIn = rpc.connections.connect(again).finally(() => (isSignedIn = true))
    const [signedIn] = await Promise.all([signingIn, deliverMeanwhile()])
    expect(signedIn.connection).toMatchObject({ id: connection.id, name: 'Harbor again' })
    answers.push(await deliver('after'))
    expect(new Set(answers)).toEqual(new Set([200]))
    expect((await rpc.events.gaps({ days: 1 })).gaps).toEqual([])
    expect((await status(running)).session.state).toBe('signed-in')
    expect((await rpc.overview.get()).freshness?.source).toBe('live')
    await drainWhere(rpc, ({ counts }) => counts.done === 1)

    await running.stopCore()
    const next = await start({ after: running, config: { startWith: { kind: 'last' } } })
    expect((await next.rpc.overview.get()).freshness?.source).toBe('live')
    await next.stopCore()
  },
)

test('never opens one user’s data with another’s sign-in', async () => {
  const running = await start()
  const { connection } = await running.rpc.connections.connect(asOperator(running))
  const viewer = { kind: 'password', username: 'viewer@harbor.example', password: 'harbor-viewer' } as const
  await expect(
    running.rpc.connections.connect(asOperator(running, { id: connection.id, credential: viewer })),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test('keeps the connection in front when the chosen one cannot be opened', async () => {
  const running = await start()
  const { connection: newer } = await running.rpc.connections.connect(asOperator(running, { name: 'Newer' }))
  await running.rpc.connections.setBackground({ id: newer.id, background: false })
  const { connection: usual } = await running.rpc.connections.connect(asOperator(running))
  const contactsDb = new Sqlite(join(running.dataDir, 'connections', newer.id, 'book.db'))
  contactsDb.pragma('user_version = 99')
  contactsDb.close()
  await expect(running.rpc.connections.open({ id: newer.id })).rejects.toMatchObject({
    code: 'STORAGE_FROM_FUTURE',
  })
  expect((await running.rpc.connections.list()).activeId).toBe(usual.id)
  expect((await running.rpc.overview.get()).freshness?.source).toBe('live')
})

test('refuses two connections with one name', async () => {
  const running = await start()
  await running.rpc.connections.connect(asOperator(running))
  await expect(running.rpc.connections.connect(asOperator(running))).rejects.toMatchObject({
    code: 'NAME_TAKEN',
  })
})

test('uses the saved sign-in after a restart', async () => {
  const first = await start()
  await first.rpc.connections.connect(asOperator(first))
  await first.stopCore()
  const second = await start({ after: first, config: { startWith: { kind: 'last' } } })
  expect((await second.rpc.overview.get()).freshness?.source).toBe('live')
  expect(second.sandbox.stats().logins).toBe(1)
  await second.stopCore()
})

test('shows stored data with its age after a restart without the service', async () => {
  const clock = createFakeClock()
  const first = await start({ clock })
  await first.rpc.connections.connect(asOperator(first))
  const before = await first.rpc.overview.get()
  await first.stopCore()
  first.sandbox.setFault('reset-before')
  const second = await start({ after: first, config: { startWith: { kind: 'last' } } })
  const after = await second.rpc.overview.get()
  expect(after.dashboard).toEqual(before.dashboard)
  expect(after.freshness).toMatchObject({ source: 'cache', asOf: before.freshness!.asOf })
  expect((await status(second)).network.reachable).toBe(false)
  await second.stopCore()
})

test('signing out ends the session at the service and empties the keychain', async () => {
  const running = await start()
  const { connection } = await running.rpc.connections.connect(asOperator(running))
  expect(await running.rpc.connections.signOut({ id: connection.id })).toEqual({ problem: null })
  expect([...running.secrets.values.keys()].filter((account) => account.includes('refresh-token'))).toEqual(
    [],
  )
  expect(running.sandbox.stats().perEndpoint['POST /auth/logout']).toBe(1)
  expect((await status(running)).session.state).toBe('signed-out')
  await expect(running.rpc.campaigns.list({})).rejects.toMatchObject({ code: 'SIGNED_OUT' })
})

test('signing out drops the API key of the open connection at once', async () => {
  const running = await start()
  const { key } = running.sandbox.createApiKey('operator@harbor.example')
  const { connection } = await running.rpc.connections.connect(
    asOperator(running, { credential: { kind: 'api-key', apiKey: key } }),
  )
  expect(await running.rpc.connections.signOut({ id: connection.id })).toEqual({ problem: null })
  expect((await status(running)).session.state).toBe('signed-out')
  await expect(running.rpc.campaigns.list({})).rejects.toMatchObject({ code: 'SIGNED_OUT' })
  expect(running.secrets.values.size).toBe(0)
})

test.each<[string, 'last' | 'none']>([
  ['open', 'last'],
  ['not open', 'none'],
])('signing out right after a restart ends the session of a connection that is %s', async (_, kind) => {
  const first = await start()
  const { connection } = await first.rpc.connections.connect(asOperator(first))
  const [session] = [...first.secrets.values].flatMap(([account, value]) =>
    account.includes('refresh-token') ? [value] : [],
  )
  const { refreshToken } = JSON.parse(session!) as { refreshToken: string }
  await first.stopCore()
  const second = await start({ after: first, config: { startWith: { kind } } })
  expect(await second.rpc.connections.signOut({ id: connection.id })).toEqual({ problem: null })
  expect(second.sandbox.stats().perEndpoint['POST /auth/logout']).toBe(1)
  const refresh = await fetch(`${second.sandbox.baseUrl}/auth/refresh`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${refreshToken}` },
  })
  expect(refresh.status).toBe(401)
  await second.stopCore()
})

test('reports a sign-out that did not reach the service, after any keychain error', async () => {
  const running = await start()
  const { connection } = await running.rpc.connections.connect(asOperator(running))
  running.sandbox.setFault('reset-before', { path: '/auth/logout' })
  expect((await running.rpc.connections.signOut({ id: connection.id })).problem).toMatchObject({
    code: 'SIGN_OUT_NOT_TOLD',
    data: { host: expect.stringContaining('127.0.0.1') as string },
  })
  expect(running.secrets.values.size).toBe(0)
  expect((await status(running)).session.state).toBe('signed-out')

  running.sandbox.setFault(null)
  await running.rpc.connections.connect(asOperator(running, { id: connection.id }))
  running.sandbox.setFault('reset-before', { path: '/auth/logout' })
  running.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_LOCKED', detail: 'the keychain is locked' })
  const { problem } = await running.rpc.connections.signOut({ id: connection.id })
  expect(problem?.code).toBe('SIGN_OUT_INCOMPLETE')
})

test('reports a sign-out that the keychain did not confirm, never uses it again, and finishes it later', async () => {
  const first = await start()
  const { connection } = await first.rpc.connections.connect(asOperator(first))
  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_LOCKED', detail: 'the keychain is locked' })
  const { problem } = await first.rpc.connections.signOut({ id: connection.id })
  expect(problem?.code).toBe('SIGN_OUT_INCOMPLETE')
  await first.stopCore()

  first.secrets.fail(null)
  const before = first.secrets.values.size
  expect(before).toBeGreaterThan(0)
  const second = await start({ after: first, config: { startWith: { kind: 'last' } } })
  expect((await status(second)).session.state).toBe('signed-out')
  expect([...second.secrets.values.keys()].filter((account) => account.includes('refresh-token'))).toEqual([])
  await second.stopCore()
})

test('asks for the name before it removes a production connection', async () => {
  const running = await start()
  const { connection } = await running.rpc.connections.connect(asOperator(running, { production: true }))
  await expect(running.rpc.connections.remove({ id: connection.id })).rejects.toMatchObject({
    code: 'CONFIRMATION_MISMATCH',
  })
  await running.rpc.connections.remove({ id: connection.id, confirmName: 'Harbor' })
  expect((await running.rpc.connections.list()).connections).toEqual([])
  expect(readdirSync(join(running.dataDir, 'connections'))).toEqual([])
  expect(running.secrets.values.size).toBe(0)
})

test('refuses to open a real service on the sandbox’s data', async () => {
  const running = await start()
  await running.rpc.connections.openSandbox()
  await expect(
    running.rpc.connections.connect(asOperator(running, { id: 'sandbox', name: 'Sandbox' })),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test('writes no secret to a file or the log', async () => {
  const running = await start()
  await running.rpc.connections.connect(asOperator(running))
  await running.rpc.listener.addSecret({ label: 'Service', value: 'planted-webhook-secret-1234' })
  await running.rpc.webhooks.list()
  const planted = [...running.secrets.values.values(), 'harbor-operator', 'planted-webhook-secret-1234']
  const refreshToken = planted.flatMap((value) => /"refreshToken":"([^"]+)"/.exec(value)?.[1] ?? [])
  await running.stopCore()
  const written = [JSON.stringify(running.log)]
  for (const entry of readdirSync(running.dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) written.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  }
  for (const secret of [...planted, ...refreshToken]) {
    expect(
      written.some((text) => text.includes(secret)),
      'a secret was written down',
    ).toBe(false)
  }
})

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectInput } from '#contract/connection/connections.ts'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import { startAnsweringService, usualAnswer } from '../../../helpers/answering-service.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { changeFile } from '../../../helpers/held-write.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import { type RunningCore, startCore } from '../../../helpers/start-core.ts'
import { connectTo, restartCore, startTestCore } from '../../../helpers/test-core.ts'
import { frontConnection, statusWhere } from '../../../helpers/wait-for.ts'

function asOperator({ sandbox }: RunningCore, changes: Partial<ConnectInput> = {}): ConnectInput {
  const [tenant] = sandbox.tenants
  return {
    name: 'Harbor',
    baseUrl: sandbox.baseUrl,
    colour: 'blue',
    production: false,
    allowPlainHttp: false,
    evenOffline: false,
    credential: { kind: 'password', username: tenant!.username, password: tenant!.password },
    ...changes,
  }
}
const byPassword = (username: string, password: string) => ({
  credential: { kind: 'password', username, password } as const,
})
const byKey = (apiKey: string) => ({ credential: { kind: 'api-key', apiKey } as const })

const connect = async (running: RunningCore, changes: Partial<ConnectInput> = {}) =>
  (await running.rpc.connections.connect(asOperator(running, changes))).connection

async function startConnected(options: Parameters<typeof startTestCore>[0] = {}) {
  const running = await startTestCore(options)
  return { running, connection: await connect(running), ...running }
}

const status = ({ rpc }: RunningCore) => statusWhere(rpc, () => true)
const sessionOf = async (running: RunningCore) => (await status(running)).session.state
const source = async ({ rpc }: RunningCore) => (await rpc.overview.get()).freshness?.source
const refreshTokens = ({ secrets }: RunningCore) =>
  [...secrets.values].flatMap(([account, value]) =>
    account.includes('refresh-token') ? [(JSON.parse(value) as { refreshToken: string }).refreshToken] : [],
  )
const postAs = (token: string, { sandbox }: RunningCore, path: string) =>
  fetch(sandbox.baseUrl + path, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
const locked = { kind: 'memory', code: 'KEYCHAIN_LOCKED', detail: 'the keychain is locked' } as const
const contact = { name: 'Ada', phone: '+14155550100', email: '', tags: {} }

describe('a refused connection saves nothing:', () => {
  let running: RunningCore
  beforeAll(async () => void (running = await startCore({})))
  afterAll(() => running.stop())

  const wrong = byPassword('operator@harbor.example', 'no')
  const far = { baseUrl: 'http://messaging.example.invalid/v1' }

  test.each<[string, Partial<ConnectInput>, string | RegExp, string?]>([
    ['a wrong password', wrong, 'WRONG_PASSWORD', 'Nothing was saved'],
    ['a wrong password, though offline is enough', { ...wrong, evenOffline: true }, 'WRONG_PASSWORD'],
    ['an unknown API key', byKey('nothing'), 'API_KEY_REFUSED'],
    ['no listener', { baseUrl: 'http://127.0.0.1:1/v1' }, 'SERVICE_UNREACHABLE', '127.0.0.1:1'],
    ['no address', { baseUrl: 'not an address' }, 'BASE_URL_INVALID'],
    ['another kind of address', { baseUrl: 'ftp://host/v1' }, 'BASE_URL_INVALID'],
    ['an address with a password', { baseUrl: 'https://u:p@host/v1' }, 'BASE_URL_WITH_CREDENTIALS'],
    ['an empty address', { baseUrl: '' }, 'INVALID_INPUT'],
    ['plain http beyond this computer', far, 'BASE_URL_NOT_HTTPS'],
    ['plain http allowed by name', { ...far, allowPlainHttp: true }, 'SERVICE_UNREACHABLE'],
  ])('%s', async (_what, changes, code, message = '') => {
    const error = { code, message: expect.stringContaining(message) }
    await expect(connect(running, changes)).rejects.toMatchObject(error)
    expect((await running.rpc.connections.list()).connections).toEqual([])
    expect(running.secrets.values.size).toBe(0)
  })
})

test.each([
  ['password', byPassword('ada', 'right'), '/auth/login', 1],
  // A client of its own tries each key.
  ['API key', byKey('k-1'), '/dashboard', 2],
] as const)(
  'says how long the service asks to wait for a sign-in by %s, also at the next click',
  async (_what, credential, path, asked) => {
    let isLimited = false
    let refused = 0
    const service = await startAnsweringService((request) => {
      if (isLimited && request.path === path && ++refused)
        return [429, { error: 'slow down' }, { 'Retry-After': '30' }]
      if (request.path !== '/auth/login') return usualAnswer(request)
      return [200, { access_token: 'a-1', refresh_token: 'r-1', expires_in: 900 }]
    })
    onTestFinished(service.stop)
    const running = await startTestCore({ sandbox: null })
    const order = { name: 'Live', baseUrl: service.baseUrl, colour: 'blue', production: false } as const
    const { connection } = await running.rpc.connections.connect({ ...order, ...credential })
    isLimited = true
    const again = () => running.rpc.connections.connect({ ...order, id: connection.id, ...credential })
    const waits = expect.toSatisfy((seconds: number) => seconds > 25 && seconds <= 35)
    for (let click = 0; click < 2; click++)
      await expect(again()).rejects.toMatchObject({ code: 'RATE_LIMITED', data: { retryInSeconds: waits } })
    // The second click with a password doesn't ask before that time is over.
    expect(refused).toBe(asked)
  },
)

test('says how long to wait for a sign-in while no requests are left', async () => {
  const service = await startAnsweringService((asked) => {
    if (asked.path !== '/auth/login') return usualAnswer(asked)
    const resetAt = String(Math.ceil(Date.now() / 1_000) + 30)
    const headers = { 'X-RateLimit-Limit': '200', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': resetAt }
    return [200, { access_token: 'a-1', refresh_token: 'r-1', expires_in: 900 }, headers]
  })
  onTestFinished(service.stop)
  const { rpc } = await startTestCore({ sandbox: null })
  const credential = byPassword('ada', 'right')
  const order = { name: 'Live', baseUrl: service.baseUrl, colour: 'blue', production: false } as const
  const { connection } = await rpc.connections.connect({ ...order, ...credential })
  const again = rpc.connections.connect({ ...order, id: connection.id, ...credential })
  const retryInSeconds = expect.toSatisfy((seconds: number) => seconds > 20 && seconds <= 35)
  await expect(again).rejects.toMatchObject({ code: 'RATE_LIMITED', data: { retryInSeconds } })
})

test.each([
  ['password', byPassword('ada', 'right')],
  ['API key', byKey('k-1')],
] as const)('tries a failing service twice at a sign-in by %s', async (_what, credential) => {
  const service = await startAnsweringService(() => [503, { error: 'down' }])
  onTestFinished(service.stop)
  const running = await startTestCore({ sandbox: null })
  const order = { name: 'Live', baseUrl: service.baseUrl, colour: 'blue', production: false } as const
  const answer = running.rpc.connections.connect({ ...order, ...credential })
  await expect(answer).rejects.toMatchObject({ code: 'SERVICE_FAILED' })
  expect(service.asked).toHaveLength(2)
})

test('counts the requests of failed sign-ins as its own', async () => {
  let left = 200
  const service = await startAnsweringService((asked) => {
    const [status, body] = left > 198 ? [401, { error: 'no' }] : usualAnswer(asked)
    return [status, body, { 'X-RateLimit-Limit': '200', 'X-RateLimit-Remaining': String(--left) }]
  })
  onTestFinished(service.stop)
  const running = await startTestCore({ sandbox: null })
  const attempt = () => connectTo(running.rpc, service.baseUrl, 'Other')
  await expect(attempt()).rejects.toMatchObject({ code: 'API_KEY_REFUSED' })
  await expect(attempt()).rejects.toMatchObject({ code: 'API_KEY_REFUSED' })
  await attempt()
  await expect.poll(async () => (await status(running)).budget?.usedByOthers).toBe(0)
})

test('keeps no sign-in of a connection that could not be saved', async () => {
  const running = await startTestCore()
  changeFile(
    join(running.dataDir, 'console.db'),
    "CREATE TRIGGER refuse BEFORE INSERT ON connections BEGIN SELECT RAISE(ABORT, 'refused for the test'); END",
  )
  await expect(connect(running)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  expect(running.secrets.values.size).toBe(0)
})

test('saves a connection without a reachable service on request, and stored data works', async () => {
  const running = await startTestCore()
  const { rpc } = running
  const far = { baseUrl: 'http://127.0.0.1:9/v1', evenOffline: true }
  const { id } = await connect(running, { ...far, name: 'Far', ...byPassword('ana', 'secret') })
  expect((await status(running)).network).toMatchObject({
    reachable: false,
    lastAnswerAt: null,
    problem: { code: 'SERVICE_UNREACHABLE' },
  })
  await rpc.contacts.create(contact)
  expect((await rpc.contacts.summary()).total).toBe(1)
  await connect(running, { ...far, name: 'Farther', ...byKey('key-far') })
  expect((await rpc.contacts.summary()).total).toBe(0)
  await rpc.connections.open({ id })
  expect((await rpc.contacts.summary()).total).toBe(1)
})

test('signs in with an API key, names a revoked one, and keeps stored events visible', async () => {
  const running = await startTestCore()
  const { id, key } = running.sandbox.createApiKey('operator@harbor.example')
  await connect(running, byKey(key))
  expect(await sessionOf(running)).toBe('signed-in')
  await running.rpc.overview.get()
  running.sandbox.revokeApiKey(id)
  const { freshness } = await running.rpc.overview.get()
  const refused = { code: 'API_KEY_REFUSED' }
  expect(freshness).toMatchObject({ source: 'cache', error: refused })
  expect((await status(running)).session).toMatchObject({ state: 'expired', problem: refused })
  expect((await running.rpc.events.search({ filter: {} })).storedTotal).toBe(0)
})

async function drainWhere({ outbox }: RunningCore['rpc'], holds: (drain: OutboxDrain) => boolean) {
  for await (const drain of await outbox.watch()) if (holds(drain)) return
  throw new Error('the outbox stream ended')
}

/** Ends the saved session at the service, as an administrator can. */
async function endSession(running: RunningCore): Promise<void> {
  const renewed = await postAs(refreshTokens(running)[0]!, running, '/auth/refresh')
  const { access_token } = (await renewed.json()) as { access_token: string }
  expect((await postAs(access_token, running, '/auth/logout')).status).toBe(200)
}

test.each(['password', 'api-key'] as const)(
  'a new %s sign-in goes on receiving without a gap and resumes the outbox',
  async (kind) => {
    const running = await startTestCore()
    const { rpc, sandbox } = running
    const newKey = () => sandbox.createApiKey('operator@harbor.example')
    const first = newKey()
    const { id } = await connect(running, kind === 'api-key' ? byKey(first.key) : {})
    const secret = 'the secret of this test'
    await rpc.listener.addSecret({ label: 'Test', value: secret })
    const url = (await rpc.listener.get()).status.url!
    const deliver = (messageId: string) =>
      deliverSigned(url, `{"event":"dlr","message_id":"${messageId}","status":"delivered"}`, secret)
    if (kind === 'api-key') sandbox.revokeApiKey(first.id)
    else await endSession(running)
    const code = kind === 'api-key' ? 'API_KEY_REFUSED' : 'SESSION_EXPIRED'
    await expect(rpc.overview.get()).rejects.toMatchObject({ code })
    expect(await sessionOf(running)).toBe('expired')
    const ruleProblem = async () => (await rpc.campaigns.alertRules()).watch.problem?.code
    await expect(rpc.campaigns.list({})).rejects.toMatchObject({ code })
    await expect.poll(ruleProblem).toBe(code)
    await rpc.contacts.create(contact)
    await rpc.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true })
    await drainWhere(rpc, ({ state }) => state === 'signed-out')

    const again = { id, name: 'Harbor again', ...(kind === 'api-key' ? byKey(newKey().key) : {}) }
    const answers: number[] = []
    let isSignedIn = false
    const deliverMeanwhile = async () => {
      while (!isSignedIn) answers.push(await deliver(`during-${answers.length}`))
    }
    const signingIn = connect(running, again).finally(() => (isSignedIn = true))
    const [signedIn] = await Promise.all([signingIn, deliverMeanwhile()])
    expect(signedIn).toMatchObject({ id, name: 'Harbor again' })
    expect(await ruleProblem()).toBeUndefined()
    answers.push(await deliver('after'))
    expect(new Set(answers)).toEqual(new Set([200]))
    expect((await rpc.events.gaps({ days: 1 })).gaps).toEqual([])
    expect(await sessionOf(running)).toBe('signed-in')
    expect(await source(running)).toBe('live')
    await drainWhere(rpc, ({ counts }) => counts.done === 1)

    expect(await source(await restartCore(running))).toBe('live')
  },
)

test('a new sign-in after a start without the keychain keeps the listener and its counts', async () => {
  const { running, connection, secrets } = await startConnected()
  secrets.fail(locked)
  const second = await restartCore(running)
  expect((await status(second)).session).toMatchObject({
    state: 'signed-out',
    problem: { code: locked.code },
  })
  const listener = async () => (await second.rpc.listener.get()).status
  expect(await deliverSigned((await listener()).url!, '{}', 'the secret of another')).toBe(401)
  await expect.poll(async () => (await listener()).refused).toBe(1)
  await connect(second, { id: connection.id })
  expect((await status(second)).session).toMatchObject({ state: 'signed-in', problem: null })
  expect(await source(second)).toBe('live')
  expect((await listener()).refused).toBe(1)
  expect((await second.rpc.events.gaps({ days: 1 })).gaps.map(({ reason }) => reason)).not.toContain(
    'restarted',
  )
})

test('refuses a sign-in of another user, a taken name, and a real service on the sandbox’s data', async () => {
  const { running, connection, rpc } = await startConnected()
  const refused = (changes: Partial<ConnectInput>, code: string) =>
    expect(connect(running, changes)).rejects.toMatchObject({ code })
  const viewer = byPassword('viewer@harbor.example', 'harbor-viewer')
  await refused({ id: connection.id, ...viewer }, 'INVALID_INPUT')
  await refused({ id: connection.id, baseUrl: 'http://127.0.0.1:1/v1' }, 'INVALID_INPUT')
  await refused({}, 'NAME_TAKEN')
  await rpc.connections.openSandbox()
  await refused({ id: 'sandbox', name: 'Sandbox' }, 'INVALID_INPUT')
})

test('keeps the address of the dashboard through a new sign-in, and opens only web pages', async () => {
  const { running, connection, rpc } = await startConnected()
  const { id, name, colour, production } = connection
  const set = (dashboardUrl?: string) =>
    rpc.connections.update({ id, name, colour, production, ...(dashboardUrl ? { dashboardUrl } : {}) })
  await expect(rpc.connections.openDashboard({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  for (const wrong of ['javascript:alert(1)', 'https://ana:secret@dashboard.example/'])
    await expect(set(wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await set('https://dashboard.example/')
  await set()
  expect((await connect(running, { id })).dashboardUrl).toBe('https://dashboard.example/')
  await rpc.connections.openDashboard({ id })
  expect(running.openedUrls).toEqual(['https://dashboard.example/'])
})

test('keeps the connection in front when the chosen one cannot be opened', async () => {
  const running = await startTestCore()
  const { id } = await connect(running, { name: 'Newer' })
  await running.rpc.connections.setBackground({ id, background: false })
  const usual = await connect(running)
  const state = join(running.dataDir, 'connections', id, 'state.db')
  changeFile(state, 'ALTER TABLE outbox RENAME COLUMN unchecked TO of_another_build')
  const problem = { code: 'STORAGE_OTHER_BUILD' }
  await expect(running.rpc.connections.open({ id })).rejects.toMatchObject(problem)
  expect(await running.rpc.connections.list()).toMatchObject({ failed: [{ id, problem }] })
  expect((await frontConnection(running.rpc))?.id).toBe(usual.id)
  expect(await source(running)).toBe('live')
})

test('uses the saved sign-in after a restart, or shows stored data with its age without the service', async () => {
  const clock = createFakeClock()
  const { running, rpc, sandbox } = await startConnected({ clock })
  const before = await rpc.overview.get()
  expect(await source(await restartCore(running, { clock }))).toBe('live')
  expect(sandbox.stats().logins).toBe(1)
  sandbox.setFault('reset-before')
  const third = await restartCore(running)
  const after = await third.rpc.overview.get()
  expect(after.dashboard).toEqual(before.dashboard)
  expect(after.freshness).toMatchObject({ source: 'cache', asOf: before.freshness!.asOf })
  expect((await status(third)).network.reachable).toBe(false)
})

describe('signing out', () => {
  test.each(['password', 'api-key'] as const)(
    'ends a session by %s and empties the keychain',
    async (kind) => {
      const running = await startTestCore()
      const { rpc, sandbox } = running
      const { key } = sandbox.createApiKey('operator@harbor.example')
      const { id } = await connect(running, kind === 'api-key' ? byKey(key) : {})
      expect(await rpc.connections.signOut({ id })).toEqual({ problem: null })
      const told = sandbox.stats().perEndpoint['POST /auth/logout']
      expect([told, running.secrets.values.size]).toEqual([kind === 'password' ? 1 : undefined, 0])
      expect(await sessionOf(running)).toBe('signed-out')
      await expect(rpc.campaigns.list({})).rejects.toMatchObject({ code: 'SIGNED_OUT' })
    },
  )

  test.each<[string, 'last' | 'none']>([
    ['open', 'last'],
    ['not open', 'none'],
  ])('right after a restart ends the session of a connection that is %s', async (_, kind) => {
    const { running, connection } = await startConnected()
    const [refreshToken] = refreshTokens(running)
    const second = await restartCore(running, { config: { startWith: { kind } } })
    expect(await second.rpc.connections.signOut({ id: connection.id })).toEqual({ problem: null })
    expect(second.sandbox.stats().perEndpoint['POST /auth/logout']).toBe(1)
    expect((await postAs(refreshToken!, second, '/auth/refresh')).status).toBe(401)
  })

  test('reports that it did not reach the service, after any keychain error', async () => {
    const { running, connection, rpc, sandbox, secrets } = await startConnected()
    sandbox.setFault('reset-before', { path: '/auth/logout' })
    expect((await rpc.connections.signOut({ id: connection.id })).problem).toMatchObject({
      code: 'SIGN_OUT_NOT_TOLD',
      data: { host: expect.stringContaining('127.0.0.1') as string },
    })
    expect(secrets.values.size).toBe(0)
    expect(await sessionOf(running)).toBe('signed-out')

    sandbox.setFault(null)
    await connect(running, { id: connection.id })
    sandbox.setFault('reset-before', { path: '/auth/logout' })
    secrets.fail(locked)
    const { problem } = await rpc.connections.signOut({ id: connection.id })
    expect(problem?.code).toBe('SIGN_OUT_INCOMPLETE')
  })

  test('reports that the keychain did not confirm it, never uses it again, and finishes it later', async () => {
    const { running, connection, rpc, secrets } = await startConnected()
    secrets.fail(locked)
    const { problem } = await rpc.connections.signOut({ id: connection.id })
    expect(problem?.code).toBe('SIGN_OUT_INCOMPLETE')
    await running.stopCore()

    secrets.fail(null)
    expect(refreshTokens(running)).toHaveLength(1)
    const second = await restartCore(running)
    expect(await sessionOf(second)).toBe('signed-out')
    expect(refreshTokens(second)).toEqual([])
  })
})

test('asks for the name before it removes a production connection', async () => {
  const running = await startTestCore()
  const { rpc, dataDir, secrets } = running
  const { id } = await connect(running, { production: true })
  await expect(rpc.connections.remove({ id })).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
  await rpc.connections.remove({ id, confirmName: 'Harbor' })
  expect((await rpc.connections.list()).connections).toEqual([])
  expect(readdirSync(join(dataDir, 'connections'))).toEqual([])
  expect(secrets.values.size).toBe(0)
})

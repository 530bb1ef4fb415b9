import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { type Answer, rawWith, refusal, sharedSandbox, signIn, startSandbox, withToken } from './raw.ts'

const second = 1_000
const shared = sharedSandbox()

/** The status of a call with this Authorization header. */
const statusWith = async (authorization: string, path = '/campaigns') =>
  (await rawWith(shared.sandbox, { Authorization: authorization }).get(path)).status

function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
}

describe('login', () => {
  test('returns both tokens and a lifetime of fifteen minutes', async () => {
    const { username, password } = shared.sandbox.tenants[0]!
    const { status, body } = await rawWith(shared.sandbox, {}).post('/auth/login', { username, password })
    expect([status, Object.keys(body).sort()]).toEqual([200, ['access_token', 'expires_in', 'refresh_token']])
    expect(body.expires_in).toBe(900)
    const lives = [body.access_token, body.refresh_token].map(claimsOf).map(({ exp, iat }) => exp - iat)
    expect(lives).toEqual([900, 7 * 86_400])
  })
})

describe('tokens', () => {
  test('expire after fifteen minutes; for seven days a refresh returns another access token', async () => {
    const clock = createFakeClock()
    const raw = await signIn(await startSandbox({ clock }))
    clock.jumpWall(899 * second)
    expect((await raw.get('/campaigns')).status).toBe(200)
    clock.jumpWall(second)
    expect((await raw.get('/campaigns')).status).toBe(401)
    const refresh = () => withToken(raw.sandbox, raw.refreshToken).post('/auth/refresh')
    const refreshed = await refresh()
    expect(refreshed).toMatchObject({ status: 200, body: { expires_in: 900 } })
    expect(refreshed.body.refresh_token).toBeUndefined()
    const again = withToken(raw.sandbox, refreshed.body.access_token)
    expect((await again.get('/campaigns')).status).toBe(200)
    expect((await raw.get('/campaigns')).status).toBe(401)
    clock.jumpWall((7 * 86_400 - 901) * second)
    expect((await refresh()).status).toBe(200)
    clock.jumpWall(second)
    expect((await refresh()).status).toBe(401)
  })

  test('do not work unsigned or in each other’s place, and are checked before the body of a refresh', async () => {
    const [head, claims] = shared.accessToken.split('.') as [string, string]
    for (const signature of ['', 'A'.repeat(43)])
      expect(await statusWith(`Bearer ${head}.${claims}.${signature}`)).toBe(401)
    const asAccess = withToken(shared.sandbox, shared.refreshToken)
    expect((await asAccess.get('/campaigns')).status).toBe(401)
    expect((await asAccess.post('/auth/logout')).status).toBe(401)
    expect((await shared.post('/auth/refresh')).status).toBe(401)
    const body = { token: 'x' }
    expect((await rawWith(shared.sandbox, {}).post('/auth/refresh', body)).status).toBe(401)
    expect((await asAccess.post('/auth/refresh', body)).status).toBe(400)
  })

  test('of a session end with its logout, and no others', async () => {
    const raw = await signIn(shared.sandbox)
    const refresh = withToken(raw.sandbox, raw.refreshToken)
    const renewed = (await refresh.post('/auth/refresh')).body.access_token
    expect(await raw.post('/auth/logout')).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    })
    for (const token of [raw.accessToken, renewed]) expect(await statusWith(`Bearer ${token}`)).toBe(401)
    expect((await refresh.post('/auth/refresh')).status).toBe(401)
    expect((await shared.get('/campaigns')).status).toBe(200)
  })
})

test('API keys have their user’s permissions until revoked', async () => {
  const { sandbox } = shared
  const operator = sandbox.createApiKey('operator@harbor.example')
  const viewer = sandbox.createApiKey('viewer@harbor.example')
  const withKey = (key: string) => rawWith(sandbox, { 'X-API-Key': key })
  const { id } = (await withKey(operator.key).get('/campaigns?status=running')).body.data[0]
  expect((await withKey(viewer.key).get(`/campaigns/${id}`)).status).toBe(200)
  expect((await withKey(viewer.key).post(`/campaigns/${id}/pause`)).status).toBe(403)
  expect((await withKey(operator.key).post(`/campaigns/${id}/pause`)).status).toBe(200)
  expect(sandbox.revokeApiKey(operator.id)).toBe(true)
  expect((await withKey(operator.key).get('/campaigns')).status).toBe(401)
  expect((await withKey('sk_sandbox_none').get('/campaigns')).status).toBe(401)
  expect((await withKey(viewer.key).post('/auth/refresh')).status).toBe(401)
  const both = rawWith(sandbox, { 'X-API-Key': viewer.key, Authorization: 'Bearer x' })
  expect((await both.get('/campaigns')).status, 'with a wrong Authorization header').toBe(401)
})

const denied = {
  'viewer@harbor.example':
    'POST /contacts, DELETE /contacts/x, POST /templates, DELETE /ott/templates/x, POST /ott/messages, ' +
    'POST /messages/x/release, POST /campaigns/x/pause, POST /webhooks, POST /webhooks/x/test, ' +
    'GET /webhooks/subscriptions',
  'integration@harbor.example':
    'GET /campaigns, GET /dashboard, GET /analytics/overview, GET /analytics/billing-summary, ' +
    'GET /scheduled-messages, GET /webhooks/subscriptions, POST /webhooks, POST /templates, ' +
    'POST /campaigns/x/pause, POST /messages/x/release',
}

test.each(Object.entries(denied))(
  'permissions refuse %s with 403 as the README says',
  async (username, calls) => {
    const raw = await signIn(shared.sandbox, username)
    for (const call of calls.split(', ')) {
      const [method, path] = call.split(' ') as [string, string]
      const { status, body } = await raw.send(method, path)
      expect([status, body], call).toEqual([403, { error: 'insufficient permissions' }])
    }
    expect((await raw.get('/messages')).status).toBe(200)
  },
)

describe('tenants', () => {
  test('never see or touch each other’s records', async () => {
    const stranger = await signIn(shared.sandbox, 'operator@larkspur.example')
    const view = shared.sandbox.tenant()
    const running = view.campaigns().find((campaign) => campaign.status === 'running')!
    const subscription = (await shared.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['dlr'] }))
      .body
    const calls: [string, string, unknown?][] = [
      ['GET', `/campaigns/${running.id}`],
      ['POST', `/campaigns/${running.id}/pause`],
      ['GET', `/messages/${view.messages()[0]!.id}`],
      ['POST', `/messages/${view.heldMessageIds()[0]}/release`],
      ['DELETE', `/contacts/${view.contacts()[0]!.id}`],
      ['DELETE', `/ott/templates/${view.templates()[0]!.id}`],
      ['POST', `/webhooks/${subscription.id}/test`, { event_type: 'dlr' }],
    ]
    const records = () => [view.campaigns(), view.contacts(), view.templates(), view.heldMessageIds()]
    const before = records()
    for (const [method, path, body] of calls) {
      const { status } = await stranger.send(method, path, body ? JSON.stringify(body) : undefined)
      expect(status, path).toBe(404)
    }
    expect(records()).toEqual(before)
    const own = shared.sandbox.tenant('Larkspur Clinic').id
    for (const list of ['campaigns', 'messages', 'scheduled-messages', 'dnc', 'webhooks/subscriptions']) {
      const { data } = (await stranger.get(`/${list}?per_page=100`)).body
      const foreign = data.filter((record: { tenant_id: string }) => record.tenant_id !== own)
      expect(foreign, list).toEqual([])
    }
    const [entry] = view.dnc()
    const checked = await stranger.get(`/dnc/check?phone_number=${encodeURIComponent(entry!.phone_number)}`)
    expect(checked.body.is_blocked).toBe(false)
  })
})

describe('rate limit', () => {
  const rateOf = ({ headers }: Answer) =>
    ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))

  test('allows 200 requests per minute and tenant, then answers 429 until its reset', async () => {
    const clock = createFakeClock()
    const raw = await signIn(await startSandbox({ clock, rateLimitPerMinute: 200 }))
    const other = await signIn(raw.sandbox, 'operator@larkspur.example')
    const reset = String(Math.floor(clock.now() / 1_000) + 60)
    expect(rateOf(await raw.get('/dnc'))).toEqual(['200', '198', reset])
    for (let i = 0; i < 198; i++) await raw.get('/nope')
    const refused = await raw.get('/dnc')
    expect(refused).toMatchObject(refusal(429))
    expect(rateOf(refused)).toEqual(['200', '0', reset])
    // Before the size limit of a body.
    expect((await raw.post('/contacts', { name: 'x'.repeat(1_100_000) })).status).toBe(429)
    expect((await other.get('/dnc')).status).toBe(200)
    clock.jumpWall(59_999)
    expect((await raw.get('/dnc')).status).toBe(429)
    clock.jumpWall(1)
    expect(rateOf(await raw.get('/dnc'))[1]).toBe('199')
  })
})

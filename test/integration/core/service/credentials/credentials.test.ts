import { afterEach, describe, expect, test } from 'vitest'
import { type CredentialState, isApiKey } from '#electron/core/service/credentials/credentials.ts'
import {
  type FixtureAnswer,
  hangUp,
  json,
  raw,
  silence,
  startFixtureService,
} from '../../../../helpers/fixture-service.ts'
import {
  bulk,
  errorOf,
  loginAnswer,
  operator,
  startClient,
  type UnderTest,
} from '../client/client-under-test.ts'
import { endpoints } from '../client/endpoints.ts'
import * as records from '../../../../helpers/spec-records.ts'

let under: UnderTest
afterEach(() => under.stop())

const plenty = {
  'X-RateLimit-Limit': '100000',
  'X-RateLimit-Remaining': '90000',
  'X-RateLimit-Reset': '60',
}
const refused = json(401, { error: 'token expired' }, plenty)

/** A service that accepts only the access tokens in `valid`. */
function accepting(valid: Set<string>): FixtureAnswer {
  return (socket, request) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    socket.end(valid.has(token) ? json(200, records.dashboard, plenty) : refused)
  }
}

/** Signed in with access-SECRET-1 and refresh-SECRET-1. */
async function signedIn(expiresIn = 900): Promise<UnderTest> {
  under = await startClient({ credential: 'password' })
  under.fixture.on('POST /auth/login', loginAnswer('access-SECRET-1', 'refresh-SECRET-1', expiresIn))
  await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
  return under
}
const refreshes = () => under.fixture.asked('POST /auth/refresh')
const dashboard = () => under.client.dashboard.get(operator)
const tokensSent = () => under.fixture.asked('GET /dashboard').map(({ headers }) => headers.authorization)

describe('one shared refresh', () => {
  test.each([
    ['that is expired by the clock', 901_000],
    ['that the service refuses early', 0],
  ])('serves 200 concurrent calls on a token %s', async (_name, waitMs) => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2', expires_in: 900 }, plenty))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    await under.clock.advance(waitMs)

    // The clock doesn't move: nothing here may depend on a deadline.
    const answers = await Promise.all(Array.from({ length: 200 }, dashboard))

    expect(answers).toHaveLength(200)
    expect(refreshes()).toHaveLength(1)
    const ok = tokensSent().filter((token) => token === 'Bearer access-2')
    expect(ok).toHaveLength(200)
  })

  test('ends the session when its token is refused too', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', refused)
    expect((await errorOf(dashboard())).code).toBe('SESSION_EXPIRED')
    expect(tokensSent()).toEqual(['Bearer access-SECRET-1', 'Bearer access-2'])
    expect(under.credentials.state()).toEqual({ status: 'expired', refreshTokenEndsAt: null })
    expect(under.saved.at(-1)).toBeNull()
    const before = under.fixture.requests.length
    expect((await errorOf(dashboard())).code).toBe('SESSION_EXPIRED')
    expect(under.fixture.requests).toHaveLength(before)
  })

  /** A service whose tokens live `lifeMs`, unlike it says, and that answers 429 to the calls numbered in `limited`. */
  function shortLived(lifeMs: number, limited: number[]) {
    let issued = 1
    let asked = 0
    const endsAtMs = new Map([['access-SECRET-1', under.clock.monotonic()]])
    under.fixture.on('POST /auth/refresh', (socket) => {
      const token = `access-${++issued}`
      endsAtMs.set(token, under.clock.monotonic() + lifeMs)
      socket.end(json(200, { access_token: token }))
    })
    under.fixture.on('GET /dashboard', (socket, { headers }) => {
      if (limited.includes(++asked)) return socket.end(json(429, { error: 'slow' }, { 'Retry-After': '20' }))
      const endMs = endsAtMs.get(headers.authorization?.replace('Bearer ', '') ?? '') ?? 0
      socket.end(under.clock.monotonic() < endMs ? json(200, records.dashboard) : refused)
    })
  }

  test('refreshes again for a replay that waited beyond its token’s life', async () => {
    await signedIn()
    shortLived(15_000, [2])
    expect((await under.settled(dashboard())).messagesToday).toBe(12)
    expect(under.credentials.state().status).toBe('signed-in')
    expect(refreshes()).toHaveLength(2)
  })

  test('gives up a replay that always waits too long, and keeps the session', async () => {
    await signedIn()
    shortLived(15_000, [2, 4, 6])
    expect((await errorOf(under.settled(dashboard()))).code).toBe('SERVICE_REJECTED')
    expect(refreshes()).toHaveLength(3)
    expect(under.credentials.state().status).toBe('signed-in')
    expect(under.saved).not.toContain(null)
  })

  test('replays a POST answered 401 once, since nothing was done', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('POST /contacts', refused, json(201, records.contact))
    const input = { name: '', phone: '+49', email: '', tags: {} }
    const created = await under.settled(under.client.contacts.create(input, bulk))
    expect(created.id).toBe(records.contact.id)
    expect(under.fixture.asked('POST /contacts')).toHaveLength(2)
  })

  test('continues for others when one caller aborts', async () => {
    await signedIn()
    let release = () => {}
    under.fixture.on('POST /auth/refresh', (socket) => {
      release = () => socket.end(json(200, { access_token: 'access-2' }))
    })
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    await under.clock.advance(901_000)
    const controller = new AbortController()
    const leaving = under.client.dashboard.get({ ...operator, signal: controller.signal })
    const staying = dashboard()
    await expect.poll(() => refreshes().length).toBe(1)
    controller.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    release()
    expect((await staying).messagesToday).toBe(12)
  })
})

describe('a failed refresh', () => {
  test.each<[string, FixtureAnswer, number?]>([
    ['500', json(500, { error: 'oops' })],
    ['503 with a page', raw(503, { 'Content-Type': 'text/html' }, '<html></html>')],
    ['a closed connection', hangUp],
    ['silence', silence, 250],
    ['a network’s page with 200', raw(200, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')],
    ['a network’s page with 403', raw(403, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')],
    ['a network’s page with 401', raw(401, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')],
    ['a redirect', raw(302, { Location: 'https://portal.example/' })],
    ['an answer without a token', json(200, {})],
    ['429', json(429, { error: 'slow' }, { 'Retry-After': '1' })],
  ])('with %s keeps the session, which works again afterwards', async (_name, answer, stepMs) => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', answer)
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    await under.clock.advance(901_000)
    const error = await errorOf(under.settled(dashboard(), stepMs))
    expect(error.code).not.toBe('SESSION_EXPIRED')
    expect(under.credentials.state().status).toBe('signed-in')
    expect(under.saved).toHaveLength(1)

    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    await under.clock.advance(40_000)
    expect((await under.settled(dashboard())).messagesToday).toBe(12)
  })

  test('is not repeated by each of many calls', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(500, { error: 'oops' }))
    await under.clock.advance(901_000)
    await errorOf(under.settled(dashboard()))
    const before = refreshes().length
    for (let count = 0; count < 50; count++) await errorOf(dashboard())
    expect(refreshes().length - before).toBeLessThanOrEqual(3)
  })

  test.each([401, 403, 400])('with %i in the service’s own words ends the session', async (status) => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(status, { error: 'refresh token is not valid' }))
    await under.clock.advance(901_000)
    const error = await errorOf(dashboard())
    expect(error.code).toBe('SESSION_EXPIRED')
    expect(under.credentials.state().status).toBe('expired')
    expect(refreshes()).toHaveLength(1)
    expect(under.saved.at(-1)).toBeNull()
  })

  test('ahead of time, with a working token, disturbs no call', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(500, { error: 'oops' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-SECRET-1'])))
    await under.clock.advance(850_000)
    expect((await dashboard()).messagesToday).toBe(12)
    // A second try shows that the answer to the first was handled.
    await under.settled(expect.poll(() => refreshes().length).toBeGreaterThan(1))
    await under.settled(expect.poll(() => under.credentials.state().status).toBe('signed-in'))
  })
})

describe('a 401 with a web page, which is not from the service,', () => {
  const page = raw(401, { 'Content-Type': 'text/html' }, '<html>Sign in to the network</html>')

  test('is retried with a new token and ends no session', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', page)
    expect((await errorOf(dashboard())).code).toBe('NOT_THE_SERVICE')
    expect(tokensSent()).toEqual(['Bearer access-SECRET-1', 'Bearer access-2'])
    expect(under.credentials.state().status).toBe('signed-in')
    expect(under.saved).not.toContain(null)
  })

  test('does not count as a refused API key', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', page)
    expect((await errorOf(dashboard())).code).toBe('NOT_THE_SERVICE')
    expect(under.credentials.state().status).toBe('signed-in')
  })

  test('does not count as a wrong password', async () => {
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', page)
    const login = under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
    expect((await errorOf(login)).code).toBe('NOT_THE_SERVICE')
  })
})

describe('a token', () => {
  test('is renewed a minute before its end while calls use the old one', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-SECRET-1', 'access-2'])))
    await under.clock.advance(839_000)
    await dashboard()
    expect(refreshes()).toHaveLength(0)
    await under.clock.advance(2_000)
    await dashboard()
    await expect.poll(() => under.credentials.state().status).toBe('signed-in')
    await dashboard()
    expect(refreshes()).toHaveLength(1)
    expect(tokensSent()).toEqual(['Bearer access-SECRET-1', 'Bearer access-SECRET-1', 'Bearer access-2'])
  })

  test('that lives fifteen seconds is renewed any number of times', async () => {
    await signedIn(15)
    let issued = 1
    const endsAtMs = new Map([['access-SECRET-1', under.clock.monotonic() + 15_000]])
    under.fixture.on('POST /auth/refresh', (socket) => {
      const token = `access-${++issued}`
      endsAtMs.set(token, under.clock.monotonic() + 15_000)
      socket.end(json(200, { access_token: token, expires_in: 15 }))
    })
    under.fixture.on('GET /dashboard', (socket, request) => {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
      const isValid = (endsAtMs.get(token) ?? 0) > under.clock.monotonic()
      socket.end(isValid ? json(200, records.dashboard) : refused)
    })
    for (let second = 0; second < 120; second += 4) {
      await dashboard()
      await under.clock.advance(4_000)
    }
    expect(refreshes().length).toBeLessThan(12)
    expect(under.credentials.state().status).toBe('signed-in')
  })

  test('takes over the refresh token and lifetime of a refresh and saves them', async () => {
    await signedIn()
    under.fixture.on(
      'POST /auth/refresh',
      json(200, { access_token: 'access-2', refresh_token: 'refresh-SECRET-2', expires_in: 100 }),
      json(200, { access_token: 'access-3' }),
    )
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2', 'access-3'])))
    await under.clock.advance(901_000)
    await dashboard()
    expect(under.saved.at(-1)).toEqual({
      refreshToken: 'refresh-SECRET-2',
      refreshTokenEndsAt: '2026-01-12T09:15:01.000Z',
    })
    await under.clock.advance(101_000)
    await dashboard()
    expect(refreshes().map(({ headers }) => headers.authorization)).toEqual([
      'Bearer refresh-SECRET-1',
      'Bearer refresh-SECRET-2',
    ])
  })

  test('of a saved session comes from its refresh token alone', async () => {
    under = await startClient({
      credential: {
        saved: { refreshToken: 'refresh-SECRET-9', refreshTokenEndsAt: '2026-01-10T00:00:00.000Z' },
      },
    })
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    expect(under.credentials.state()).toEqual({
      status: 'signed-in',
      refreshTokenEndsAt: '2026-01-10T00:00:00.000Z',
    })
    expect((await dashboard()).messagesToday).toBe(12)
    expect(under.fixture.asked('POST /auth/login')).toEqual([])
  })

  test('is renewed before use after sleep, in which only the wall clock moved', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    under.clock.jumpWall(3_600_000)
    await dashboard()
    expect(tokensSent()).toEqual(['Bearer access-2'])
  })

  test('after sleep is not held up by a pause of the service that has passed', async () => {
    await signedIn()
    const minute = { 'X-RateLimit-Limit': '200', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '60' }
    under.fixture.on('GET /dashboard', json(429, { error: 'slow' }, minute), json(200, records.dashboard))
    const waiting = dashboard()
    await expect.poll(() => under.client.budget.snapshot().pausedForMs).toBeGreaterThan(50_000)
    under.clock.jumpWall(600_000)
    await under.clock.advance(5_000)
    expect((await waiting).messagesToday).toBe(12)
  })

  test('after sleep is refreshed at once despite an earlier failure', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(500, { error: 'oops' }))
    await under.clock.advance(901_000)
    await errorOf(under.settled(dashboard()))
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    under.clock.jumpWall(600_000)
    expect((await dashboard()).messagesToday).toBe(12)
  })

  test('costs at most one refresh when the wall clock jumps either way', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-2' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-SECRET-1', 'access-2'])))
    under.clock.jumpWall(-86_400_000)
    await dashboard()
    expect(refreshes()).toHaveLength(0)
    under.clock.jumpWall(2 * 86_400_000)
    for (let count = 0; count < 5; count++) await dashboard()
    expect(refreshes()).toHaveLength(1)
  })

  test('reports each change of its state', async () => {
    await signedIn()
    const states: CredentialState['status'][] = []
    const stop = under.credentials.onChange(({ status }) => states.push(status))
    under.fixture.on(
      'POST /auth/refresh',
      json(200, { access_token: 'access-2' }),
      json(401, { error: 'no' }),
    )
    under.fixture.on('GET /dashboard', accepting(new Set(['access-2'])))
    await under.clock.advance(901_000)
    await dashboard()
    await under.clock.advance(901_000)
    await errorOf(dashboard())
    stop()
    expect(states).toEqual(['refreshing', 'signed-in', 'refreshing', 'expired'])
  })

  test('stays forgotten when a refresh answers after the sign-out', async () => {
    await signedIn()
    let release = () => {}
    under.fixture.on('POST /auth/refresh', (socket) => {
      release = () => socket.end(json(200, { access_token: 'access-2', refresh_token: 'refresh-2' }))
    })
    under.fixture.on('POST /auth/logout', json(200, {}))
    await under.clock.advance(901_000)
    const waiting = errorOf(dashboard())
    await expect.poll(() => refreshes().length).toBe(1)
    await under.settled(under.client.auth.logout(operator), 250)
    release()
    expect((await waiting).code).toBe('SIGNED_OUT')
    expect(under.credentials.state().status).toBe('signed-out')
    expect(under.saved.at(-1)).toBeNull()
  })

  test('that expired is replaced by a new sign-in', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(401, { error: 'no' }))
    under.fixture.on('GET /dashboard', accepting(new Set(['access-7'])))
    await errorOf(dashboard())
    under.fixture.on('POST /auth/login', loginAnswer('access-7', 'refresh-7'))
    await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
    expect((await dashboard()).messagesToday).toBe(12)
    expect(tokensSent().at(-1)).toBe('Bearer access-7')
  })
})

describe('an API key', () => {
  test('that is refused gives API_KEY_REFUSED without refresh or replay, until it works again', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', json(401, { error: 'revoked' }), json(200, records.dashboard))
    const error = await errorOf(dashboard())
    expect([error.code, error.data['serviceText']]).toEqual(['API_KEY_REFUSED', 'revoked'])
    expect(under.fixture.requests).toHaveLength(1)
    expect(under.credentials.state().status).toBe('expired')
    await dashboard()
    expect(under.credentials.state().status).toBe('signed-in')
  })

  test('that is replaced meanwhile lets the refused request go on with the next one', async () => {
    under = await startClient()
    under.fixture.on(
      'GET /dashboard',
      (socket) => {
        if (isApiKey(under.credentials)) under.credentials.replace('key-SECRET-2')
        socket.end(json(401, { error: 'revoked' }))
      },
      json(200, records.dashboard),
    )
    await dashboard()
    expect(under.fixture.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'key-SECRET-1',
      'key-SECRET-2',
    ])
    expect(under.credentials.state().status).toBe('signed-in')
  })

  test('cannot sign in with a password', async () => {
    under = await startClient()
    expect((await errorOf(under.client.auth.login({ username: 'a', password: 'b' }, operator))).code).toBe(
      'UNSUPPORTED',
    )
    expect(under.fixture.requests).toEqual([])
  })
})

describe('a credential', () => {
  test.each([301, 302, 303, 307, 308])('does not follow a %i to another server', async (status) => {
    const elsewhere = await startFixtureService()
    await signedIn()
    for (const { wire } of endpoints)
      under.fixture.on(wire, raw(status, { Location: `${elsewhere.baseUrl}/steal?token=1` }))
    const codes = new Set<string>()
    for (const endpoint of endpoints) codes.add((await errorOf(endpoint.invoke(under.client))).code)
    await elsewhere.stop()
    expect(elsewhere.requests).toEqual([])
    expect([...codes].sort()).toEqual(
      status === 303 ? ['OUTCOME_UNKNOWN', 'SERVICE_REDIRECTED'] : ['SERVICE_REDIRECTED'],
    )
  })

  test.each(['key-SECRET-1\nkey-SECRET-2', 'key-SECRET-1\u0000', 'key-SECRET-“1”'])(
    'that no header can hold (%j) is refused before sending, unquoted',
    async (apiKey) => {
      under = await startClient({ credential: { apiKey } })
      const error = await errorOf(dashboard())
      expect(error.code).toBe('INVALID_INPUT')
      expect(error.message).toContain('API key')
      expect(JSON.stringify([error.message, error.data, under.logged])).not.toContain('SECRET')
      expect(under.observed).toEqual([])
      expect(under.client.budget.snapshot().usedByUs).toBe(0)
    },
  )

  test('from the service that no header can hold is a bad answer', async () => {
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', loginAnswer('access-SECRET-1\nx'))
    const error = await errorOf(under.client.auth.login({ username: 'ada', password: 'pw' }, operator))
    expect(error.code).toBe('BAD_ANSWER')
    expect(JSON.stringify([error.message, error.data, under.logged])).not.toContain('SECRET')
  })

  test('is removed from a quoted network failure', async () => {
    under = await startClient({
      fetch: () => Promise.reject(new TypeError('cannot send "key-SECRET-1" to this address')),
    })
    const error = await errorOf(under.settled(dashboard(), 500))
    expect(error.data['detail']).toBe('cannot send "[secret]" to this address')
    expect(JSON.stringify([error.message, error.data, under.logged])).not.toContain('SECRET')
  })

  test('never appears in log, error or state', async () => {
    await signedIn()
    const secrets = [
      'access-SECRET-1',
      'refresh-SECRET-1',
      'access-SECRET-2',
      'whsec-SECRET-1',
      'pw-SECRET-1',
    ]
    const echo: FixtureAnswer = (socket, request) =>
      socket.end(json(400, { error: `refused ${request.headers.authorization} ${request.body}` }))
    under.fixture.on('POST /auth/refresh', json(500, { error: 'refresh-SECRET-1 broke' }))
    under.fixture.on('POST /webhooks', echo)
    under.fixture.on('GET /dashboard', echo)
    under.fixture.on('POST /auth/login', echo)
    const errors = [
      await errorOf(
        under.client.webhooks.create(
          { url: 'https://x.example', events: [], secret: 'whsec-SECRET-1' },
          operator,
        ),
      ),
      await errorOf(dashboard()),
      await errorOf(under.client.auth.login({ username: 'ada', password: 'pw-SECRET-1' }, operator)),
    ]
    await under.clock.advance(901_000)
    errors.push(await errorOf(under.settled(dashboard())))
    const said = JSON.stringify([
      errors.map(({ message, data }) => ({ message, data })),
      under.logged,
      under.credentials.state(),
      under.client.budget.snapshot(),
    ])
    for (const secret of secrets) expect(said).not.toContain(secret)
  })
})

test('signs in although the keychain fails, and reports it on sign-out', async () => {
  under = await startClient({ credential: 'password' })
  under.fixture.on('POST /auth/login', loginAnswer())
  under.fixture.on('POST /auth/logout', json(200, {}))
  under.fixture.on('GET /dashboard', json(200, records.dashboard))
  under.failSaving(true)
  await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
  expect((await dashboard()).messagesToday).toBe(12)
  expect((await errorOf(under.client.auth.logout(operator))).code).toBe('SIGN_OUT_INCOMPLETE')
  expect((await errorOf(dashboard())).code).toBe('SIGNED_OUT')
})

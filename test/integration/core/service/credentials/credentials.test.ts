import { afterEach, describe, expect, test } from 'vitest'
import { isApiKey } from '#electron/core/service/credentials/credentials.ts'
import {
  type FixtureAnswer,
  hangUp,
  json,
  raw,
  silence,
  startFixtureService,
} from '../../../../helpers/fixture-service.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { errorOf, loginAnswer, operator, startClient, type UnderTest } from '../client/client-under-test.ts'
import { endpoints } from '../client/endpoints.ts'

let under: UnderTest
afterEach(() => under.stop())

const plenty = {
  'X-RateLimit-Limit': '100000',
  'X-RateLimit-Remaining': '90000',
  'X-RateLimit-Reset': '60',
}
const refused = json(401, { error: 'token expired' }, plenty)
const broken = json(500, { error: 'oops' })
const renewed = json(200, { access_token: 'access-2', expires_in: 900 }, plenty)
const wifi = (status: number) => raw(status, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')

/** The dashboard for these access tokens only. */
const accepting =
  (...valid: string[]): FixtureAnswer =>
  (socket, { headers }) =>
    socket.end(valid.includes(tokenOf(headers)) ? json(200, records.dashboard, plenty) : refused)
const tokenOf = ({ authorization = '' }: { authorization?: string | undefined }) =>
  authorization.replace('Bearer ', '')

/** Signed in with access-SECRET-1 and refresh-SECRET-1 at a service that renews to access-2 and then accepts only that. */
async function signedIn(expiresIn = 900): Promise<void> {
  under = await startClient({ credential: 'password' })
  under.fixture.on('POST /auth/login', loginAnswer('access-SECRET-1', 'refresh-SECRET-1', expiresIn))
  under.fixture.on('POST /auth/refresh', renewed)
  under.fixture.on('GET /dashboard', accepting('access-2'))
  await under.login()
}
const refreshes = () => under.fixture.asked('POST /auth/refresh')
const tokensSent = () => under.fixture.asked('GET /dashboard').map(({ headers }) => tokenOf(headers))
const status = () => under.credentials.state().status
const pastLifetime = () => under.clock.advance(901_000)
const expectRead = async () => expect((await under.settled(under.read())).messagesToday).toBe(12)

/** Holds the answers to a call until they are released. */
function holding(call: string, answer: Buffer): () => void {
  let release = () => {}
  under.fixture.on(call, (socket) => {
    release = () => socket.end(answer)
  })
  return () => release()
}

test('takes no rate limit from a 401, whose counts may be those of others', async () => {
  await signedIn()
  under.fixture.on(
    'GET /dashboard',
    json(401, { error: 'token expired' }, { ...plenty, 'X-RateLimit-Remaining': '5' }),
  )
  await expect(under.settled(under.read())).rejects.toMatchObject({ code: 'REQUESTS_REFUSED' })
  expect(under.client.budget.snapshot().remaining).toBeGreaterThan(89_000)
})

describe('one shared refresh', () => {
  test.each([
    ['that is expired by the clock', 901_000],
    ['that the service refuses early', 0],
  ])('serves 200 concurrent calls on a token %s', async (_name, waitMs) => {
    await signedIn()
    await under.clock.advance(waitMs)

    // The clock doesn't move: nothing here may depend on a deadline.
    await Promise.all(Array.from({ length: 200 }, () => under.read()))

    expect(refreshes()).toHaveLength(1)
    expect(tokensSent().filter((token) => token === 'access-2')).toHaveLength(200)
  })

  test('that fails before the token ends is logged once, without a stack if it got no answer', async () => {
    await signedIn()
    under.fixture.on('GET /dashboard', accepting('access-SECRET-1'))
    under.fixture.on('POST /auth/refresh', hangUp)
    await under.clock.advance(850_000)
    await Promise.all(Array.from({ length: 4 }, () => under.read()))
    const logged = () => under.logged.filter(({ message }) => message.includes('renew the access token'))
    await under.settled((async () => expect.poll(logged).toHaveLength(1))())
    await under.read()
    expect(logged()).toHaveLength(1)
    expect(JSON.stringify(logged())).not.toContain('stack')
  })

  test('ends the session when its token is refused too, and says that it was renewed', async () => {
    await signedIn()
    under.fixture.on('GET /dashboard', refused)
    const problem = 'REQUESTS_REFUSED'
    expect((await errorOf(under.read())).code).toBe(problem)
    expect(tokensSent()).toEqual(['access-SECRET-1', 'access-2'])
    expect(under.credentials.state()).toEqual({ status: 'expired', problem, refreshTokenEndsAt: null })
    expect(under.saved.at(-1)).toBeNull()
    const before = under.fixture.requests.length
    expect((await errorOf(under.read())).code).toBe(problem)
    expect(under.fixture.requests).toHaveLength(before)
  })

  test.each(['password', 'api-key'] as const)(
    'stays signed in with %s where one call is refused and others are not',
    async (credential) => {
      under = await startClient({ credential })
      under.fixture.on('POST /auth/login', loginAnswer('access-SECRET-1', 'refresh-SECRET-1', 900))
      under.fixture.on('POST /auth/refresh', renewed)
      under.fixture.on('GET /dashboard', json(200, records.dashboard, plenty))
      under.fixture.on('POST /contacts', refused)
      if (credential === 'password') await under.login()
      const body = { name: 'Ada', phone: '+14155550100', email: '', tags: {} }
      const create = () => errorOf(under.client.contacts.create(body, operator))
      for (let turn = 0; turn < 3; turn++)
        expect(await create()).toMatchObject({ code: 'FORBIDDEN', acted: 'no' })
      expect(status()).toBe('signed-in')
      await expectRead()
    },
  )

  /** Tokens that live `lifeMs`, for all that the service says. */
  function issuing(lifeMs: number, more: object = {}) {
    let issued = 1
    const endsAtMs = new Map([['access-SECRET-1', under.clock.monotonic() + lifeMs]])
    under.fixture.on('POST /auth/refresh', (socket) => {
      const token = `access-${++issued}`
      endsAtMs.set(token, under.clock.monotonic() + lifeMs)
      socket.end(json(200, { access_token: token, ...more }))
    })
    return (token: string) => under.clock.monotonic() < (endsAtMs.get(token) ?? 0)
  }

  test.each([
    ['refreshes again for a replay that waited beyond its token’s life', [2], 2],
    ['gives up a replay that always waits too long, and keeps the session', [2, 4, 6], 3],
  ])('%s', async (_what, limited, refreshed) => {
    await signedIn()
    const isValid = issuing(15_000)
    let asked = 0
    under.fixture.on('GET /dashboard', (socket, { headers }) => {
      if (limited.includes(++asked)) return socket.end(json(429, { error: 'slow' }, { 'Retry-After': '20' }))
      // The first token is refused early.
      socket.end(asked > 1 && isValid(tokenOf(headers)) ? json(200, records.dashboard) : refused)
    })
    if (refreshed === 2) await expectRead()
    else expect((await errorOf(under.settled(under.read()))).code).toBe('SERVICE_REJECTED')
    expect([status(), refreshes().length]).toEqual(['signed-in', refreshed])
    expect(under.saved).not.toContain(null)
  })

  test('renews a token that lives fifteen seconds any number of times', async () => {
    await signedIn(15)
    const isValid = issuing(15_000, { expires_in: 15 })
    under.fixture.on('GET /dashboard', (socket, { headers }) => {
      socket.end(isValid(tokenOf(headers)) ? json(200, records.dashboard) : refused)
    })
    for (let second = 0; second < 120; second += 4) {
      await under.read()
      await under.clock.advance(4_000)
    }
    expect(refreshes().length).toBeLessThan(12)
    expect(status()).toBe('signed-in')
  })

  test('replays a POST answered 401 once, since nothing was done', async () => {
    await signedIn()
    under.fixture.on('POST /contacts', refused, json(201, records.contact))
    expect((await under.settled(under.write())).id).toBe(records.contact.id)
    expect(under.fixture.asked('POST /contacts')).toHaveLength(2)
  })

  test('continues for others when one caller aborts', async () => {
    await signedIn()
    const release = holding('POST /auth/refresh', renewed)
    await pastLifetime()
    const controller = new AbortController()
    const leaving = under.read({ signal: controller.signal })
    const staying = under.read()
    await expect.poll(() => refreshes().length).toBe(1)
    controller.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    release()
    expect((await staying).messagesToday).toBe(12)
  })
})

describe('a failed refresh', () => {
  test.each<[string, FixtureAnswer, number?]>([
    ['500', broken],
    ['503 with a page', raw(503, { 'Content-Type': 'text/html' }, '<html></html>')],
    ['a closed connection', hangUp],
    ['silence', silence, 250],
    ['a network’s page with 200', wifi(200)],
    ['a network’s page with 403', wifi(403)],
    ['a network’s page with 401', wifi(401)],
    ['a redirect', raw(302, { Location: 'https://portal.example/' })],
    ['an answer without a token', json(200, {})],
    ['429', json(429, { error: 'slow' }, { 'Retry-After': '1' })],
  ])('with %s keeps the session, which works again afterwards', async (_name, answer, stepMs) => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', answer)
    await pastLifetime()
    expect((await errorOf(under.settled(under.read(), stepMs))).code).not.toBe('SESSION_EXPIRED')
    expect(status()).toBe('signed-in')
    expect(under.saved).toHaveLength(1)

    under.fixture.on('POST /auth/refresh', renewed)
    await under.clock.advance(40_000)
    await expectRead()
  })

  test('is not repeated by each of many calls, but at once after sleep', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', broken)
    await pastLifetime()
    await errorOf(under.settled(under.read()))
    const before = refreshes().length
    for (let count = 0; count < 50; count++) await errorOf(under.read())
    expect(refreshes().length - before).toBeLessThanOrEqual(3)
    under.fixture.on('POST /auth/refresh', renewed)
    under.clock.jumpWall(600_000)
    expect((await under.read()).messagesToday).toBe(12)
  })

  test.each([401, 403, 400])('with %i in the service’s own words ends the session', async (code) => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', json(code, { error: 'refresh token is not valid' }))
    await pastLifetime()
    expect((await errorOf(under.read())).code).toBe('SESSION_EXPIRED')
    expect([status(), refreshes().length, under.saved.at(-1)]).toEqual(['expired', 1, null])
    under.fixture.on('POST /auth/login', loginAnswer('access-2', 'refresh-7'))
    await under.login()
    await expectRead()
  })

  test('ahead of time, with a working token, disturbs no call', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', broken)
    under.fixture.on('GET /dashboard', accepting('access-SECRET-1'))
    await under.clock.advance(850_000)
    expect((await under.read()).messagesToday).toBe(12)
    // A second try shows that the answer to the first was handled.
    await under.settled(expect.poll(() => refreshes().length).toBeGreaterThan(1))
    await under.settled(expect.poll(status).toBe('signed-in'))
  })
})

describe('a 401 with a web page, which is not from the service,', () => {
  test('is retried with a new token and ends no session', async () => {
    await signedIn()
    under.fixture.on('GET /dashboard', wifi(401))
    expect((await errorOf(under.read())).code).toBe('NOT_THE_SERVICE')
    expect(tokensSent()).toEqual(['access-SECRET-1', 'access-2'])
    expect(status()).toBe('signed-in')
    expect(under.saved).not.toContain(null)
  })

  test('does not count as a refused API key', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', wifi(401))
    expect((await errorOf(under.read())).code).toBe('NOT_THE_SERVICE')
    expect(status()).toBe('signed-in')
  })
})

describe('a token', () => {
  test('is renewed a minute before its end while calls use the old one', async () => {
    await signedIn()
    under.fixture.on('GET /dashboard', accepting('access-SECRET-1', 'access-2'))
    await under.clock.advance(839_000)
    await under.read()
    expect(refreshes()).toHaveLength(0)
    await under.clock.advance(2_000)
    await under.read()
    await expect.poll(status).toBe('signed-in')
    await under.read()
    expect(refreshes()).toHaveLength(1)
    expect(tokensSent()).toEqual(['access-SECRET-1', 'access-SECRET-1', 'access-2'])
  })

  test('takes over the refresh token and lifetime of a refresh and saves them', async () => {
    await signedIn()
    const rotated = { access_token: 'access-2', refresh_token: 'refresh-SECRET-2', expires_in: 100 }
    under.fixture.on('POST /auth/refresh', json(200, rotated), json(200, { access_token: 'access-3' }))
    under.fixture.on('GET /dashboard', accepting('access-2', 'access-3'))
    await pastLifetime()
    await under.read()
    expect(under.saved.at(-1)).toEqual({
      refreshToken: 'refresh-SECRET-2',
      refreshTokenEndsAt: '2026-01-12T09:15:01.000Z',
    })
    await under.clock.advance(101_000)
    await under.read()
    expect(refreshes().map(({ headers }) => tokenOf(headers))).toEqual([
      'refresh-SECRET-1',
      'refresh-SECRET-2',
    ])
  })

  test('after sleep is not held up by a pause of the service that has passed', async () => {
    await signedIn()
    const minute = { 'X-RateLimit-Limit': '200', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '60' }
    under.fixture.on('GET /dashboard', json(429, { error: 'slow' }, minute), json(200, records.dashboard))
    const waiting = under.read()
    await expect.poll(() => under.client.budget.snapshot().pausedForMs).toBeGreaterThan(50_000)
    under.clock.jumpWall(600_000)
    await under.clock.advance(5_000)
    expect((await waiting).messagesToday).toBe(12)
  })

  test('is renewed once before use when the wall clock jumped ahead, as after sleep, and not when it jumped back', async () => {
    await signedIn()
    under.fixture.on('GET /dashboard', accepting('access-SECRET-1', 'access-2'))
    under.clock.jumpWall(-86_400_000)
    await under.read()
    expect(refreshes()).toHaveLength(0)
    under.clock.jumpWall(2 * 86_400_000)
    for (let count = 0; count < 3; count++) await under.read()
    expect(refreshes()).toHaveLength(1)
    expect(tokensSent()).toEqual(['access-SECRET-1', 'access-2', 'access-2', 'access-2'])
  })

  test('stays forgotten when a refresh answers after the sign-out', async () => {
    await signedIn()
    const rotated = json(200, { access_token: 'access-2', refresh_token: 'refresh-2' })
    const release = holding('POST /auth/refresh', rotated)
    under.fixture.on('POST /auth/logout', json(200, {}))
    await pastLifetime()
    const waiting = errorOf(under.read())
    await expect.poll(() => refreshes().length).toBe(1)
    await under.settled(under.client.auth.logout(operator), 250)
    release()
    expect((await waiting).code).toBe('SIGNED_OUT')
    expect([status(), under.saved.at(-1)]).toEqual(['signed-out', null])
  })
})

describe('an API key', () => {
  test('that is refused gives API_KEY_REFUSED without refresh or replay, until it works again', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', json(401, { error: 'revoked' }), json(200, records.dashboard))
    const error = await errorOf(under.read())
    expect([error.code, error.data['serviceText']]).toEqual(['API_KEY_REFUSED', 'revoked'])
    expect(under.fixture.requests).toHaveLength(1)
    expect(status()).toBe('expired')
    await under.read()
    expect(status()).toBe('signed-in')
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
    await under.read()
    const keys = under.fixture.requests.map(({ headers }) => headers['x-api-key'])
    expect(keys).toEqual(['key-SECRET-1', 'key-SECRET-2'])
    expect(status()).toBe('signed-in')
  })
})

describe('a credential', () => {
  test.each([301, 302, 303, 307, 308])('does not follow a %i to another server', async (code) => {
    const elsewhere = await startFixtureService()
    await signedIn()
    for (const wire of ['POST /auth/login', ...endpoints.map((endpoint) => endpoint.wire)])
      under.fixture.on(wire, raw(code, { Location: `${elsewhere.baseUrl}/steal?token=1` }))
    const codes = new Set<string>()
    for (const endpoint of endpoints) codes.add((await errorOf(endpoint.invoke(under.client))).code)
    expect((await errorOf(under.login())).code).toBe('SERVICE_REDIRECTED')
    await elsewhere.stop()
    expect(elsewhere.requests).toEqual([])
    expect([...codes].sort()).toEqual(
      code === 303 ? ['OUTCOME_UNKNOWN', 'SERVICE_REDIRECTED'] : ['SERVICE_REDIRECTED'],
    )
  })

  const expectNoSecret = (...said: unknown[]) =>
    expect(JSON.stringify([said, under.logged, under.credentials.state()])).not.toContain('SECRET')

  test.each(['key-SECRET-1\nkey-SECRET-2', 'key-SECRET-1\u0000', 'key-SECRET-“1”'])(
    'that no header can hold (%j) is refused before sending, unquoted',
    async (apiKey) => {
      under = await startClient({ credential: { apiKey } })
      const { code, message, data } = await errorOf(under.read())
      expect(code).toBe('INVALID_INPUT')
      expect(message).toContain('API key')
      expectNoSecret(message, data)
      expect(under.observed).toEqual([])
      expect(under.client.budget.snapshot().usedByUs).toBe(0)
    },
  )

  test('from the service that no header can hold is a bad answer', async () => {
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', loginAnswer('access-SECRET-1\nx'))
    const { code, message, data } = await errorOf(under.login())
    expect(code).toBe('BAD_ANSWER')
    expectNoSecret(message, data)
  })

  test('is removed from a quoted network failure', async () => {
    under = await startClient({
      fetch: () => Promise.reject(new TypeError('cannot send "key-SECRET-1" to this address')),
    })
    const { message, data } = await errorOf(under.settled(under.read(), 500))
    expect(data['detail']).toBe('cannot send "[secret]" to this address')
    expectNoSecret(message, data)
  })

  test('never appears in log, error or state', async () => {
    await signedIn()
    const echo: FixtureAnswer = (socket, request) =>
      socket.end(json(400, { error: `refused ${request.headers.authorization} ${request.body}` }))
    under.fixture.on('POST /auth/refresh', json(500, { error: 'refresh-SECRET-1 broke' }))
    for (const call of ['POST /webhooks', 'GET /dashboard', 'POST /auth/login']) under.fixture.on(call, echo)
    const webhook = { url: 'https://x.example', events: [], secret: 'whsec-SECRET-1' }
    const errors = [
      await errorOf(under.client.webhooks.create(webhook, operator)),
      await errorOf(under.read()),
      await errorOf(under.login('pw-SECRET-1')),
    ]
    await pastLifetime()
    errors.push(await errorOf(under.settled(under.read())))
    for (const { message, data } of errors) expectNoSecret(message, data, under.client.budget.snapshot())
  })
})

test('signs in although the keychain fails, and reports it on sign-out', async () => {
  under = await startClient({ credential: 'password' })
  under.fixture.on('POST /auth/login', loginAnswer())
  under.fixture.on('POST /auth/logout', json(200, {}))
  under.fixture.on('GET /dashboard', json(200, records.dashboard))
  under.failSaving(true)
  await under.login()
  expect((await under.read()).messagesToday).toBe(12)
  expect((await errorOf(under.client.auth.logout(operator))).code).toBe('SIGN_OUT_INCOMPLETE')
  expect((await errorOf(under.read())).code).toBe('SIGNED_OUT')
})

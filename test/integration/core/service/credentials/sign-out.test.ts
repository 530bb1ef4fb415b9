import { afterEach, describe, expect, test } from 'vitest'
import { type FixtureAnswer, hangUp, json, raw, silence } from '../../../../helpers/fixture-service.ts'
import { errorOf, loginAnswer, operator, startClient, type UnderTest } from '../client/client-under-test.ts'
import * as records from '../../../../helpers/spec-records.ts'

let under: UnderTest
afterEach(() => under.stop())

const saved = { refreshToken: 'refresh-SECRET-9', refreshTokenEndsAt: '2026-01-10T00:00:00.000Z' }
const bye = json(200, { message: 'bye' })
const refused = json(401, { error: 'not valid' })
const renewed = json(200, { access_token: 'access-2' })
const logout = () => under.client.auth.logout(operator)
const bearersOf = (call: string) => under.fixture.asked(call).map(({ headers }) => headers.authorization)

async function signedIn(): Promise<void> {
  under = await startClient({ credential: 'password' })
  under.fixture.on('POST /auth/login', loginAnswer())
  await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
}

function expectForgotten(): void {
  expect(under.saved.at(-1)).toBeNull()
  expect(under.credentials.state().status).toBe('signed-out')
}

describe('signing out ends the session at the service', () => {
  test('before any call of a resumed session', async () => {
    under = await startClient({ credential: { saved } })
    under.fixture.on('POST /auth/refresh', renewed)
    under.fixture.on('POST /auth/logout', bye)
    expect(await logout()).toEqual({ endedAtService: true })
    expect(bearersOf('POST /auth/logout')).toEqual(['Bearer access-2'])
    expectForgotten()
  })

  test('after the access token aged', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', renewed)
    under.fixture.on('POST /auth/logout', bye)
    await under.clock.advance(901_000)
    expect(await logout()).toEqual({ endedAtService: true })
    expect(bearersOf('POST /auth/logout')).toEqual(['Bearer access-2'])
  })

  test('when the access token is refused early', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', renewed)
    under.fixture.on('POST /auth/logout', refused, bye)
    expect(await logout()).toEqual({ endedAtService: true })
    expect(bearersOf('POST /auth/logout')).toEqual(['Bearer access-SECRET-1', 'Bearer access-2'])
  })

  test('unless the refresh token is refused too', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', refused)
    under.fixture.on('POST /auth/logout', refused)
    expect(await logout()).toEqual({ endedAtService: true })
    expectForgotten()
  })
})

describe('signing out forgets the session and reports that the service did not confirm it', () => {
  test('when issued tokens are never accepted', async () => {
    await signedIn()
    under.fixture.on('POST /auth/refresh', renewed)
    under.fixture.on('POST /auth/logout', refused)
    expect(await logout()).toEqual({ endedAtService: false })
    expectForgotten()
  })

  test.each<[string, FixtureAnswer]>([
    ['fails', json(500, { error: 'oops' })],
    ['hangs up', hangUp],
    ['is behind a page', raw(401, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')],
  ])('when the service %s', async (_name, answer) => {
    under = await startClient({ credential: { saved } })
    under.fixture.on('POST /auth/refresh', answer)
    expect(await under.settled(logout())).toEqual({ endedAtService: false })
    expect(under.fixture.asked('POST /auth/logout')).toEqual([])
    expectForgotten()
  })

  test('within 15 seconds when the service is silent', async () => {
    under = await startClient({ credential: { saved } })
    under.fixture.on('POST /auth/refresh', silence)
    const startedAtMs = under.clock.monotonic()
    expect(await under.settled(logout(), 250)).toEqual({ endedAtService: false })
    expect(under.clock.monotonic() - startedAtMs).toBeLessThan(16_000)
    expectForgotten()
  })
})

describe('an API key', () => {
  test('is not used after a sign-out', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', json(200, records.dashboard))
    await under.client.dashboard.get(operator)
    expect(await logout()).toEqual({ endedAtService: true })
    expect(under.credentials.state().status).toBe('signed-out')
    expect((await errorOf(under.client.dashboard.get(operator))).code).toBe('SIGNED_OUT')
    expect(under.fixture.requests).toHaveLength(1)
  })

  test.each([
    ['accepted', json(200, records.dashboard)],
    ['refused', refused],
  ])('stays signed out when a call in flight is %s afterwards', async (_name, answer) => {
    under = await startClient()
    let release = () => {}
    under.fixture.on('GET /dashboard', (socket) => {
      release = () => socket.end(answer)
    })
    const late = under.client.dashboard.get(operator).catch(() => {})
    await expect.poll(() => under.fixture.requests.length).toBe(1)
    await logout()
    release()
    await late
    expect(under.credentials.state().status).toBe('signed-out')
  })
})

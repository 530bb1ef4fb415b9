import { afterEach, describe, expect, test } from 'vitest'
import { type FixtureAnswer, hangUp, json, raw, silence } from '../../../../helpers/fixture-service.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { errorOf, loginAnswer, operator, startClient, type UnderTest } from '../client/client-under-test.ts'

let under: UnderTest
afterEach(() => under.stop())

const saved = { refreshToken: 'refresh-SECRET-9', refreshTokenEndsAt: '2026-01-10T00:00:00.000Z' }
const bye = json(200, { message: 'bye' })
const broken = json(500, { error: 'no' })
const refused = json(401, { error: 'not valid' })
const renewed = json(200, { access_token: 'access-2' })
const page = raw(401, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')
const first = 'Bearer access-SECRET-1'
const next = 'Bearer access-2'
const logout = () => under.client.auth.logout(operator)

describe('signing out forgets the session and reports whether it ended at the service:', () => {
  test.each<[string, 'fresh' | 'aged' | 'resumed', FixtureAnswer, FixtureAnswer[], string[], boolean]>([
    ['with its token', 'fresh', renewed, [bye], [first], true],
    ['before any call of a resumed session', 'resumed', renewed, [bye], [next], true],
    ['after the access token aged', 'aged', renewed, [bye], [next], true],
    ['when the access token is refused early', 'fresh', renewed, [refused, bye], [first, next], true],
    ['ended before, when the refresh token is refused too', 'fresh', refused, [refused], [first], true],
    ['when issued tokens are never accepted', 'fresh', renewed, [refused], [first, next], false],
    ['when the service fails', 'fresh', renewed, [broken], [first], false],
    ['when the refresh fails', 'resumed', broken, [bye], [], false],
    ['when the service hangs up', 'resumed', hangUp, [bye], [], false],
    ['when the service is behind a page', 'resumed', page, [bye], [], false],
    ['when the service is silent', 'resumed', silence, [bye], [], false],
  ])('%s', async (_what, session, refresh, logouts, bearers, endedAtService) => {
    under = await startClient({ credential: session === 'resumed' ? { saved } : 'password' })
    under.fixture.on('POST /auth/login', loginAnswer())
    under.fixture.on('POST /auth/refresh', refresh)
    under.fixture.on('POST /auth/logout', ...logouts)
    if (session !== 'resumed') await under.login()
    if (session === 'aged') await under.clock.advance(901_000)
    const startedAtMs = under.clock.monotonic()
    expect(await under.settled(logout(), refresh === silence ? 250 : 25)).toEqual({ endedAtService })
    expect(under.clock.monotonic() - startedAtMs).toBeLessThan(16_000)
    const asked = under.fixture.asked('POST /auth/logout')
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(bearers)
    expect([under.saved.at(-1), under.credentials.state().status]).toEqual([null, 'signed-out'])
    expect((await errorOf(under.read())).code).toBe('SIGNED_OUT')
  })
})

test.each([
  ['accepted', json(200, records.dashboard)],
  ['refused', refused],
])('an API key stays signed out when a call in flight is %s afterwards', async (_name, answer) => {
  under = await startClient()
  let release = () => {}
  under.fixture.on('GET /dashboard', (socket) => {
    release = () => socket.end(answer)
  })
  const late = under.read().catch(() => {})
  await expect.poll(() => under.fixture.requests.length).toBe(1)
  expect(await logout()).toEqual({ endedAtService: true })
  release()
  await late
  expect(under.credentials.state().status).toBe('signed-out')
  expect((await errorOf(under.read())).code).toBe('SIGNED_OUT')
  expect(under.fixture.requests).toHaveLength(1)
})

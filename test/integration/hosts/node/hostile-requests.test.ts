import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { stubRenderer } from '../../../helpers/start-console.ts'
import {
  rawRequest,
  sendRaw,
  startTestWebServer,
  type TestWebServer,
  upgradeHeaders,
} from '../../../helpers/web-server.ts'
import { exchange } from '../../../helpers/web-session.ts'

let server: TestWebServer
let port: number
beforeAll(async () => {
  server = await startTestWebServer()
  port = server.web.port
})
afterAll(() => server.stop())

/** The target of a request, and what an honest page sends with it. */
interface Target {
  name: string
  method: string
  path: string
  isSocket: boolean
  needsOrigin: boolean
  needsCookie: boolean
  body: string
}

const read = (name: string, path: string): Target => ({
  name,
  method: 'GET',
  path,
  isSocket: false,
  needsOrigin: false,
  needsCookie: true,
  body: '',
})
const page = read('the page', '/')
const script = read('a script', '/assets/stub.js')
const session = read('the state of the session', '/session')
const socket: Target = { ...read('the socket', '/rpc'), isSocket: true, needsOrigin: true }
const link: Target = {
  ...read('a new link', '/session/link'),
  method: 'POST',
  needsOrigin: true,
  needsCookie: false,
  body: '{}',
}

/** A header's value: absent, or exactly this. */
type Value = string | null
interface Attempt {
  host: Value
  origin: Value
  site: Value
  cookie: Value
}

const own = () => `127.0.0.1:${port}`
const honest = (target: Target): Attempt => ({
  host: own(),
  origin: target.needsOrigin ? `http://${own()}` : null,
  site: target.isSocket ? null : 'same-origin',
  cookie: target.needsCookie ? server.cookie : null,
})

async function send(target: Target, { host, origin, site, cookie }: Attempt) {
  const headers: [string, string][] = []
  if (host !== null) headers.push(['Host', host])
  if (origin !== null) headers.push(['Origin', origin])
  if (site !== null) headers.push(['Sec-Fetch-Site', site])
  if (cookie !== null) headers.push(['Cookie', cookie])
  if (target.isSocket) headers.push(...upgradeHeaders())
  return sendRaw(port, rawRequest(target.method, target.path, headers, target.body))
}

/** True when the request got something that only the console's own page may get. */
function passed({ status, text }: Awaited<ReturnType<typeof send>>): boolean {
  const isConsole = text.includes('<title>Stub</title>') || text.includes('new WebSocket')
  return status === 101 || status === 204 || isConsole || /^set-cookie/im.test(text)
}

const words = (text: string) => text.trim().split(/\s+/)

const hostileHosts = (): Value[] => [
  null,
  '',
  `127.0.0.1:${port}, evil.example`,
  ...words(`
    evil.example evil.example:${port} 127.0.0.1 localhost 127.0.0.1:${port + 1} 127.0.0.1:0${port} 127.0.0.2:${port} 0.0.0.0:${port}
    [::1]:${port} [::ffff:127.0.0.1]:${port} 127.1:${port} 2130706433:${port} 0x7f000001:${port} localhost.:${port}
    localhost.evil.example:${port} 127.0.0.1.evil.example:${port} 127.0.0.1:${port}.evil.example user@127.0.0.1:${port}
    http://127.0.0.1:${port} LOCALHOST:${port}`),
]

const hostileOrigins = (): string[] => [
  '',
  `http://127.0.0.1:${port} http://evil.example`,
  ...words(`
    null http://evil.example http://evil.example:${port} https://127.0.0.1:${port} http://127.0.0.1:${port + 1} http://127.0.0.1
    http://localhost:${port} http://localhost:${port + 1} http://[::1]:${port} http://127.0.0.1:${port}.evil.example
    http://127.0.0.1.evil.example:${port} http://evil.example/http://127.0.0.1:${port} http://127.0.0.1:${port}/
    http://user@127.0.0.1:${port} file:// app://console chrome-extension://abcdefghijklmnop HTTP://127.0.0.1:${port}`),
]

const hostileSites = ['cross-site', 'same-site', '', 'Same-Origin', 'same-origin, cross-site', 'nonsense']

const hostileCookies = (): Value[] => [
  null,
  '',
  `switchboard-${port}`,
  `switchboard-${port}=`,
  `switchboard-${port}=${'A'.repeat(43)}`,
  `switchboard-${port + 1}=${server.cookie.split('=')[1]}`,
  server.cookie.toUpperCase(),
  server.cookie.slice(0, -1),
  `${server.cookie}A`,
  `x${server.cookie}`,
  `switchboard-${port}="${server.cookie.split('=')[1]}"`,
  `switchboard-${port}=__proto__; session=${server.cookie.split('=')[1]}`,
]

/** Every honest request with one hostile change, and the likely pairs. */
function hostileAttempts(): { target: Target; attempt: Attempt }[] {
  const list: { target: Target; attempt: Attempt }[] = []
  const add = (target: Target, change: Partial<Attempt>) =>
    list.push({ target, attempt: { ...honest(target), ...change } })
  for (const target of [page, script, session, socket, link]) {
    for (const host of hostileHosts()) {
      add(target, { host })
      // A rebound name: the browser takes page and server for one site.
      if (host?.includes(':')) add(target, { host, origin: `http://${host}` })
    }
    for (const origin of hostileOrigins()) {
      add(target, { origin })
      add(target, { origin, site: 'cross-site' })
    }
    for (const site of hostileSites) add(target, { site })
    if (target.needsOrigin) {
      add(target, { origin: null })
      add(target, { origin: null, site: null })
      add(target, { origin: null, site: 'none' })
      add(target, { site: 'none' })
    } else if (target !== page) add(target, { site: null })
    if (!target.needsCookie) continue
    for (const cookie of hostileCookies()) {
      add(target, { cookie })
      if (!target.needsOrigin) add(target, { cookie, site: 'none' })
    }
  }
  return list
}

const otherMethods = ['HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']

describe('requests of the console’s page', () => {
  test.each([page, script, session, socket, link])('accepts $name', async (target) => {
    const answer = await send(target, honest(target))
    expect(passed(answer), answer.text.slice(0, 300)).toBe(true)
  })

  test('accepts the same over localhost, with its own sign-in', async () => {
    const { status } = await fetch(`http://localhost:${port}/session`, {
      method: 'POST',
      headers: { origin: `http://localhost:${port}`, 'content-type': 'application/json' },
      body: JSON.stringify({ token: new URL(server.web.access.link()).hash.slice('#token='.length) }),
    })
    expect(status).toBe(204)
  })
})

describe('hostile requests', () => {
  test('refuses every request of the table', async () => {
    const attempts = hostileAttempts()
    expect(attempts.length).toBeGreaterThanOrEqual(500)
    const let_in: string[] = []
    for (const { target, attempt } of attempts) {
      const answer = await send(target, attempt)
      if (passed(answer)) let_in.push(`${target.name} ${JSON.stringify(attempt)} → ${answer.status}`)
    }
    expect(let_in).toEqual([])
  })

  test.each([page, script, session, socket, link])('refuses other methods for $name', async (target) => {
    for (const method of [...otherMethods, target.method === 'GET' ? 'POST' : 'GET']) {
      if (target === session && method === 'POST') continue
      const answer = await send({ ...target, method }, { ...honest(target), origin: `http://${own()}` })
      expect(passed(answer), `${method} ${target.path}: ${answer.text.slice(0, 200)}`).toBe(false)
    }
  })

  test('refuses a repeated security header in either order', async () => {
    for (const target of [page, script, session, socket]) {
      const { host, cookie } = honest(target)
      const base: [string, string][] = [
        ['Host', host!],
        ['Origin', `http://${own()}`],
        ['Sec-Fetch-Site', 'same-origin'],
        ['Cookie', cookie!],
      ]
      for (const [name, value] of [
        ['host', 'evil.example'],
        ['ORIGIN', 'http://evil.example'],
        ['sec-fetch-site', 'cross-site'],
      ] as const) {
        for (const headers of [
          [...base, [name, value]],
          [[name, value], ...base],
        ] as [string, string][][]) {
          const upgrade = target.isSocket ? upgradeHeaders() : []
          const answer = await sendRaw(port, rawRequest('GET', target.path, [...headers, ...upgrade]))
          expect(passed(answer), `${name} ${target.path}`).toBe(false)
        }
      }
    }
  })

  test.each([
    ['no token', '{}'],
    ['an empty token', '{"token":""}'],
    ['a token of another form', '{"token":["x"]}'],
    ['a guess', `{"token":"${'A'.repeat(43)}"}`],
    ['null', 'null'],
    ['no JSON', 'token=x'],
    ['a prototype', '{"__proto__":{"token":"x"}}'],
    ['five kilobytes', `{"token":"${'A'.repeat(5_000)}"}`],
  ])('does not accept %s as a sign-in', async (_name, body) => {
    const answer = await send({ ...link, path: '/session', body }, honest(link))
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(passed(answer)).toBe(false)
  })

  test('refuses another site with a valid token and keeps the token', async () => {
    const token = new URL(server.web.access.link()).hash.slice('#token='.length)
    const signIn: Target = { ...link, path: '/session', body: JSON.stringify({ token }) }
    for (const origin of [null, ...hostileOrigins()]) {
      expect(passed(await send(signIn, { ...honest(link), origin })), String(origin)).toBe(false)
    }
    for (const host of hostileHosts()) {
      expect(passed(await send(signIn, { ...honest(link), host, origin: `http://${host ?? ''}` }))).toBe(
        false,
      )
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const { status } = await fetch(`${server.origin}/session`, {
        method: 'POST',
        headers: { origin: server.origin, 'content-type': type },
        body: signIn.body,
      })
      expect(status).toBe(415)
    }
    expect(passed(await send(signIn, honest(link)))).toBe(true)
  })

  test('lets the browser keep only files that are named by their content', async () => {
    const kept = (target: Target) => send(target, honest(target)).then(({ text }) => text)
    expect(await kept(script)).toMatch(/^Cache-Control: private, max-age=31536000, immutable/im)
    expect(await kept(page)).toMatch(/^Cache-Control: no-store/im)
    expect(await kept(session)).toMatch(/^Cache-Control: no-store/im)
  })

  test('never echoes the request, sets a cookie or omits a security header', async () => {
    const marker = 'marker-4711'
    for (const target of [page, script, session, link]) {
      const answer = await send(
        { ...target, path: `${target.path}?${marker}` },
        { ...honest(target), origin: `http://${marker}`, cookie: marker },
      )
      expect(answer.text).not.toContain(marker)
      expect(answer.text).not.toMatch(/^set-cookie/im)
      for (const header of [
        /^X-Content-Type-Options: nosniff/im,
        /^X-Frame-Options: DENY/im,
        /^Referrer-Policy: no-referrer/im,
        /^Cross-Origin-Resource-Policy: same-origin/im,
        /^Cross-Origin-Opener-Policy: same-origin/im,
        /^Cache-Control: no-store/im,
        /^Content-Security-Policy: default-src 'none'/im,
      ]) {
        expect(answer.text).toMatch(header)
      }
      expect(answer.text).not.toMatch(/^(server|x-powered-by|access-control-allow)/im)
    }
  })
})

const traversals = [
  ...words('.. %2e%2e .%2e %2e. %252e%252e ..; %c0%ae%c0%ae %uff0e%uff0e .... ..%00').flatMap((up) => [
    `/${up}/package.json`,
    `/${up}/${up}/etc/passwd`,
    `/assets/${up}/index.html`,
    `/assets/${up}/${up}/start-console.ts`,
  ]),
  ...words(String.raw`%2f %5c \ // /./ %252f ;/`).flatMap((slash) => [
    `/..${slash}..${slash}etc/passwd`,
    `/assets${slash}stub.js`,
    `${slash}etc/passwd`,
  ]),
  ...words(`
    /assets /assets/ /. /.. // /./ /%00 /index.html%00.js /assets/stub.js/ /assets/stub.js%20 /assets/STUB.JS /manifest.json
    /licenses.json /.stamp /.git/config /package.json /C:/Windows/win.ini /c%3a/windows/win.ini /file:///etc/passwd
    http://127.0.0.1/etc/passwd http://evil.example/ http://evil.example/assets/stub.js /constructor /__proto__ *`),
]

test(`serves only the build’s files for ${traversals.length} traversal paths`, async () => {
  expect(traversals.length).toBeGreaterThanOrEqual(60)
  for (const path of traversals) {
    const answer = await send({ ...script, path }, honest(script))
    expect([400, 404], `${path}: ${answer.text.slice(0, 80)}`).toContain(answer.status)
    expect(passed(answer), path).toBe(false)
  }
})

describe('the one-time token', () => {
  test('lets one of eight simultaneous attempts win', async () => {
    const url = server.web.access.link()
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(url)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(answers.filter((answer) => answer.headers.has('set-cookie'))).toHaveLength(1)
    expect(server.web.access.link()).not.toBe(url)
  })

  test('sets a session cookie that scripts and other sites can’t use', async () => {
    const answer = await exchange(server.web.access.link())
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^switchboard-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    )
  })

  test('prints a new link for the operator, never for the page, at most every two seconds', async () => {
    const clock = createFakeClock()
    const { web, origin, links, stop } = await startTestWebServer({ clock })
    onTestFinished(stop)
    const ask = async () => {
      const answer = await fetch(`${origin}/session/link`, { method: 'POST', headers: { origin } })
      expect(answer.status).toBe(204)
      expect(await answer.text()).toBe('')
    }
    for (let round = 0; round < 20; round++) await ask()
    expect(links).toEqual([web.access.link()])
    await clock.advance(2_000)
    await ask()
    expect(links).toEqual([web.access.link(), web.access.link()])
  })
})

test('refuses a file of the page that an update removed, and goes on', async () => {
  const rendererDir = mkdtempSync(join(tmpdir(), 'switchboard-renderer-'))
  cpSync(stubRenderer, rendererDir, { recursive: true })
  const updated = await startTestWebServer({ rendererDir })
  onTestFinished(async () => {
    await updated.stop()
    rmSync(rendererDir, { recursive: true })
  })
  const script = new URL('assets/stub.css', updated.origin)
  const headers = { Cookie: updated.cookie, 'Sec-Fetch-Site': 'same-origin' }
  rmSync(join(rendererDir, 'assets/stub.css'))
  const answer = await fetch(script, { headers })
  expect({ status: answer.status, text: await answer.text() }).toEqual({
    status: 500,
    text: 'A file of the page is missing. If Switchboard was updated, restart it.\n',
  })
  expect((await fetch(updated.origin, { headers })).status).toBe(200)
})

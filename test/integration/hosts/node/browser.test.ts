import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { chromiumPath } from '../../../helpers/chromium.ts'
import { startTestWebServer, type TestWebServer } from '../../../helpers/web-server.ts'

let browser: Browser
let server: TestWebServer
let context: BrowserContext
let page: Page
/** The server's answers, in order. */
let answers: { status: number; method: string; path: string; cookie: string }[]

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox'],
  })
  server = await startTestWebServer()
  server.web.server.prependListener('request', (request, response) => {
    response.on('finish', () =>
      answers.push({
        status: response.statusCode,
        method: request.method ?? '',
        path: request.url ?? '',
        cookie: request.headers.cookie ?? '',
      }),
    )
  })
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})
beforeEach(async () => {
  answers = []
  context = await browser.newContext()
  page = await context.newPage()
  return () => context.close()
})

const stateOf = (of: Page) => of.locator('body[data-state=open]').waitFor({ state: 'attached' })

/** A foreign page, on another port of this computer or under another name of it. */
async function serveForeign(html: string): Promise<number> {
  const foreign = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(html)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void foreign.close())
  await once(foreign, 'listening')
  return (foreign.address() as AddressInfo).port
}

test('signs in the page, a reload, a second tab and the spent link in the same browser', async () => {
  const link = server.web.access.link()
  await page.goto(link)
  await stateOf(page)
  expect(page.url()).toBe(`${server.origin}/`)
  expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).toEqual([])
  const colours = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.body)
    return { color, backgroundColor }
  })
  expect(colours).toEqual({ color: 'rgb(1, 2, 3)', backgroundColor: 'rgb(4, 5, 6)' })
  expect(await page.evaluate(() => document.cookie)).toBe('')
  expect(answers.filter(({ status }) => status >= 400)).toEqual([])
  await page.reload()
  await stateOf(page)
  for (const address of [`${server.origin}/`, link]) {
    const tab = await context.newPage()
    await tab.goto(address)
    await stateOf(tab)
  }
})

test('rejects a spent link in another browser and prints a new one that works', async () => {
  const link = server.web.access.link()
  await page.goto(link)
  await stateOf(page)
  const other = await browser.newContext()
  onTestFinished(() => other.close())
  const stranger = await other.newPage()
  await stranger.goto(link)
  await stranger.getByText('This link was already used').waitFor({ state: 'attached' })
  expect(await stranger.content()).not.toContain('stub.js')
  await stranger.goto(server.links.at(-1)!)
  await stateOf(stranger)
})

test.each(['localhost', '127.0.0.1'])(
  'gives a page on another port of %s nothing, not even with a cookie',
  async (name) => {
    await page.goto(server.web.access.link())
    await stateOf(page)
    const letIn = server.ports.length
    answers = []
    const port = await serveForeign('<!doctype html><title>Foreign</title>')
    const evil = await context.newPage()
    await evil.goto(`http://${name}:${port}/`)
    const socketAnswer = evil.evaluate(
      (origin) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`)
          socket.onopen = () => resolve('open')
          socket.onclose = () => resolve('refused')
        }),
      server.origin,
    )
    expect(await socketAnswer).toBe('refused')
    const loaded = await evil.evaluate(async (origin) => {
      const loaded: string[] = []
      const post = { method: 'POST', mode: 'no-cors', body: JSON.stringify({ token: 'guess' }) } as const
      for (const [path, init] of [
        ['/', { mode: 'no-cors' }],
        ['/session', {}],
        ['/session', post],
        ['/session/link', post],
      ] as const)
        await fetch(origin + path, { ...init, credentials: 'include' }).catch(() => undefined)
      for (const tag of ['script', 'img', 'link', 'iframe', 'object'] as const) {
        const element = document.createElement(tag)
        Object.assign(element, { rel: 'stylesheet', crossOrigin: tag === 'script' ? null : undefined })
        const path = tag === 'iframe' || tag === 'object' ? '/' : '/assets/stub.js'
        element.setAttribute(tag === 'link' ? 'href' : tag === 'object' ? 'data' : 'src', origin + path)
        const settled = new Promise((resolve) => {
          element.onload = () => resolve(true)
          element.onerror = resolve
        })
        document.body.append(element)
        const end = await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 500))])
        // A frame also loads the page that says why it was refused.
        if (end === true && path !== '/') loaded.push(tag)
      }
      return loaded
    }, server.origin)
    expect(loaded).toEqual([])
    expect(await evil.evaluate(() => 'violations' in window)).toBe(false)
    expect(server.ports.length).toBe(letIn)
    // The asset may come from the browser's cache, where `Cross-Origin-Resource-Policy` withholds it.
    expect(answers.length).toBeGreaterThanOrEqual(6)
    expect(answers.filter(({ status }) => status !== 403)).toEqual([])
    // Browsers treat all ports as one site, but not all names.
    const sentCookie = answers.some(({ cookie }) => cookie.includes(`switchboard-${server.web.port}=`))
    expect(sentCookie).toBe(name === '127.0.0.1')
  },
)

// Last: its visit uses up the one link that is printed in two seconds.
test('shows the sign-in page in the browser’s language', async () => {
  const spanish = await browser.newContext({ locale: 'es-MX' })
  onTestFinished(() => spanish.close())
  const page = await spanish.newPage()
  await page.goto(server.origin)
  await expect
    .poll(() => page.getByRole('status').textContent())
    .toBe(
      'Esta página se ha abierto sin su enlace. Abra el enlace más reciente de la terminal donde se ejecuta Switchboard.',
    )
  expect(await page.locator('html').getAttribute('lang')).toBe('es')
})

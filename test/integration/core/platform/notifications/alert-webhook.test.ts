import { englishText } from '#electron/contract/phrases.ts'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'svix'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AlertWebhook } from '#contract/platform/notifications.ts'
import { createAlertWebhook } from '#electron/core/platform/notifications/alert-webhook.ts'
import { createSettingsRepository } from '#electron/core/platform/settings/settings.repository.ts'
import { whyUnreachable } from '#electron/core/service/client/http-errors.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { createHostPorts } from '../../../../helpers/host-ports.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { freePort } from '../../../../helpers/ports.ts'

/** A local receiver that answers with each of `statuses`, then 200. */
async function receiver(statuses: number[] = []) {
  const got: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      response.writeHead(statuses.shift() ?? 200).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook?token=planted-secret`, host: `127.0.0.1:${port}`, got }
}

/** The alert webhook over a real console database. Pass the same folder again to simulate a restart. */
function open(folder = tempFolder(), host = createHostPorts(folder)) {
  const { db, close } = openDatabase({ file: join(folder, 'console.db'), schema: 'console', log: quietLog })
  const clock = createFakeClock(Date.now())
  const webhook = createAlertWebhook({
    db,
    secrets: host.ports.secrets,
    forgetSecret: async (account) => {
      await host.ports.secrets.delete(account)
      return null
    },
    settings: createSettingsRepository(db, clock),
    fetch,
    whyUnreachable,
    language: () => 'en',
    clock,
    log: quietLog,
  })
  let closed = false
  const stop = async () => {
    if (closed) return
    closed = true
    await webhook.stop()
    close()
  }
  onTestFinished(stop)
  const state = async (): Promise<AlertWebhook> => {
    for await (const one of webhook.watch(new AbortController().signal)) return one
    throw new Error('nothing watched')
  }
  const results = async () =>
    (await state()).posts.map(({ result, tries }) => [result && englishText(result), tries])
  const hasResults = (expected: [string, number][]) =>
    vi.waitFor(async () => expect(await results()).toEqual(expected))
  return { webhook, clock, db, state, results, hasResults, stop, folder, host }
}

const alert = {
  kind: 'alert-rule',
  title: 'Alert: Autumn <offers>',
  body: '17.6 % failed & paused.',
  connection: 'Acme',
} as const
const json = { format: 'json' as const, kinds: ['alert-rule' as const], newSecret: false }

test('posts JSON that another implementation of Standard Webhooks accepts', async () => {
  const { url, got } = await receiver()
  const { webhook, hasResults } = open()
  const { secret } = await webhook.set({ ...json, url })
  webhook.post(alert)
  await hasResults([['delivered', 1]])
  const { headers, body } = got[0]!
  expect(() => new Webhook(secret!).verify(body, headers as Record<string, string>)).not.toThrow()
  expect(() => new Webhook(secret!).verify(`${body} `, headers as Record<string, string>)).toThrow()
  expect(JSON.parse(body)).toMatchObject({
    type: 'alert.alert-rule',
    data: { title: alert.title, body: alert.body, connection: 'Acme' },
  })
})

test('posts Slack text with its control characters escaped, and no signature', async () => {
  const { url, got } = await receiver()
  const { webhook, hasResults } = open()
  expect(await webhook.set({ ...json, format: 'slack', url })).toEqual({ secret: null })
  webhook.post(alert)
  await hasResults([['delivered', 1]])
  expect(JSON.parse(got[0]!.body)).toEqual({
    text: '*Alert: Autumn &lt;offers&gt;*\n17.6 % failed &amp; paused.',
  })
  expect(got[0]!.headers).not.toHaveProperty('webhook-signature')
})

test('posts only the chosen kinds', async () => {
  const { url, got } = await receiver()
  const { webhook, hasResults } = open()
  await webhook.set({ ...json, kinds: ['listener-down'], url })
  webhook.post(alert)
  webhook.post({ ...alert, kind: 'listener-down' })
  await hasResults([['delivered', 1]])
  expect(got).toHaveLength(1)
})

test('retries a failing receiver with the same ID, and stops when it rejects', async () => {
  const { url, got } = await receiver([503, 500, 200, 404])
  const { webhook, clock, results, hasResults } = open()
  await webhook.set({ ...json, url })
  webhook.post(alert)
  await hasResults([['The receiver responded with 503', 1]])
  await clock.advance(5_000)
  await hasResults([['The receiver responded with 500', 2]])
  await clock.advance(30_000)
  await hasResults([['delivered', 3]])
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  webhook.post(alert)
  await vi.waitFor(async () => expect((await results())[0]).toEqual(['The receiver responded with 404', 1]))
  expect(clock.pending()).toBe(0)
})

test('stores an alert before it is decided who posts it, and posts it if that fails, or later if nobody decides', async () => {
  const { url, got } = await receiver()
  const { webhook, clock, hasResults, state } = open()
  await webhook.set({ ...json, url })
  webhook.post(alert, () => Promise.resolve('Ben'))
  await hasResults([['Posted by Ben', 0]])
  webhook.post(alert, (_endpoint, post) => Promise.resolve(post()).then(() => null))
  await vi.waitFor(() => expect(got).toHaveLength(1))
  webhook.post(alert, () => Promise.reject(new Error('no decision')))
  await vi.waitFor(() => expect(got).toHaveLength(2))
  webhook.post(alert, () => new Promise(() => {}))
  expect((await state()).posts).toHaveLength(4)
  await clock.advance(5 * 60_000)
  await vi.waitFor(() => expect(got).toHaveLength(3))
})

test('tells a refused connection, an unknown host and failed TLS apart', async () => {
  const { url, host } = await receiver()
  const port = await freePort()
  const { webhook, results } = open()
  for (const [address, why] of [
    [`http://127.0.0.1:${port}/hook`, 'connection refused'],
    ['https://receiver.invalid/hook', 'unknown host name'],
    [url.replace('http:', 'https:'), 'TLS failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
  ] as const) {
    await webhook.set({ ...json, url: address })
    webhook.post(alert)
    await vi.waitFor(async () => expect((await results())[0]).toEqual([why, 1]))
  }
  expect(JSON.stringify(await results())).not.toContain(host)
})

test('sends a pending alert after a restart', async () => {
  const { url, got } = await receiver([503])
  const first = open()
  await first.webhook.set({ ...json, url })
  first.webhook.post(alert)
  await first.hasResults([['The receiver responded with 503', 1]])
  await first.stop()
  const second = open(first.folder, first.host)
  second.webhook.start()
  await second.clock.advance(10_000)
  await second.hasResults([['delivered', 2]])
  expect(got).toHaveLength(2)
})

test('keeps the address and secret out of the database and the renderer', async () => {
  const { url, host } = await receiver()
  const { webhook, db, state } = open()
  const { secret } = await webhook.set({ ...json, url })
  const seen = await state()
  expect(seen.host).toBe(host)
  const stored = ['settings', 'alert_posts'].map((table) =>
    JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()),
  )
  for (const text of [...stored, JSON.stringify(seen)]) {
    expect(text).not.toContain('planted-secret')
    expect(text).not.toContain(secret)
  }
})

test('refuses an address without TLS or with credentials, and a test without an address', async () => {
  const { webhook } = open()
  const refused = { code: 'INVALID_INPUT' }
  await expect(webhook.set({ ...json, url: 'https://user:secret@chat.example/hook' })).rejects.toMatchObject({
    ...refused,
    data: { detail: { key: 'input.noCredentials' } },
  })
  await expect(webhook.set({ ...json, url: 'http://chat.example/hook' })).rejects.toMatchObject(refused)
  expect(() => webhook.test()).toThrow(expect.objectContaining(refused) as Error)
})

test('drops pending alerts when the webhook is removed', async () => {
  const { url, got } = await receiver([503])
  const { webhook, clock, results, hasResults, state } = open()
  await webhook.set({ ...json, url })
  webhook.post(alert)
  await hasResults([['The receiver responded with 503', 1]])
  await webhook.remove()
  await clock.advance(600_000)
  expect(await results()).toEqual([['Not sent: the webhook was removed', 1]])
  expect((await state()).host).toBeNull()
  expect(got).toHaveLength(1)
})

import { readFileSync } from 'node:fs'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { beforeEach, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { rawWith, signIn, startSandbox, until, withToken } from './raw.ts'

let stateFile: string

beforeEach(() => void (stateFile = join(tempFolder(), 'state')))

test('restores records, sign-ins and keys after a restart', async () => {
  const first = await signIn(await startSandbox({ stateFile }))
  const contact = (await first.post('/contacts', { name: 'N', phone: '+4915112345678' })).body
  await first.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['mo'], secret: 's' })
  const campaign = (await first.get('/campaigns?status=running')).body.data[0]
  await first.post(`/campaigns/${campaign.id}/pause`)
  const { key } = first.sandbox.createApiKey('viewer@harbor.example')
  const lists = [
    '/campaigns?per_page=100',
    '/messages?per_page=100',
    '/scheduled-messages',
    '/dnc',
    '/dashboard',
    '/error-codes/search?q=a',
    '/webhooks/subscriptions',
    `/campaigns/${campaign.id}`,
  ]
  const before = await Promise.all(lists.map(async (path) => (await first.get(path)).body))
  await first.sandbox.stop()

  const sandbox = await startSandbox({ stateFile })
  const second = withToken(sandbox, first.accessToken)
  expect(await Promise.all(lists.map(async (path) => (await second.get(path)).body))).toEqual(before)
  expect(sandbox.tenant().contacts()).toContainEqual(contact)
  expect(before.at(-2).data).toMatchObject([{ secret: 's' }])
  expect(before.at(-1).status).toBe('paused')
  expect((await rawWith(sandbox, { 'X-API-Key': key }).get('/dnc')).status).toBe(200)
  expect((await withToken(sandbox, first.refreshToken).post('/auth/refresh')).status).toBe(200)
})

test('continues open messages after a restart without reusing ids', async () => {
  const options = { stateFile, traffic: true, ratePerSecond: 10 }
  const first = await startSandbox({ ...options, clock: createFakeClock() })
  first.tick(10_000)
  const open = first
    .tenant()
    .messages()
    .filter((message) => message.status === 'submitted')
  expect(open.length).toBeGreaterThan(0)
  await first.stop()
  const second = await startSandbox({ ...options, clock: createFakeClock(Date.UTC(2026, 0, 5, 10)) })
  second.tick(60_000)
  const messages = second.tenant().messages()
  for (const { id } of open)
    expect(['delivered', 'failed', 'expired']).toContain(messages.find((m) => m.id === id)!.status)
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
})

test('saves regularly while running, completely and for its owner only', async () => {
  const clock = createFakeClock()
  const raw = await signIn(await startSandbox({ stateFile, clock }))
  const { id } = (await raw.post('/contacts', { name: 'N', phone: '+4915112345678' })).body
  await clock.advance(15_000)
  await until(() => readFileSync(stateFile).includes(id), 'the contact in the file')
  expect(deserialize(await readFile(stateFile)).tenants).toHaveLength(3)
  expect((await stat(stateFile)).mode & 0o777).toBe(0o600)
  await Promise.all([raw.sandbox.save(), raw.sandbox.save(), raw.sandbox.save()])
  await raw.sandbox.stop()
  expect(await readdir(join(stateFile, '..'))).toEqual(['state'])
})

test('reports an unwritable file at start and listens on nothing', async () => {
  const missing = join(stateFile, '..', 'no-such-folder', 'state')
  await expect(startSandbox({ stateFile: missing })).rejects.toThrow(/cannot be written/)
})

test.each([
  ['cut short', serialize({ format: 'switchboard sandbox 2' }).subarray(0, 20), /damaged/],
  ['of text', Buffer.from('{"format":1}'), /damaged/],
  ['with other content', serialize({ name: 'x' }), /not a sandbox state file/],
  ['with another seed', serialize({ format: 'switchboard sandbox 2', seed: 99 }), /seed 99/],
])('refuses a file %s and leaves it alone', async (_what, bytes, words) => {
  await writeFile(stateFile, bytes)
  await expect(startSandbox({ stateFile })).rejects.toThrow(words)
  expect(await readFile(stateFile)).toEqual(Buffer.from(bytes))
})

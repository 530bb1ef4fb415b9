import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { rawWith, signIn, startSandbox } from './raw.ts'

let stateFile: string

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  stateFile = join(folder, 'state.json')
})

test('records, sign-ins and keys are there again after a restart', async () => {
  const first = await signIn(await startSandbox({ stateFile }))
  const contact = (await first.post('/contacts', { name: 'N', phone: '+4915112345678' })).body
  const hook = (await first.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['mo'], secret: 's' }))
    .body
  const campaign = (await first.get('/campaigns?status=running')).body.data[0]
  await first.post(`/campaigns/${campaign.id}/pause`)
  const { key } = first.sandbox.createApiKey('viewer@harbor.example')
  const lists = [
    '/campaigns?per_page=100',
    '/messages?per_page=100',
    '/scheduled-messages',
    '/dnc',
    '/dashboard',
  ]
  const before = await Promise.all(lists.map(async (path) => (await first.get(path)).body))
  await first.sandbox.stop()

  const sandbox = await startSandbox({ stateFile })
  const second = rawWith(sandbox, { Authorization: `Bearer ${first.accessToken}` })
  expect(await Promise.all(lists.map(async (path) => (await second.get(path)).body))).toEqual(before)
  expect(sandbox.tenant().contacts()).toContainEqual(contact)
  expect((await second.get('/webhooks/subscriptions')).body.data).toEqual([hook])
  expect((await second.get(`/campaigns/${campaign.id}`)).body.status).toBe('paused')
  expect((await rawWith(sandbox, { 'X-API-Key': key }).get('/dnc')).status).toBe(200)
  const renewed = await rawWith(sandbox, { Authorization: `Bearer ${first.refreshToken}` }).post(
    '/auth/refresh',
  )
  expect(renewed.status).toBe(200)
})

test('messages on their way go on after a restart, and no id comes twice', async () => {
  const options = { stateFile, traffic: true, ratePerSecond: 40 }
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

test('campaigns paused before a restart are replaced after it', async () => {
  const options = { stateFile, traffic: true, clock: createFakeClock() }
  const first = await signIn(await startSandbox(options))
  for (const { id } of (await first.get('/campaigns?status=running')).body.data)
    await first.post(`/campaigns/${id}/pause`)
  await first.sandbox.stop()
  const second = await signIn(await startSandbox(options))
  expect((await second.get('/campaigns?status=running')).body.total).toBe(0)
  second.sandbox.tick(121_000)
  expect((await second.get('/campaigns?status=running')).body.total).toBe(3)
})

test('the file is written whole, for its owner only, and now and then while running', async () => {
  const clock = createFakeClock()
  const sandbox = await startSandbox({ stateFile, clock })
  await clock.advance(15_000)
  await sandbox.save()
  expect(JSON.parse(await readFile(stateFile, 'utf8')).tenants).toHaveLength(3)
  expect((await stat(stateFile)).mode & 0o777).toBe(0o600)
  await Promise.all([sandbox.save(), sandbox.save(), sandbox.save()])
  await sandbox.stop()
  expect(await readdir(join(stateFile, '..'))).toEqual(['state.json'])
})

test.each([
  ['cut short', '{"format":1,"see', /damaged/],
  ['of something else', '{"name":"x"}', /not one of this sandbox/],
  ['null', 'null', /not one of this sandbox/],
  ['of another seed', '{"format":1,"seed":99,"tenants":[]}', /seed 99/],
])('a file %s is refused in words and left as it is', async (_what, text, words) => {
  await writeFile(stateFile, text)
  await expect(startSandbox({ stateFile })).rejects.toThrow(words)
  expect(await readFile(stateFile, 'utf8')).toBe(text)
})

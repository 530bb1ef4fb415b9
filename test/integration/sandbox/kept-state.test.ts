import { readFileSync } from 'node:fs'
import { copyFile, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { rawWith, signIn, startSandbox, until, withToken } from './raw.ts'

let stateFile: string

beforeEach(() => void (stateFile = join(tempFolder(), 'state.json')))

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
  await until(() => readFileSync(stateFile, 'utf8').includes(id), 'the contact in the file')
  expect(JSON.parse(await readFile(stateFile, 'utf8')).tenants).toHaveLength(3)
  expect((await stat(stateFile)).mode & 0o777).toBe(0o600)
  await Promise.all([raw.sandbox.save(), raw.sandbox.save(), raw.sandbox.save()])
  await raw.sandbox.stop()
  expect(await readdir(join(stateFile, '..'))).toEqual(['state.json'])
})

test('does not send a scheduled message whose number is on the DNC list when due', async () => {
  const first = await startSandbox({ stateFile, clock: createFakeClock() })
  await first.stop()
  const state = JSON.parse(await readFile(stateFile, 'utf8'))
  const [tenant] = state.tenants
  const due = tenant.scheduled.find((scheduled: { status: string }) => scheduled.status === 'pending')
  tenant.dnc.push({ ...tenant.dnc[0], id: 'added', phone_number: due.to_number })
  await writeFile(stateFile, JSON.stringify(state))
  const second = await startSandbox({ stateFile, clock: createFakeClock(Date.parse(due.scheduled_at)) })
  second.tick(20_000)
  const view = second.tenant()
  expect(view.scheduled().find(({ id }) => id === due.id)!.status).toBe('failed')
  expect(view.messages().filter(({ to, body }) => to === due.to_number && body === due.body)).toEqual([])
})

test('does not reuse ids of a run killed before its first regular save', async () => {
  await (await startSandbox({ stateFile })).stop()
  const kept = join(stateFile, '..', 'at-the-kill.json')
  const killed = await startSandbox({ stateFile })
  const { message_id: id } = killed.emitDlr({ status: 'delivered' })
  await copyFile(stateFile, kept)
  const next = await startSandbox({ stateFile: kept })
  expect(next.emitDlr({ status: 'delivered' }).message_id).not.toBe(id)
})

test('saves what was acknowledged while stopping', async () => {
  const raw = await signIn(await startSandbox({ stateFile }))
  const acknowledged: string[] = []
  const writing = (async () => {
    for (;;) {
      const made = await raw.post('/contacts', { name: 'N', phone: '+4915112345678' }).catch(() => null)
      if (made === null) return
      acknowledged.push(made.body.id)
    }
  })()
  await until(() => acknowledged.length > 20, 'contacts')
  await raw.sandbox.stop()
  await writing
  const { contacts } = JSON.parse(await readFile(stateFile, 'utf8')).tenants[0]
  const saved = new Set(contacts.map(({ id }: { id: string }) => id))
  expect(acknowledged.filter((id) => !saved.has(id))).toEqual([])
})

test('removes drafts of a killed run', async () => {
  await writeFile(`${stateFile}.0a1b2c3d.new`, '{"form')
  await writeFile(`${stateFile}.notes`, 'mine')
  await (await startSandbox({ stateFile })).stop()
  expect((await readdir(join(stateFile, '..'))).sort()).toEqual(['state.json', 'state.json.notes'])
})

test('reports an unwritable file at start and listens on nothing', async () => {
  const missing = join(stateFile, '..', 'no-such-folder', 'state.json')
  await expect(startSandbox({ stateFile: missing })).rejects.toThrow(/cannot be written/)
})

test('leaves the file alone when the port is taken', async () => {
  await (await startSandbox({ stateFile })).stop()
  const before = await readFile(stateFile, 'utf8')
  const { port } = await startSandbox()
  await expect(startSandbox({ stateFile, port })).rejects.toThrow(/EADDRINUSE/)
  expect(await readFile(stateFile, 'utf8')).toBe(before)
})

test.each([
  ['cut short', '{"format":1,"see', /damaged/],
  ['with other content', '{"name":"x"}', /not a sandbox state file/],
  ['null', 'null', /not a sandbox state file/],
  ['with missing parts', '{"format":1,"seed":1,"tenants":[{}]}', /damaged/],
  ['without a tenant', '{"format":1,"seed":1,"generation":1,"apiKeys":[],"tenants":[null]}', /damaged/],
  ['with another seed', '{"format":1,"seed":99,"tenants":[]}', /seed 99/],
])('refuses a file %s and leaves it alone', async (_what, text, words) => {
  await writeFile(stateFile, text)
  await expect(startSandbox({ stateFile })).rejects.toThrow(words)
  expect(await readFile(stateFile, 'utf8')).toBe(text)
})

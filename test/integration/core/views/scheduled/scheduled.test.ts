import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ScheduledStep } from '#contract/views/scheduled.ts'
import { json, startFixtureService } from '../../../../helpers/fixture-service.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'

let running: RunningCore
beforeEach(async () => {
  running = await startCore({})
  await running.rpc.connections.openSandbox()
})
afterEach(() => running.stop())

async function read(freshForMs = 0): Promise<ScheduledStep[]> {
  const steps: ScheduledStep[] = []
  for await (const step of await running.rpc.scheduled.read({ freshForMs })) steps.push(step)
  return steps
}
const last = (steps: ScheduledStep[]) => steps.at(-1)!
const asked = () =>
  running.sandbox.requestLog().filter(({ path }) => path.includes('/scheduled-messages')).length

test('reads and keeps the whole list of the sandbox, page by page', async () => {
  const there = running.sandbox.tenant().scheduled()
  const steps = await read()
  expect(steps.map(({ kind }) => kind)).toEqual(['page', 'done'])
  expect(last(steps)).toMatchObject({
    kind: 'done',
    reading: { loaded: there.length, total: there.length, state: 'whole' },
    gone: [],
  })
  const again = await read(60_000)
  expect(again.map(({ kind }) => kind)).toEqual(['kept', 'fresh'])
  expect(again[0]).toMatchObject({ isLast: true, reading: { loaded: there.length } })
  expect(asked()).toBe(1)
})

test('shows the last answer with its age and the error when the service fails', async () => {
  const first = last(await read())
  running.sandbox.setFault('forbidden')
  const steps = await read()
  expect(steps.map(({ kind }) => kind)).toEqual(['kept', 'failed'])
  expect(steps[0]).toMatchObject({ reading: first.kind === 'done' ? first.reading : null })
  expect(steps[1]).toMatchObject({ error: { code: 'FORBIDDEN' } })
})

test('exports the shown rows as CSV in their order', async () => {
  const steps = await read()
  const page = steps[0]!
  if (page.kind !== 'page') throw new Error('no page')
  const ids = page.items.slice(0, 2).map(({ id }) => id as string)
  const { fileId, count, name } = await running.rpc.scheduled.exportCsv({ ids: [...ids, 'gone'] })
  expect({ count, name }).toEqual({ count: 2, name: expect.stringMatching(/^scheduled-.*\.csv$/) })
  const { base64 } = await running.rpc.files.read({ fileId, offset: 0 })
  const lines = Buffer.from(base64, 'base64').toString().trim().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain(ids[0])
  await expect(running.rpc.scheduled.exportCsv({ ids: ['gone'] })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

/** A service that returns `all()` in pages at each request. */
async function listing(all: (request: number) => { id: string }[]) {
  const service = await startFixtureService()
  let requests = 0
  service.on('POST /auth/login', json(200, { access_token: 'a', refresh_token: 'r', expires_in: 900 }))
  service.on('POST /auth/logout', json(200, { message: 'ok' }))
  service.on('GET /scheduled-messages', (socket, { query }) => {
    const page = Number(new URLSearchParams(query).get('page'))
    const items = all(++requests)
    const data = items.slice((page - 1) * 100, page * 100)
    socket.end(json(200, { data, total: items.length, page, per_page: 100 }))
  })
  await running.rpc.connections.connect({
    name: 'Other',
    baseUrl: service.baseUrl,
    colour: 'red',
    production: false,
    credential: { kind: 'password', username: 'u', password: 'p' },
  })
  return service
}
const entries = (count: number, from = 0) =>
  Array.from({ length: count }, (_item, index) => ({ id: `s-${from + index}`, status: 'pending' }))

test('stops reading when the page is left', async () => {
  const many = entries(2_000)
  const service = await listing(() => many)
  try {
    for await (const step of await running.rpc.scheduled.read({})) if (step.kind === 'page') break
    expect(service.asked('GET /scheduled-messages').length).toBeLessThan(20)
  } finally {
    await service.stop()
  }
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { json, startFixtureService } from '../../../../helpers/fixture-service.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'

let running: RunningCore
beforeEach(async () => {
  running = await startCore({})
  await running.rpc.connections.openSandbox()
})
afterEach(() => running.stop())

const held = () => running.sandbox.tenant().heldMessageIds()
const asked = (method: string) =>
  running.sandbox.requestLog().filter((entry) => entry.method === method && entry.path.includes('/messages/'))
const releasesAsked = () => asked('POST').filter(({ path }) => path.endsWith('/release'))

/** Waits until the newest run has nothing left to start. */
async function endOfRun(runId: string) {
  await expect
    .poll(async () => (await running.rpc.messages.run({ runId }))?.isRunning, { timeout: 20_000 })
    .toBe(false)
  return (await running.rpc.messages.run({ runId }))!
}

async function connectTo(service: Awaited<ReturnType<typeof startFixtureService>>): Promise<void> {
  service.on('POST /auth/login', json(200, { access_token: 'a', refresh_token: 'r', expires_in: 900 }))
  service.on('POST /auth/logout', json(200, { message: 'ok' }))
  await running.rpc.connections.connect({
    name: 'Other',
    baseUrl: service.baseUrl,
    colour: 'red',
    production: false,
    credential: { kind: 'password', username: 'u', password: 'p' },
  })
}

describe('lookups', () => {
  test('show everything the service says of a message and report an unknown ID', async () => {
    const { items } = await running.rpc.messages.list({ perPage: 5 })
    const found = await running.rpc.messages.get({ id: items[0]!.id })
    expect(found).toMatchObject({ outcome: 'found', record: items[0], freshness: { source: 'live' } })
    const missing = await running.rpc.messages.get({ id: 'no such/id?' })
    expect(missing).toMatchObject({
      outcome: 'not-found',
      record: null,
      problem: { code: 'SERVICE_NOT_FOUND' },
    })
    expect(running.sandbox.requestLog().at(-1)?.path).toContain('no%20such%2Fid%3F')
    expect(await running.rpc.messages.get({ id: '..' })).toMatchObject({
      outcome: 'failed',
      problem: { code: 'INVALID_INPUT' },
    })
  })

  test('show the last answer with its age and the error when the service fails', async () => {
    const { items } = await running.rpc.messages.list({ perPage: 5 })
    const id = items[0]!.id
    const first = await running.rpc.messages.get({ id })
    running.sandbox.setFault('forbidden')
    const last = await running.rpc.messages.get({ id })
    expect(last).toMatchObject({
      outcome: 'last-known',
      record: first.record,
      freshness: { asOf: first.freshness!.asOf, source: 'cache' },
      problem: { code: 'FORBIDDEN' },
    })
    expect(await running.rpc.messages.get({ id: items[1]!.id })).toMatchObject({
      outcome: 'failed',
      record: null,
      problem: { code: 'FORBIDDEN' },
    })
    const list = await running.rpc.messages.list({ perPage: 5 })
    expect(list).toMatchObject({ items, freshness: { source: 'cache', error: { code: 'FORBIDDEN' } } })
  })

  test('are remembered across a restart, newest first, and can be cleared with their answers', async () => {
    const { items } = await running.rpc.messages.list({ perPage: 3 })
    for (const { id } of items) await running.rpc.messages.get({ id })
    await running.rpc.messages.get({ id: items[0]!.id })
    await running.stopCore()
    running = await startCore({ after: running })
    await running.rpc.connections.openSandbox()
    const { lookups } = await running.rpc.messages.recent()
    expect(lookups.map(({ messageId }) => messageId)).toEqual([items[0]!.id, items[2]!.id, items[1]!.id])
    expect(lookups[0]).toMatchObject({ status: items[0]!.status, to: items[0]!.to })
    expect(await running.rpc.messages.forget({ id: items[0]!.id })).toEqual({ forgotten: 1 })
    running.sandbox.setFault('forbidden')
    expect(await running.rpc.messages.get({ id: items[0]!.id })).toMatchObject({ outcome: 'failed' })
    await running.rpc.messages.forget({})
    expect((await running.rpc.messages.recent()).lookups).toEqual([])
  })

  test('show delivery reports beside the record and point out contradictions', async () => {
    running.sandbox.setFault(null)
    const [id] = held()
    await running.rpc.messages.release({ id: id! })
    running.sandbox.tick(120_000)
    // The last report: another one must not arrive during the comparison.
    await expect
      .poll(async () => (await running.rpc.messages.get({ id: id! })).eventStatus, { timeout: 20_000 })
      .toMatch(/^(delivered|failed|expired)$/)
    const detail = await running.rpc.messages.get({ id: id! })
    expect(detail.events[0]!.copies).toHaveLength(detail.events[0]!.event.copies)
    expect(detail.eventStatus).not.toBeNull()
    expect(detail.contradictions).toEqual([])
    const reportsBeyond = async (status: string | null) =>
      (await running.rpc.messages.reportedHere({ answers: [{ id: id!, status }] })).reports
    const said = { id, status: detail.eventStatus, at: expect.stringMatching(/^\d{4}-/) as string }
    expect(await reportsBeyond('pending')).toMatchObject([said])
    expect(await reportsBeyond(null)).toMatchObject([said])
    expect(await reportsBeyond(detail.eventStatus)).toEqual([])
    expect(await running.rpc.messages.reportedHere({ answers: [{ id: 'none', status: 'queued' }] })).toEqual({
      reports: [],
    })
    expect(detail.releases).toMatchObject([{ messageId: id, state: 'released', statusBefore: 'pending' }])
  })

  test('need only an ID: every other field may be missing', async () => {
    const service = await startFixtureService()
    service.on('GET /messages/m-1', json(200, { id: 'm-1', status: 'parked', part_count: '2', extra: {} }))
    service.on('GET /messages', json(200, { data: [{ id: 'm-1' }, { id: 7 }], total: 2 }))
    try {
      await connectTo(service)
      const { record } = await running.rpc.messages.get({ id: 'm-1' })
      expect(record).toMatchObject({ id: 'm-1', status: 'parked', partCount: 2, to: null, costPrice: null })
      const { items } = await running.rpc.messages.list({})
      expect(items.map(({ id, status }) => [id, status])).toEqual([
        ['m-1', null],
        ['7', null],
      ])
    } finally {
      await service.stop()
    }
  })
})

describe('releases', () => {
  test('read a held message, release it once and read it again; a released one sends nothing', async () => {
    const [id] = held()
    const release = await running.rpc.messages.release({ id: id! })
    expect(release).toMatchObject({ state: 'released', statusBefore: 'pending', problem: null })
    expect(release.serviceText).toContain('released')
    expect(held()).not.toContain(id)
    running.sandbox.tick(60_000)
    const again = await running.rpc.messages.release({ id: id! })
    expect(again.state).toBe('not-held')
    expect(releasesAsked()).toHaveLength(1)
  })

  test('happen once for two clicks at once', async () => {
    const [id] = held()
    const both = await Promise.all([
      running.rpc.messages.release({ id: id! }),
      running.rpc.messages.release({ id: id! }),
    ])
    expect(both[0]).toEqual(both[1])
    expect(releasesAsked()).toHaveLength(1)
  })

  test('quote the service for a message that is not held', async () => {
    const service = await startFixtureService()
    service.on('GET /messages/m-1', json(200, { id: 'm-1', status: 'queued' }))
    service.on('POST /messages/m-1/release', json(400, { error: 'the message is not held' }))
    try {
      await connectTo(service)
      expect(await running.rpc.messages.release({ id: 'm-1' })).toMatchObject({
        state: 'refused',
        statusAfter: 'queued',
        serviceText: 'the message is not held',
      })
    } finally {
      await service.stop()
    }
  })

  test('report an unconfirmed outcome, do not repeat it, and warn before the next try', async () => {
    const [id] = held()
    running.sandbox.setFault('reset-after-commit', { method: 'POST', path: '/messages', count: 1 })
    const release = await running.rpc.messages.release({ id: id! })
    expect(release).toMatchObject({ state: 'unknown', problem: { code: 'OUTCOME_UNKNOWN' } })
    expect(releasesAsked()).toHaveLength(1)
    expect((await running.rpc.messages.planRelease({ ids: [id!] })).unknown).toHaveLength(1)
    expect((await running.rpc.messages.get({ id: id! })).releases).toMatchObject([{ state: 'unknown' }])
  })

  test('in bulk run one after another, each with its own result', async () => {
    const ids = held().slice(0, 4)
    const { items } = await running.rpc.messages.list({ perPage: 100 })
    const delivered = items.find(({ status }) => status === 'delivered')!
    const { runId } = await running.rpc.messages.releaseMany({
      ids: [...ids, ids[0]!, delivered.id, 'nobody-knows-it'],
    })
    const run = await endOfRun(runId)
    expect(run.releases.map(({ messageId, state }) => [messageId, state])).toEqual([
      ...ids.map((id) => [id, 'released']),
      [delivered.id, 'not-held'],
      ['nobody-knows-it', 'failed'],
    ])
    expect(run.releases.at(-1)?.problem?.code).toBe('SERVICE_NOT_FOUND')
    expect(releasesAsked()).toHaveLength(4)
    expect(await running.rpc.messages.run({})).toEqual(run)
  })

  test('that are stopped finish the one in flight and list the rest', async () => {
    const ids = held()
    running.sandbox.setFault('slow', { method: 'POST', path: '/messages/', delayMs: 400 })
    const { runId, taskId } = await running.rpc.messages.releaseMany({ ids })
    const run = async () => (await running.rpc.messages.run({ runId }))!
    await expect
      .poll(async () => (await run()).releases.map(({ state }) => state), { timeout: 20_000, interval: 20 })
      .toContain('in-flight')
    await running.rpc.tasks.cancel({ id: taskId })
    const isUnderWay = async () => (await run()).releases.some(({ state }) => state === 'in-flight')
    await expect.poll(isUnderWay, { timeout: 20_000 }).toBe(false)
    const { releases, isRunning } = await run()
    expect(isRunning).toBe(false)
    const waiting = releases.filter(({ state }) => state === 'waiting')
    const released = releases.filter(({ state }) => state === 'released')
    expect(released.length).toBeGreaterThan(0)
    expect(waiting.length).toBeGreaterThan(0)
    expect(waiting.length + released.length).toBe(ids.length)
    expect(held().sort()).toEqual(waiting.map(({ messageId }) => messageId).sort())
    expect(releasesAsked()).toHaveLength(released.length)
  })

  test('stop after three unconfirmed outcomes in a row', async () => {
    const ids = held()
    running.sandbox.setFault('error-500-after-commit', { method: 'POST', path: '/messages/' })
    const { runId } = await running.rpc.messages.releaseMany({ ids })
    const { releases } = await endOfRun(runId)
    expect(releases.map(({ state }) => state)).toEqual([
      ...['unknown', 'unknown', 'unknown'],
      ...ids.slice(3).map(() => 'waiting'),
    ])
    expect(releasesAsked()).toHaveLength(3)
  })

  test('resume after the console ends and send none twice', async () => {
    const ids = held()
    running.sandbox.setFault('slow', { method: 'POST', path: '/messages/', delayMs: 300 })
    const { runId, taskId } = await running.rpc.messages.releaseMany({ ids })
    await expect
      .poll(async () => (await running.rpc.messages.run({ runId }))!.releases[1]!.state, {
        timeout: 20_000,
        interval: 20,
      })
      .not.toBe('waiting')
    await running.stopCore()
    running.sandbox.setFault(null)
    running = await startCore({ after: running })
    await running.rpc.connections.openSandbox()
    const broken = (await running.rpc.messages.run({ runId }))!
    expect(broken.isRunning).toBe(false)
    expect(broken.releases.some(({ state }) => state === 'in-flight')).toBe(false)
    expect(broken.releases.filter(({ state }) => state === 'waiting').length).toBeGreaterThan(0)
    await running.rpc.tasks.resume({ id: taskId })
    const { releases } = await endOfRun(runId)
    expect(releases.every(({ state }) => ['released', 'unknown'].includes(state))).toBe(true)
    const paths = releasesAsked().map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    // The interrupted one may not have reached the service.
    expect(paths.length).toBeGreaterThanOrEqual(ids.length - 1)
  })

  test('stop where nothing can be released and leave the rest', async () => {
    const ids = held()
    running.sandbox.setFault('forbidden', { method: 'POST', path: '/messages' })
    const { runId } = await running.rpc.messages.releaseMany({ ids })
    const { releases } = await endOfRun(runId)
    expect(releases[0]).toMatchObject({ state: 'refused', problem: { code: 'FORBIDDEN' } })
    expect(releases.slice(1).every(({ state }) => state === 'waiting')).toBe(true)
    expect(releasesAsked()).toHaveLength(1)
  })

  test('ask for the connection’s name in production, alone and in bulk', async () => {
    const { connections } = await running.rpc.connections.list()
    await running.rpc.connections.update({
      id: connections[0]!.id,
      name: 'Live',
      colour: 'red',
      production: true,
    })
    const [id] = held()
    await expect(running.rpc.messages.release({ id: id! })).rejects.toMatchObject({
      code: 'CONFIRMATION_MISMATCH',
    })
    await expect(running.rpc.messages.releaseMany({ ids: [id!], confirmName: 'live' })).rejects.toMatchObject(
      { code: 'CONFIRMATION_MISMATCH' },
    )
    expect(releasesAsked()).toHaveLength(0)
    expect((await running.rpc.messages.release({ id: id!, confirmName: 'Live' })).state).toBe('released')
  })
})

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Answer, startAnsweringService, usualAnswer } from '../../../../helpers/answering-service.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { connectTo, restartCore, shareSandbox, startInSandbox } from '../../../../helpers/test-core.ts'

let rpc: RunningCore['rpc']
let sandbox: RunningCore['sandbox']
let messages: RunningCore['rpc']['messages']
const use = (core: Pick<RunningCore, 'rpc' | 'sandbox'>) => {
  ;({ rpc } = core)
  ;({ sandbox } = core)
  ;({ messages } = core.rpc)
}
const held = () => sandbox.tenant().heldMessageIds()
const releasesAsked = () =>
  sandbox
    .requestLog()
    .filter(({ method, path }) => method === 'POST' && /\/messages\/.*\/release$/.test(path))

/** The DNC list of these tests is not synced. */
const unchecked = { uncheckedKnowingly: true }

/** Waits until the newest run has nothing left to start. */
async function endOfRun(runId: string) {
  await expect.poll(async () => (await messages.run({ runId }))?.isRunning, { timeout: 20_000 }).toBe(false)
  return (await messages.run({ runId }))!
}

/** Connects to a service with one message. `release`: how it answers to a release; by default it refuses. `listed`: on its DNC list. */
async function connectToService(record: object, release?: () => Answer, listed = false) {
  const service = await startAnsweringService((asked) => {
    if (asked.path === '/dnc/check') return [200, { is_blocked: listed }]
    if (asked.path === '/messages/m-1/release')
      return release?.() ?? [400, { error: 'the message is not held' }]
    if (asked.path === '/messages/m-1') return [200, record]
    if (asked.path === '/webhooks/subscriptions') return [404, { error: 'not found' }]
    if (asked.path === '/messages') return [200, { data: [{ id: 'm-1' }, { id: 7 }], total: 2 }]
    return usualAnswer(asked)
  })
  onTestFinished(service.stop)
  await connectTo(rpc, service.baseUrl, 'Other')
}

describe('lookups', () => {
  const shared = shareSandbox()
  beforeEach(() => use(shared))
  afterEach(() => shared.sandbox.setFault(null))

  test('show everything the service says of a message and report an unknown ID', async () => {
    const { items } = await messages.list({ perPage: 5 })
    const found = await messages.get({ id: items[0]!.id })
    expect(found).toMatchObject({ outcome: 'found', record: items[0], freshness: { source: 'live' } })
    const missing = { outcome: 'not-found', record: null, problem: { code: 'SERVICE_NOT_FOUND' } }
    expect(await messages.get({ id: 'no such/id?' })).toMatchObject(missing)
    expect(sandbox.requestLog().at(-1)?.path).toContain('no%20such%2Fid%3F')
    const refused = { outcome: 'failed', problem: { code: 'INVALID_INPUT' } }
    expect(await messages.get({ id: '..' })).toMatchObject(refused)
  })

  test('show the last answer with its age and the error when the service fails', async () => {
    const { items } = await messages.list({ perPage: 5 })
    const id = items[0]!.id
    const first = await messages.get({ id })
    sandbox.setFault('forbidden')
    const last = await messages.get({ id })
    expect(last).toMatchObject({
      outcome: 'last-known',
      record: first.record,
      freshness: { asOf: first.freshness!.asOf, source: 'cache' },
      problem: { code: 'FORBIDDEN' },
    })
    const failed = { outcome: 'failed', record: null, problem: { code: 'FORBIDDEN' } }
    expect(await messages.get({ id: items[1]!.id })).toMatchObject(failed)
    const list = await messages.list({ perPage: 5 })
    expect(list).toMatchObject({ items, freshness: { source: 'cache', error: { code: 'FORBIDDEN' } } })
  })

  test('keep their last answer over a restart', async () => {
    const running = await startInSandbox()
    use(running)
    const [message] = (await messages.list({ perPage: 1 })).items
    await messages.get({ id: message!.id })
    use(await restartCore(running))
    sandbox.setFault('forbidden')
    expect(await messages.get({ id: message!.id })).toMatchObject({
      outcome: 'last-known',
      record: { status: message!.status, to: message!.to },
    })
  })

  test('show delivery reports beside the record and point out contradictions', async () => {
    const [id] = held()
    await messages.release({ id: id!, ...unchecked })
    sandbox.tick(120_000)
    // The last report: another one must not arrive during the comparison.
    await expect
      .poll(async () => (await messages.get({ id: id! })).eventStatus, { timeout: 20_000 })
      .toMatch(/^(delivered|failed|expired)$/)
    const detail = await messages.get({ id: id! })
    expect(detail.events[0]!.copies).toHaveLength(detail.events[0]!.event.copies)
    expect(detail.eventStatus).not.toBeNull()
    expect(detail.contradictions).toEqual([])
    const reportsBeyond = async (status: string | null) =>
      (await messages.reportedHere({ answers: [{ id: id!, status }] })).reports
    const said = { id, status: detail.eventStatus, at: expect.stringMatching(/^\d{4}-/) as string }
    expect(await reportsBeyond('pending')).toMatchObject([said])
    expect(await reportsBeyond(null)).toMatchObject([said])
    expect(await reportsBeyond(detail.eventStatus)).toEqual([])
    expect(await messages.reportedHere({ answers: [{ id: 'none', status: 'queued' }] })).toEqual({
      reports: [],
    })
    expect(detail.releases).toMatchObject([{ messageId: id, state: 'released' }])
  })

  test('name the campaign of their batch, with its status, once it was read', async () => {
    const { items } = await rpc.campaigns.list({})
    const campaign = items.find(({ status }) => status === 'running')!
    const known = { id: campaign.id, status: 'running' }
    const list = await messages.list({ perPage: 100 })
    expect(list.campaigns).toContainEqual(known)
    const { id } = list.items.find(({ batchId }) => batchId === campaign.id)!
    expect((await messages.get({ id })).campaign).toEqual(known)
  })

  test('need only an ID: every other field may be missing', async () => {
    await connectToService({ id: 'm-1', status: 'parked', part_count: '2', extra: {} })
    const { record } = await messages.get({ id: 'm-1' })
    expect(record).toMatchObject({ id: 'm-1', status: 'parked', partCount: 2, to: null, costPrice: null })
    expect((await messages.list({})).items).toMatchObject([
      { id: 'm-1', status: null },
      { id: '7', status: null },
    ])
  })
})

describe('releases', () => {
  let running: RunningCore
  beforeEach(async () => use((running = await startInSandbox())))

  test('read a held message, release it once for two clicks, and send nothing for a released one', async () => {
    const [id] = held() as [string]
    const [release, other] = await Promise.all([
      messages.release({ id, ...unchecked }),
      messages.release({ id, ...unchecked }),
    ])
    expect(release).toMatchObject({
      state: 'released',
      problem: null,
      serviceText: expect.stringContaining('released'),
    })
    expect(other).toEqual(release)
    expect(held()).not.toContain(id)
    sandbox.tick(60_000)
    expect((await messages.release({ id, ...unchecked })).state).toBe('not-held')
    expect(releasesAsked()).toHaveLength(1)
  })

  test('skip recipients that mustn’t be contacted, and need a synced DNC list or an explicit choice', async () => {
    const ids = held().slice(0, 3)
    const records = await Promise.all(ids.map(async (id) => (await messages.get({ id })).record!))
    const plan = () => messages.planRelease({ messages: records.map(({ id, to }) => ({ id, to })) })
    await rpc.dnc.hold({ phone: records[0]!.to!, region: null, evidence: 'asked by phone' })
    expect(await plan()).toMatchObject({ dncList: { state: 'never' } })
    for (const act of [() => messages.release({ id: ids[1]! }), () => messages.releaseMany({ ids })])
      await expect(act()).rejects.toMatchObject({ code: 'DNC_LIST_NOT_FRESH' })
    const blocked = { state: 'blocked', problem: { code: 'ON_DNC' } }
    expect(await messages.release({ id: ids[0]!, ...unchecked })).toMatchObject(blocked)
    expect(releasesAsked()).toHaveLength(0)

    await syncDnc(rpc)
    const reason = { key: 'dnc.held', evidence: 'asked by phone' }
    expect(await plan()).toMatchObject({
      blocked: [{ id: ids[0], to: records[0]!.to, reason }],
      withoutNumber: 0,
      dncList: { state: 'fresh' },
    })
    // Without its country code, it may be a number on the list.
    const national = messages.planRelease({ messages: [{ id: ids[1]!, to: '7911123456' }] })
    expect(await national).toMatchObject({ blocked: [], withoutNumber: 1 })
    const gone = { url: 'http://127.0.0.1:9', inbox: 'main' }
    await rpc.listener.setRelay({ mode: 'both', ...gone, token: 't-1' })
    const refused = { code: 'DNC_LIST_NOT_FRESH' }
    await expect(messages.release({ id: ids[1]! })).rejects.toMatchObject(refused)
    const { runId } = await messages.releaseMany({ ids })
    const waits = { code: 'SENDS_WAIT_FOR_INBOUND' }
    await expect.poll(async () => (await messages.run({ runId }))?.waits).toMatchObject(waits)
    expect(releasesAsked()).toHaveLength(0)
    await rpc.listener.setRelay({ mode: 'local', ...gone })
    const { releases } = await endOfRun(runId)
    expect(releases).toMatchObject([blocked, { state: 'released' }, { state: 'released' }])
    expect(releasesAsked()).toHaveLength(2)
  })

  test('ask the service about a single recipient, whom the offline copy may not list yet', async () => {
    await connectToService({ id: 'm-1', status: 'parked', to: '+442079460000' }, undefined, true)
    const blocked = { state: 'blocked', problem: { code: 'ON_DNC' } }
    expect(await messages.release({ id: 'm-1', ...unchecked })).toMatchObject(blocked)
  })

  test('leave a message whose recipient can’t be read, unless a person chose to release it', async () => {
    let asked = 0
    const record = { id: 'm-1', status: 'parked', to: '7911123456' }
    await connectToService(record, () => [200, { message: `accepted ${++asked}` }])
    await syncDnc(rpc)
    const data = { state: { key: 'dnc.noNumber' } }
    expect(await messages.release({ id: 'm-1' })).toMatchObject({
      problem: { code: 'DNC_LIST_NOT_FRESH', data },
    })
    expect(asked).toBe(0)
    await messages.release({ id: 'm-1', ...unchecked })
    expect(asked).toBe(1)
  })

  test('send one request for a message that is released alone and in a run at once', async () => {
    const [id, next] = held() as [string, string]
    const [one, { runId }] = await Promise.all([
      messages.release({ id, ...unchecked }),
      messages.releaseMany({ ids: [id, next], ...unchecked }),
    ])
    const states = (await endOfRun(runId)).releases.map(({ state }) => state)
    expect([one.state, ...states].sort()).toEqual(['not-held', 'released', 'released'])
    expect(releasesAsked()).toHaveLength(2)
  })

  test('report an unconfirmed outcome, do not repeat it, and warn before the next try', async () => {
    const [id] = held()
    sandbox.setFault('reset-after-commit', { method: 'POST', path: '/messages', count: 1 })
    const release = await messages.release({ id: id!, ...unchecked })
    expect(release).toMatchObject({ state: 'unknown', problem: { code: 'OUTCOME_UNKNOWN' } })
    expect(releasesAsked()).toHaveLength(1)
    expect((await messages.planRelease({ messages: [{ id: id!, to: null }] })).unknown).toHaveLength(1)
    expect((await messages.get({ id: id! })).releases).toMatchObject([{ state: 'unknown' }])
  })

  test.each([
    [500, 'queued', 'released', 'queued'],
    [500, 'parked', 'unknown', 'parked'],
    [200, 'parked', 'released', 'parked'],
    // The service did nothing: another request released it.
    [301, 'queued', 'failed', null],
  ])(
    'that are answered with %i and leave the message %s are %s',
    async (answer, after, state, statusAfter) => {
      const record = { id: 'm-1', status: 'parked', to: '+442079460000' }
      await connectToService(record, () => {
        record.status = after
        return [answer, { message: 'accepted' }]
      })
      const release = await messages.release({ id: 'm-1', ...unchecked })
      expect(release).toMatchObject({ state, statusAfter })
    },
  )

  test('in bulk run one after another, each with its own result', async () => {
    const ids = held().slice(0, 4)
    const { items } = await messages.list({ perPage: 100 })
    const delivered = items.find(({ status }) => status === 'delivered')!
    const { runId } = await messages.releaseMany({
      ids: [...ids, ids[0]!, delivered.id, 'nobody-knows-it'],
      ...unchecked,
    })
    const run = await endOfRun(runId)
    expect(run.releases.map(({ messageId, state }) => [messageId, state])).toEqual([
      ...ids.map((id) => [id, 'released']),
      [delivered.id, 'not-held'],
      ['nobody-knows-it', 'failed'],
    ])
    expect(run.releases.at(-1)?.problem?.code).toBe('SERVICE_NOT_FOUND')
    expect(releasesAsked()).toHaveLength(4)
    expect(await messages.run({})).toEqual(run)
  })

  test('that are stopped finish the one in flight and list the rest', async () => {
    const ids = held()
    sandbox.setFault('slow', { method: 'POST', path: '/messages/', delayMs: 400 })
    const { runId, taskId } = await messages.releaseMany({ ids, ...unchecked })
    const run = async () => (await messages.run({ runId }))!
    await expect
      .poll(async () => (await run()).releases.map(({ state }) => state), { timeout: 20_000, interval: 20 })
      .toContain('in-flight')
    await rpc.tasks.cancel({ id: taskId })
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

  test.each([
    ['after three unconfirmed outcomes in a row', 'error-500-after-commit', 3, 'unknown', 'OUTCOME_UNKNOWN'],
    ['where nothing can be released', 'forbidden', 1, 'refused', 'FORBIDDEN'],
  ] as const)('stop %s and leave the rest', async (_when, fault, count, state, code) => {
    const ids = held()
    sandbox.setFault(fault, { method: 'POST', path: '/messages/' })
    const { runId } = await messages.releaseMany({ ids, ...unchecked })
    const { releases } = await endOfRun(runId)
    expect(releases).toMatchObject(
      ids.map((_id, at) => (at < count ? { state, problem: { code } } : { state: 'waiting' })),
    )
    expect(releasesAsked()).toHaveLength(count)
  })

  test('resume after the console ends and send none twice', async () => {
    const ids = held()
    sandbox.setFault('slow', { method: 'POST', path: '/messages/', delayMs: 300 })
    const { runId, taskId } = await messages.releaseMany({ ids, ...unchecked })
    await expect
      .poll(async () => (await messages.run({ runId }))!.releases[1]!.state, {
        timeout: 20_000,
        interval: 20,
      })
      .not.toBe('waiting')
    use(await restartCore(running))
    sandbox.setFault(null)
    const broken = (await messages.run({ runId }))!
    expect(broken.isRunning).toBe(false)
    expect(broken.releases.some(({ state }) => state === 'in-flight')).toBe(false)
    expect(broken.releases.filter(({ state }) => state === 'waiting').length).toBeGreaterThan(0)
    await rpc.tasks.resume({ id: taskId })
    const { releases } = await endOfRun(runId)
    expect(releases.every(({ state }) => ['released', 'unknown'].includes(state))).toBe(true)
    const paths = releasesAsked().map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    // The interrupted one may not have reached the service.
    expect(paths.length).toBeGreaterThanOrEqual(ids.length - 1)
  })

  test('ask for the connection’s name in production, alone and in bulk', async () => {
    const { connections } = rpc
    const [connection] = (await connections.list()).connections
    await connections.update({ id: connection!.id, name: 'Live', colour: 'red', production: true })
    const [id] = held() as [string]
    for (const act of [
      () => messages.release({ id, ...unchecked }),
      () => messages.releaseMany({ ids: [id], confirmName: 'live', ...unchecked }),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
    expect(releasesAsked()).toEqual([])
    expect((await messages.release({ id, confirmName: 'Live', ...unchecked })).state).toBe('released')
  })
})

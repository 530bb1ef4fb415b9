import Sqlite from 'better-sqlite3'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { sendTo } from '../../../../helpers/bulk-sends.ts'
import { ambiguousFates } from '../../../../helpers/contact-service.ts'
import { openAtOttService } from '../../../../helpers/ott-service.ts'
import { canMount, fillDisk, moveToSmallDisk } from '../../../../helpers/small-disk.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { startAlone } from './outbox-alone.ts'
import { type OutboxUnderTest, startOutbox } from './outbox-fixture.ts'
import { phoneOf } from './outbox-items.ts'

const creations = ({ service }: Pick<OutboxUnderTest, 'service'>) =>
  service.requests.filter(({ method }) => method === 'POST')

describe('a creation with an unconfirmed outcome', () => {
  test('is unconfirmed after any fault, and never retried automatically', async () => {
    const first = await startOutbox()
    const faults = ambiguousFates.filter((fate) => fate !== 'hang')
    const ids = await first.add(faults.length)
    for (const [at, fate] of faults.entries()) {
      first.service.fate = () => fate
      await first.push([ids[at]!])
      await first.until(({ counts }) => counts.unknown === at + 1)
    }
    first.service.fate = () => 'done'
    await first.push(ids)
    await first.rpc.outbox.retryRejected({ selection: { filter: {} } })
    await first.rpc.outbox.pause()
    await first.rpc.outbox.resume()
    const second = await first.restart()
    await second.push(ids)
    await second.push(await second.add(1, faults.length))
    await second.until(({ counts }) => counts.done === 1)
    expect(creations(second).map(({ phone }) => phone)).toEqual(
      [...faults, 'done'].map((_, at) => phoneOf(at)),
    )
    const [last, ...unconfirmed] = (await second.items()).toReversed()
    expect(last).toMatchObject({ state: 'done' })
    for (const item of unconfirmed)
      expect(item).toMatchObject({ state: 'unknown', problem: { code: 'OUTCOME_UNKNOWN' }, attempts: 1 })
    expect((await second.contacts()).map(({ state }) => state)).toEqual([
      ...faults.map(() => 'unknown'),
      'service',
    ])
  })

  test('is resolved one by one: done, resent or discarded', async () => {
    const { rpc, service, add, push, until, allOver, items, contacts, skip } = await startOutbox()
    service.fate = ({ phone }) => (phone === phoneOf(1) ? 'reset-before' : 'reset-after')
    const ids = await add(3)
    await push(ids)
    await until(({ counts }) => counts.unknown === 3)
    service.fate = () => 'done'
    const [there, lost, givenUp] = await items()
    const serviceId = [...service.living].find(([, { phone }]) => phone === there!.phone)![0]
    const settle = (id: number, how: 'mark-done' | 'send-again' | 'discard', found?: string) =>
      rpc.outbox.resolve({
        selection: { ids: [id] },
        how,
        ...(found === undefined ? {} : { serviceId: found }),
      })
    expect(await settle(there!.id, 'mark-done', serviceId)).toEqual({ resolved: 1, left: 0, blocked: 0 })
    expect(await settle(there!.id, 'discard')).toEqual({ resolved: 0, left: 1, blocked: 0 })
    await settle(lost!.id, 'send-again')
    await settle(givenUp!.id, 'discard')
    const ends = { done: 2, 'sent-again': 1, discarded: 1, cancelled: 0 }
    expect((await allOver()).counts).toMatchObject(ends)
    expect((await rpc.outbox.batches({})).items[1]!.counts).toMatchObject({ ...ends, done: 1 })
    expect(await items({ states: ['sent-again'] })).toMatchObject([{ id: lost!.id }])
    expect((await items()).map(({ state, resolution }) => [state, resolution])).toEqual([
      ['done', 'marked-done'],
      ['cancelled', 'sent-again'],
      ['cancelled', 'discarded'],
      ['done', null],
    ])
    expect((await contacts()).map(({ state }) => state)).toEqual(['service', 'service', 'discarded'])
    expect(service.requests).toHaveLength(4)
    // A deletion uses the ID that was found.
    await rpc.contacts.delete({ selection: { ids: [ids[0]!] } })
    skip(20_000)
    await allOver()
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', id: serviceId })
  })

  test('is resolved in bulk, without touching other requests', async () => {
    const { rpc, service, add, push, until, allOver, items } = await startOutbox({ production: true })
    service.fate = ({ count }) => (count % 2 === 0 ? 'failed-before' : 'done')
    await push(await add(30))
    await until(({ counts }) => counts.done + counts.unknown === 30)
    const { counts } = await allOver()
    service.fate = () => 'done'
    const all = { selection: { filter: {} }, how: 'send-again' as const }
    await expect(rpc.outbox.resolve(all)).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
    const [held] = await items({ states: ['unknown'] })
    await rpc.dnc.hold({ phone: held!.phone, region: 'US', evidence: 'asked' })
    expect(await rpc.outbox.resolve({ ...all, confirmName: 'Test' })).toEqual({
      resolved: counts.unknown - 1,
      left: counts.done,
      blocked: 1,
    })
    expect((await rpc.outbox.batches({})).items[0]!.title).toMatchObject({
      key: 'batch.resentOf',
      batch: { key: 'batch.push' },
    })
    await allOver()
    expect([...service.made.values()]).toEqual(Array(29).fill(1))
  })
})

/** Queues creations of these contacts, one batch each. */
function queue({ outbox }: Pick<ReturnType<typeof startAlone>, 'outbox'>, ...names: string[]) {
  for (const [at, name] of names.entries()) {
    const { batchId } = outbox.begin({ kind: 'push', title: name })
    const phone = phoneOf(at + 1)
    const body = { name, phone, email: '', tags: {} }
    const ids = { contactId: null, serviceId: null, afterId: null }
    outbox.add(batchId, [{ operation: 'create-contact', name, phone, body, ...ids }])
    outbox.go()
  }
}

test('sends nothing after an unconfirmed request until the service answers a read', async () => {
  const answer = () => Promise.resolve(new Response('', { status: 502 }))
  let read = answer
  const alone = startAlone(join(tempFolder(), 'state.db'), { answer, read: () => read() })
  queue(alone, 'Ada', 'Grace', 'Edith')
  await alone.clock.advance(10 * 60_000)
  expect(alone.outbox.drain()).toMatchObject({ state: 'offline', counts: { unknown: 1, queued: 2 } })
  expect(alone.sent).toHaveLength(1)
  read = () => Promise.resolve(Response.json({ data: [], total: 0 }))
  await alone.clock.advance(61_000)
  expect(alone.sent).toHaveLength(2)
})

test.each([
  ['the same text', 'la plantilla no está activa', 'stopped', 4],
  ['texts that name a number', 'to: unknown number ', 'idle', 8],
])('after %s for one recipient after the other it is %s', async (what, error, state, rejected) => {
  const alone = startAlone(join(tempFolder(), 'state.db'), {
    answer() {
      const number = what === 'the same text' ? '' : String(alone.sent.length)
      return Promise.resolve(Response.json({ error: error + number }, { status: 422 }))
    },
  })
  queue(alone, ...'abcdefgh')
  await alone.clock.advance(30_000)
  expect(alone.outbox.drain()).toMatchObject({ state, counts: { rejected, queued: 8 - rejected } })
  alone.outbox.resume()
  await alone.clock.advance(30_000)
  expect(alone.outbox.drain()).toMatchObject({ state: 'idle', counts: { rejected: 8 } })
})

test('a resume accepts only the rejection that stopped the outbox, until a request is done', async () => {
  const rejected = () => Response.json({ error: 'template is disabled' }, { status: 422 })
  let answer = rejected
  const alone = startAlone(join(tempFolder(), 'state.db'), { answer: () => Promise.resolve(answer()) })
  const after = async (names: string) => {
    queue(alone, ...names)
    await alone.clock.advance(30_000)
    return alone.outbox.drain().state
  }
  expect(await after('abcd')).toBe('idle')
  answer = () => new Response('', { status: 502 })
  await after('e')
  answer = rejected
  alone.outbox.resume()
  expect(await after('fg')).toBe('stopped')
  alone.outbox.resume()
  expect(await after('hijklm')).toBe('idle')
  answer = () => Response.json({ id: 'c-1' })
  expect(await after('n')).toBe('idle')
  answer = rejected
  expect(await after('opqrs')).toBe('stopped')
})

test('sends one request after the other once a rejection may be about all', async () => {
  const { rpc, service } = await openAtOttService()
  service.fate = () => sleep(20, 'rejected' as const)
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  await rpc.outbox.pause()
  for (let n = 10; n < 20; n++) await sendTo(rpc, { key, to: `+49309018200${n}` })
  await rpc.outbox.resume()
  for await (const { state } of await rpc.outbox.watch()) if (state === 'stopped') break
  expect(service.requests).toHaveLength(5)
})

describe('the end of the console', () => {
  /** The profile as a crash leaves it, without a clean shutdown. */
  function crashed(first: Awaited<ReturnType<typeof startOutbox>>) {
    const copy = join(tempFolder(), 'copy')
    cpSync(first.running.dataDir, copy, { recursive: true })
    first.service.fate = () => 'done'
    return first.restart(copy)
  }

  test('leaves a creation in flight unconfirmed and never resends it', async () => {
    const first = await startOutbox()
    first.service.fate = () => 'hang'
    await first.push(await first.add(1))
    await first.until(({ counts }) => counts['in-flight'] === 1)
    const second = await crashed(first)
    await second.until(({ counts }) => counts.unknown === 1)
    expect(await second.items()).toMatchObject([{ state: 'unknown', problem: { code: 'CRASHED_IN_FLIGHT' } }])
    expect(second.service.requests).toHaveLength(1)
    expect(await second.contacts()).toMatchObject([{ phone: phoneOf(0), state: 'unknown' }])
  })

  test('resends a deletion in flight at the next start', async () => {
    const first = await startOutbox()
    const ids = await first.pushed(1)
    first.service.fate = () => 'hang'
    await first.rpc.contacts.delete({ selection: { ids } })
    first.skip(20_000)
    await first.until(({ counts }) => counts['in-flight'] === 1)
    const second = await crashed(first)
    await second.until(({ counts }) => counts.done === 2)
    expect((await second.items())[1]).toMatchObject({ state: 'done', attempts: 2 })
    expect(second.service.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'DELETE'])
    expect(await second.contacts()).toEqual([])
  })

  test('gives requests in flight a moment when it is orderly', async () => {
    const first = await startOutbox()
    first.service.latencyMs = () => 60
    await first.push(await first.add(12))
    await first.until(({ counts }) => counts['in-flight'] > 0)
    const second = await first.restart()
    expect((await second.allOver()).counts).toMatchObject({ done: 12, unknown: 0 })
    expect(creations(second)).toHaveLength(12)
  })
})

describe('the sign-in', () => {
  test('ending stops the queue and keeps it until the same user signs in', async () => {
    const { rpc, service, connectionId, add, push, until, allOver } = await startOutbox({
      credential: 'password',
    })
    const ids = await add(20)
    service.fate = ({ count }) => {
      if (count === 4) {
        service.expireTokens()
        service.refreshStatus = 401
      }
      return 'done'
    }
    service.latencyMs = () => 5
    await push(ids)
    const stopped = await until(({ state }) => state === 'signed-out')
    expect(stopped.problem).toMatchObject({ code: 'SESSION_EXPIRED' })
    expect(stopped.counts).toMatchObject({ rejected: 0, unknown: 0 })
    service.refreshStatus = 200
    await rpc.connections.connect({
      id: connectionId,
      name: 'Test',
      baseUrl: service.baseUrl,
      colour: 'blue',
      production: false,
      credential: { kind: 'password', username: 'ana', password: 'secret' },
    })
    expect((await allOver()).counts).toMatchObject({ done: 20, unknown: 0 })
    expect([...service.made.values()]).toEqual(Array(20).fill(1))
  })

  test('is not judged by a web page with 403, which stops the queue at once', async () => {
    const page = new Response('<html>', { status: 403, headers: { 'content-type': 'text/html' } })
    const alone = startAlone(join(tempFolder(), 'state.db'), { answer: () => Promise.resolve(page) })
    queue(alone, 'Ada')
    await expect.poll(() => alone.outbox.drain()).toMatchObject({ state: 'stopped', counts: { queued: 1 } })
  })

  test('without permission sets one request aside, and stops the queue at the third in a row', async () => {
    const { rpc, service, add, push, until, allOver } = await startOutbox()
    service.fate = () => 'forbidden'
    await push(await add(30))
    const stopped = await until(({ state }) => state === 'stopped')
    expect(stopped).toMatchObject({ problem: { code: 'FORBIDDEN' }, counts: { rejected: 2, unknown: 0 } })
    expect(JSON.stringify(stopped.problem)).toContain('contacts:write is missing')
    await until(({ counts }) => counts.queued === 28)
    // One after the other.
    expect(service.requests).toHaveLength(3)
    await push(await add(1, 30))
    await until(({ counts }) => counts.queued === 29)
    service.fate = () => 'done'
    await rpc.outbox.resume()
    expect((await allOver()).counts.done).toBe(29)
    // One each: none was sent while the queue was stopped.
    expect(service.requests).toHaveLength(3 + 29)
    service.fate = ({ phone }) => (phone === phoneOf(31) ? 'forbidden' : 'done')
    await push(await add(2, 31))
    expect((await allOver()).counts).toMatchObject({ rejected: 3, done: 30 })
    await rpc.outbox.retryRejected({ selection: { filter: {} } })
    expect((await allOver()).counts).toMatchObject({ done: 32, rejected: 1 })
  })
})

describe('the network', () => {
  test('that answers again is used at once, but not after an unconfirmed request', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
    let answer: () => Promise<Response> = refused
    const alone = startAlone(join(tempFolder(), 'state.db'), { answer: () => answer() })
    const { outbox, network, clock, sent } = alone
    queue(alone, 'Ada')
    await clock.advance(5 * 60_000)
    expect(outbox.drain()).toMatchObject({ state: 'offline', counts: { queued: 1 } })
    answer = () => Promise.resolve(Response.json({ id: 'c-1' }))
    network.answered()
    await expect.poll(() => outbox.drain()).toMatchObject({ state: 'idle', counts: { done: 1 } })

    answer = () => Promise.resolve(new Response('<html>', { headers: { 'content-type': 'text/html' } }))
    queue(alone, 'Grace')
    await clock.advance(1_500)
    // One among many answers is no reason to say that sending waits.
    expect(outbox.drain()).toMatchObject({ state: 'idle', problem: null, counts: { unknown: 1 } })
    queue(alone, 'Edith')
    const requests = sent.length
    network.failed(new AppError('SERVICE_UNREACHABLE'))
    network.answered()
    expect(outbox.drain()).toMatchObject({ state: 'sending', counts: { queued: 1 } })
    expect(sent).toHaveLength(requests)
  })

  test('answering with a web page stops after a few requests, since each may have been done', async () => {
    const { service, add, push, until } = await startOutbox()
    service.fate = () => 'page'
    service.latencyMs = () => 5
    await push(await add(60))
    const paused = await until(({ state }) => state === 'offline')
    // At most those that were in flight together.
    expect(paused.counts.unknown + paused.counts['in-flight']).toBeLessThanOrEqual(16)
    expect(paused.counts).toMatchObject({ done: 0, rejected: 0 })
  })
})

describe('a database that cannot be written', () => {
  const stateFile = ({ running, connectionId }: OutboxUnderTest) =>
    join(running.dataDir, 'connections', connectionId, 'state.db')

  test('stores an answer’s outcome later', async () => {
    const outbox = await startOutbox()
    const { service, add, push, until, allOver, contacts } = outbox
    const other = new Sqlite(stateFile(outbox))
    other.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON outbox WHEN new.state IN ('done', 'unknown')
      BEGIN SELECT RAISE(ABORT, 'refused for the test'); END`)
    await push(await add(3))
    expect(await until(({ state }) => state === 'stopped')).toMatchObject({
      problem: { code: 'STORAGE_FAILED' },
      counts: { done: 0, unknown: 0, rejected: 0 },
    })
    other.exec('DROP TRIGGER refuse')
    other.close()
    expect((await allOver()).counts).toMatchObject({ done: 3, unknown: 0 })
    expect(service.requests).toHaveLength(3)
    expect((await contacts()).map(({ serviceId }) => serviceId)).toEqual([...service.living.keys()])
  })

  test.runIf(canMount)('sends nothing: a full disk rejects new requests', async () => {
    const disk = tempFolder()
    expect(moveToSmallDisk(disk, '12m')).toBe(true)
    const dataDir = join(disk, 'data')
    mkdirSync(dataDir)
    const { rpc, service, add, push, until, allOver } = await startOutbox({ dataDir })
    await rpc.outbox.pause()
    await push(await add(40))
    const ballast = join(dataDir, 'ballast')
    fillDisk(ballast)
    // Changing the switch may fail too, with this error only.
    const resumed = await rpc.outbox.resume().catch((error: { code: string }) => error)
    if ('code' in resumed) expect(resumed.code).toBe('DISK_FULL')
    else
      expect(await until(({ state }) => state === 'stopped')).toMatchObject({
        problem: { code: 'DISK_FULL' },
        counts: { queued: 40, rejected: 0 },
      })
    expect(service.requests).toEqual([])
    rmSync(ballast)
    await rpc.outbox.resume()
    expect((await allOver()).counts).toMatchObject({ done: 40, rejected: 0, unknown: 0 })
    expect(service.requests).toHaveLength(40)
  })
})

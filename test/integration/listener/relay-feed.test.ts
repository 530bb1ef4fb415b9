import Sqlite from 'better-sqlite3'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrate } from '#electron/database/migrate.ts'
import { migrations } from '#electron/database/migrations/journal.ts'
import { openJournal } from '#electron/listener/journal.ts'
import type { ListenerStart } from '#electron/listener/protocol.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import {
  dlr,
  readJournal,
  type RunningListener,
  sign,
  startListener,
  testSecret,
} from '../../helpers/listener.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { post, postMany, runRelay, testInbox } from '../../helpers/relay.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const hourMs = 3_600_000

type Relay = Awaited<ReturnType<typeof runRelay>>

const feedOf = ({ url, token }: Pick<Relay, 'url' | 'token'>) => ({ url, token, inbox: 'main' })

/** A listener without a port that reads the relay. */
const reading = (relay: Relay, more: Partial<ListenerStart> = {}) =>
  startListener({ noPort: true, relay: feedOf(relay), ...more })

const idsOf = (rows: readonly { body: Buffer }[]) =>
  rows.map(({ body }) => (JSON.parse(String(body)) as { message_id: string }).message_id)
const stored = (running: RunningListener) => expect.poll(() => idsOf(running.rows()))
const numbered = (prefix: string, count: number, from = 0) =>
  Array.from({ length: count }, (_one, at) => `${prefix}${at + from}`)

const openFile = (file: string) => openJournal({ file, log: quietLog, now: Date.now })

const relaysIn = (file: string) => readJournal(file, (reader) => reader.relays())

/** A folder of a relay whose inbox holds `count` signed deliveries. */
function filledRelay(count: number): string {
  const dataDir = join(tempFolder(), 'relay')
  mkdirSync(join(dataDir, 'inboxes', 'main'), { recursive: true, mode: 0o700 })
  const journal = openFile(join(dataDir, 'inboxes', 'main', 'journal.db'))
  journal.append(
    numbered('m', count).map((id) => ({
      receivedMs: 1_700_000_000_000,
      verdict: 'signed',
      secretId: 'secret-1',
      remote: '127.0.0.1',
      headersJson: JSON.stringify([['x-webhook-signature', sign(dlr(id))]]),
      body: Buffer.from(dlr(id)),
    })),
  )
  journal.close()
  return dataDir
}

test('keeps the relay’s time of arrival and omits the signature', async () => {
  const relay = await runRelay({ dataDir: filledRelay(1) })
  const running = await reading(relay)
  await stored(running).toEqual(['m0'])
  expect(running.rows()[0]).toMatchObject({
    receivedMs: 1_700_000_000_000,
    verdict: 'signed',
    secretId: 'first',
    remote: '127.0.0.1',
    headersJson: '[]',
  })
})

test('stores each event of a list that a relay holds as one delivery', async () => {
  const relay = await runRelay()
  const running = await reading(relay)
  await post(`${relay.url}/webhooks`, `[${dlr('m0')},${dlr('m1')}]`)
  await post(`${relay.url}/webhooks`, dlr('m2'))
  await expect
    .poll(() => running.rows().map(({ body }) => String(body)))
    .toEqual([`[${dlr('m0')}]`, `[${dlr('m1')}]`, dlr('m2')])
  expect(running.rows().map(({ seq }) => seq)).toEqual([1, 2, 3])
})

test('records deliveries that a relay dropped again after a repair of the journal', () => {
  const file = join(tempFolder(), 'journal.db')
  const lost = { fromMs: 1, toMs: 2 }
  const before = openFile(file)
  before.useRelay('r', 3, 1)
  before.loseAtRelay({ relayId: 'r', seq: 7 }, lost)
  before.close()
  // A repair forgets how far relays were read.
  const db = new Sqlite(file)
  db.exec('UPDATE relay_positions SET seq = -1')
  db.close()
  const after = openFile(file)
  after.useRelay('r', 3, 2)
  after.loseAtRelay({ relayId: 'r', seq: 7 }, lost)
  after.close()
  expect(relaysIn(file).losses).toEqual([lost])
})

test('keeps the newest 5,000 listening periods of relays', () => {
  const file = join(tempFolder(), 'journal.db')
  const journal = openFile(file)
  journal.useRelay('r', 0, 0)
  for (let part = 0; part < 6; part++)
    journal.recordRelayPeriods(
      'r',
      Array.from({ length: 1_000 }, (_one, at) => {
        const id = part * 1_000 + at
        return { id, startedMs: id * 10, aliveMs: id * 10 + 5, endedMs: id * 10 + 5 }
      }),
    )
  journal.close()
  const { periods } = relaysIn(file)
  expect(periods).toHaveLength(5_000)
  expect([periods[0]!.startedMs, periods.at(-1)!.startedMs]).toEqual([10_000, 59_990])
})

test('stays unreachable while it retries', async () => {
  const clock = createFakeClock()
  const relay = { url: 'http://127.0.0.1:1', token: 't', inbox: 'main' }
  const { listener, relayStates } = await startListener({ noPort: true, relay }, clock)
  const isUnreachable = async () => {
    await clock.advance(1_000)
    return relayStates.at(-1)?.state === 'unreachable'
  }
  await expect.poll(isUnreachable).toBe(true)
  const before = relayStates.length
  listener.retryRelay()
  await expect.poll(isUnreachable).toBe(true)
  expect(relayStates.slice(before).map(({ state }) => state)).not.toContain('connecting')
})

test('opens a journal from before relays were read', async () => {
  const journalFile = join(tempFolder(), 'journal.db')
  const older = new Sqlite(journalFile)
  older.pragma('journal_mode = WAL')
  migrate(older, migrations, 1)
  older
    .prepare('INSERT INTO deliveries VALUES (1, 1, ?, NULL, ?, ?, ?)')
    .run('signed', '127.0.0.1', '[]', Buffer.from(dlr('old')))
  expect(relaysIn(journalFile)).toEqual({ periods: [], losses: [] })
  older.close()
  const relay = await runRelay()
  await postMany(relay.url, 1)
  const running = await reading(relay, { journalFile })
  await stored(running).toEqual(['old', 'm0'])
})

test('stores each delivery once over kills in the middle of a catch-up', async () => {
  const count = 5_000
  const relay = await runRelay({ dataDir: filledRelay(count) })
  const journalFile = join(tempFolder(), 'journal.db')
  for (let kill = 0; kill < 3; kill++) {
    const file = join(import.meta.dirname, 'relay-reading-process.ts')
    const child = fork(file, [journalFile, relay.url, relay.token], { stdio: 'ignore' })
    await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (kill === 0) expect(readJournal(journalFile, (reader) => reader.lastSeq())).toBeLessThan(count)
  }
  const running = await reading(relay, { journalFile })
  await expect.poll(() => running.rows().length).toBe(count)
  expect(idsOf(running.rows())).toEqual(numbered('m', count))
})

test('reads again what a restored older journal lost', async () => {
  const relay = await runRelay()
  const journalFile = join(tempFolder(), 'journal.db')
  await postMany(relay.url, 4)
  const first = await reading(relay, { journalFile })
  await stored(first).toEqual(numbered('m', 4))
  await first.listener.stop()
  copyFileSync(journalFile, `${journalFile}.older`)

  await postMany(relay.url, 6, 'n')
  const second = await reading(relay, { journalFile })
  await stored(second).toEqual([...numbered('m', 4), ...numbered('n', 6)])
  await second.listener.stop()
  for (const suffix of ['-wal', '-shm']) rmSync(journalFile + suffix, { force: true })
  copyFileSync(`${journalFile}.older`, journalFile)

  const third = await reading(relay, { journalFile })
  await stored(third).toEqual([...numbered('m', 4), ...numbered('n', 6)])
})

test('starts over at another relay and continues when it returns to the first', async () => {
  const [one, other] = [await runRelay(), await runRelay()]
  await postMany(one.url, 2, 'a')
  await postMany(other.url, 2, 'b')
  const running = await reading(one)
  await stored(running).toEqual(['a0', 'a1'])
  running.listener.setRelay(feedOf(other))
  await stored(running).toEqual(['a0', 'a1', 'b0', 'b1'])
  await postMany(one.url, 1, 'c')
  running.listener.setRelay(feedOf(one))
  await stored(running).toEqual(['a0', 'a1', 'b0', 'b1', 'c0'])
})

test('leaves unchecked deliveries at the relay until it has a secret', async () => {
  const relay = await runRelay()
  await postMany(relay.url, 2)
  const running = await reading(relay, { secrets: [] })
  await expect.poll(() => running.relayStates.at(-1)).toMatchObject({ state: 'connected', behind: 2 })
  expect(running.rows()).toEqual([])
  running.listener.setSecrets([{ id: 'first', label: 'First', value: testSecret }])
  await stored(running).toEqual(['m0', 'm1'])
})

test('stores unsigned deliveries only when that is allowed and no secret is set', async () => {
  const relay = await runRelay({ inboxes: [{ ...testInbox, secrets: [] }] })
  const url = `${relay.url}/webhooks`
  await fetch(url, { method: 'POST', body: dlr('bare') })
  const open = await reading(relay, { secrets: [], allowUnsigned: true })
  await stored(open).toEqual(['bare'])
  expect(open.rows()[0]).toMatchObject({ verdict: 'unsigned', secretId: null })
  open.listener.setSecrets([{ id: 'first', label: 'First', value: testSecret }])
  await fetch(url, { method: 'POST', body: dlr('later') })
  await expect.poll(() => open.relayStates.at(-1)).toMatchObject({ refusedSignatures: 1, behind: 0 })
  expect(open.listener.refusals()).toMatchObject([{ reason: 'signature-missing' }])
  await stored(open).toEqual(['bare'])
})

test('accepts a secret until it retires by this computer’s time, if the relay’s clock is ahead', async () => {
  const nowMs = Date.now()
  const relay = await runRelay({}, undefined, { ...systemClock, now: () => Date.now() + 2 * hourMs })
  await postMany(relay.url, 1)
  const secret = { id: 'first', label: 'First', value: testSecret, retireAtMs: nowMs + hourMs }
  await stored(await reading(relay, { secrets: [secret] })).toEqual(['m0'])
})

test('stops accepting a retired secret, whenever the relay says a delivery arrived', async () => {
  const nowMs = Date.now()
  const clock = { ...systemClock, now: () => Date.now() - 72 * hourMs }
  const relay = await runRelay({ inboxes: [{ ...testInbox, secrets: [] }] }, undefined, clock)
  const deliver = (id: string, secret: string) =>
    post(`${relay.url}/webhooks`, dlr(id), { 'x-webhook-signature': sign(dlr(id), secret) })
  const journalFile = join(tempFolder(), 'journal.db')
  const secrets = [
    { id: 'first', label: 'First', value: testSecret },
    { id: 'old', label: 'Old', value: 'old', retireAtMs: nowMs - 48 * hourMs },
  ]
  // They may have waited for this computer since then.
  await deliver('waited', 'old')
  const first = await reading(relay, { journalFile, secrets })
  await stored(first).toEqual(['waited'])
  await deliver('forged', 'old')
  await expect.poll(() => first.relayStates.at(-1)).toMatchObject({ refusedSignatures: 1, behind: 0 })
  expect(first.listener.refusals()).toMatchObject([{ reason: 'signature-mismatch' }])
  await first.listener.stop()
  await deliver('forged again', 'old')
  await deliver('genuine', testSecret)
  await stored(await reading(relay, { journalFile, secrets })).toEqual(['waited', 'genuine'])
})

test.each([
  [89, ['old', 'genuine']],
  [91, ['genuine']],
])('takes deliveries that waited since before a secret retired %j days ago: %j', async (days, taken) => {
  const retireAtMs = Date.now() - days * 24 * hourMs
  const clock = { ...systemClock, now: () => retireAtMs - hourMs }
  const relay = await runRelay({ inboxes: [{ ...testInbox, secrets: [] }] }, undefined, clock)
  for (const [id, secret] of [
    ['old', 'old'],
    ['genuine', testSecret],
  ] as const)
    await post(`${relay.url}/webhooks`, dlr(id), { 'x-webhook-signature': sign(dlr(id), secret) })
  const secrets = [
    { id: 'first', label: 'First', value: testSecret },
    { id: 'old', label: 'Old', value: 'old', retireAtMs },
  ]
  await stored(await reading(relay, { secrets })).toEqual(taken)
})

test('records when the relay listened, and what it dropped unread', async () => {
  const relay = await runRelay()
  const journalFile = join(tempFolder(), 'journal.db')
  await postMany(relay.url, 2)
  const first = await reading(relay, { journalFile })
  await stored(first).toEqual(['m0', 'm1'])
  await first.listener.stop()
  await postMany(relay.url, 4, 'n')
  await relay.stop()

  const inbox = openFile(join(relay.dataDir, 'inboxes', 'main', 'journal.db'))
  inbox.prune({ afterSeq: 0, upToSeq: 4, beforeMs: Infinity, keep: [] })
  inbox.close()
  const pruned = await runRelay({ dataDir: relay.dataDir }, relay.token)
  const second = await reading(pruned, { journalFile })
  await stored(second).toEqual(['m0', 'm1', 'n2', 'n3'])
  const [, lastRead, afterLoss] = second.rows()
  const { periods, losses } = relaysIn(journalFile)
  expect(losses).toEqual([{ fromMs: lastRead!.receivedMs, toMs: afterLoss!.receivedMs }])
  expect(periods.map(({ endedMs }) => endedMs === null)).toEqual([false, true])
})

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Replay } from '#contract/replay.ts'
import { download, ended, upload } from '../../helpers/contact-files.ts'
import { deliverSigned } from '../../helpers/signed-delivery.ts'
import { iso, recordingOf, report } from '../../helpers/signed-recording.ts'
import { type RunningCore, startCore } from '../../helpers/start-core.ts'

const secret = 'a-secret-of-the-service'

let running: RunningCore
beforeAll(async () => {
  running = await startCore({})
  await running.rpc.connections.openSandbox()
})
afterAll(() => running.stop())

async function load(content: string) {
  const { rpc } = running
  const fileId = await upload(rpc, 'recording.ndjson', content)
  let last
  for await (const step of await rpc.replay.load({ fileId, speed: 'max' })) last = step
  return last!
}

async function loaded(content: string): Promise<Replay> {
  const step = await load(content)
  if (step.kind !== 'started') throw new Error(JSON.stringify(step))
  for await (const { replay } of await running.rpc.replay.state()) if (replay?.atEnd) return replay
  throw new Error('the replay ended')
}

const storedTotal = async () => (await running.rpc.events.search({ filter: {}, limit: 10 })).storedTotal

function leftFolders(): string[] {
  const [connection] = readdirSync(join(running.dataDir, 'connections'))
  const dir = join(running.dataDir, 'connections', connection!, 'replay')
  return existsSync(dir) ? readdirSync(dir) : []
}

test('a file of another console is replayed with its copies, details and gaps, and nothing of it is stored', async () => {
  const { rpc } = running
  const events = [report(11, 1_000, [4_000]), report(13, 2_000), report(14, 300_000)]
  const replay = await loaded(recordingOf(events))
  expect(replay).toMatchObject({
    from: iso(0),
    to: iso(600_000),
    shown: 3,
    total: 3,
    gone: 5,
    recording: { connection: 'Night shift', signedBy: 'another-key' },
  })
  const page = await rpc.replay.search({ filter: {}, limit: 10 })
  expect(page.items.map(({ seq, copies, receivedAt }) => [seq, copies, receivedAt])).toEqual([
    [14, 1, iso(300_000)],
    [13, 1, iso(2_000)],
    [11, 2, iso(1_000)],
  ])
  expect((await rpc.replay.search({ filter: { text: 'm-13' }, limit: 10 })).items).toHaveLength(1)
  expect(await rpc.replay.get({ seq: 11 })).toMatchObject({
    rawBody: '{"message_id":"m-11"}',
    headers: [['content-type', 'application/json']],
    copies: [{ afterFirstMs: 0 }, { afterFirstMs: 3_000 }],
  })
  expect((await rpc.replay.holes({ days: 400 })).holes).toMatchObject([{ from: iso(100_000), proven: true }])
  const { series, holes } = await rpc.replay.profile({ bucketMs: 60_000 })
  expect(series.lines.find(({ name }) => name === 'delivered')!.counts).toEqual([
    2, 0, 0, 0, 0, 1, 0, 0, 0, 0,
  ])
  expect(holes).toHaveLength(1)
  expect(leftFolders()).toHaveLength(1)
  expect(await storedTotal()).toBe(0)

  await rpc.replay.stop()
  expect(leftFolders()).toEqual([])
  await expect(rpc.replay.search({ filter: {}, limit: 10 })).rejects.toMatchObject({ code: 'REPLAY_ENDED' })
})

test('one that takes the place of another leaves nothing of that behind', async () => {
  await loaded(recordingOf([report(1, 0)]))
  const replay = await loaded(recordingOf([report(1, 0), report(2, 1)]))
  expect(replay.total).toBe(2)
  expect(leftFolders()).toHaveLength(1)
  await running.rpc.replay.stop()
})

test('a file that is not whole, or holds what is no event though it is signed, is not replayed', async () => {
  const whole = recordingOf([report(1, 0), report(2, 1)])
  expect(await load(whole.replace('m-1', 'm-9'))).toMatchObject({
    kind: 'refused',
    verdict: { kind: 'changed', line: 2 },
  })
  for (const odd of [
    { ...report(2, 1), error_code: 'many' },
    { ...report(2, 1), message_id: null },
    { ...report(2, 1), received_at: 'soon' },
    { ...report(1, 1) },
    { ...report(2, 1), further: [{ seq: 2, received_at: 'soon' }] },
  ])
    await expect(load(recordingOf([report(1, 0), odd]))).rejects.toMatchObject({
      code: 'RECORDING_UNREADABLE',
    })
  await expect(load(recordingOf([]))).rejects.toMatchObject({ code: 'RECORDING_EMPTY' })
  expect(leftFolders()).toEqual([])
})

test('a search that is under way when its replay ends is told so, whoever ends it', async () => {
  const { rpc } = running
  // So far apart that a search through them takes many turns.
  const content = recordingOf([report(1, 0), report(5_000_000_000, 1)])
  for (const end of [() => rpc.replay.stop(), () => loaded(recordingOf([report(1, 0)]))]) {
    await loaded(content)
    const searches = [{ text: 'nowhere' }, { kinds: ['mo' as const], text: 'nowhere' }].map((filter) =>
      rpc.replay.search({ filter, limit: 10 }).catch((error: { code: string }) => error),
    )
    await end()
    for (const search of searches) expect(await search).toMatchObject({ code: 'REPLAY_ENDED' })
  }
  await rpc.replay.stop()
})

test("the console's own file shows what its record shows", async () => {
  const { rpc } = running
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  const { url } = (await rpc.listener.get()).status
  const bodies = [
    JSON.stringify({ event: 'dlr', message_id: 'm-1', status: 'failed', error_code: 301, destination: '+1' }),
    JSON.stringify({
      event: 'mo',
      message_id: 'm-2',
      source: '+14155550123',
      destination: '77',
      content: 'Stop',
    }),
    'no event',
  ]
  for (const body of [...bodies, bodies[0]!]) expect(await deliverSigned(url!, body, secret)).toBe(200)
  const search = () => rpc.events.search({ filter: {}, limit: 10 })
  await expect.poll(async () => (await search()).items.map(({ copies }) => copies)).toEqual([1, 1, 2])
  const span = {
    from: new Date(Date.now() - 60_000).toISOString(),
    to: new Date(Date.now() + 1_000).toISOString(),
  }
  const task = await ended(rpc, (await rpc.recorder.export(span)).taskId)
  const file = (await download(rpc, task.refId!)).toString()
  const replay = await loaded(file)
  expect(replay.recording).toMatchObject({ connection: 'Sandbox', signedBy: 'this-console' })
  const [replayed, stored] = await Promise.all([rpc.replay.search({ filter: {}, limit: 10 }), search()])
  expect(replayed.items).toEqual(stored.items)
  for (const { seq } of stored.items) {
    const { timeline, ...detail } = await rpc.replay.get({ seq })
    expect(await rpc.events.get({ seq })).toMatchObject({ ...detail, timeline })
  }
  await rpc.replay.stop()
})

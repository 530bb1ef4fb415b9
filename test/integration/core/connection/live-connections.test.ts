import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Rpc, RunningCore } from '../../../helpers/start-core.ts'
import { changeFile } from '../../../helpers/held-write.ts'
import { freePort, takePort } from '../../../helpers/ports.ts'
import { toListener } from '../../../helpers/subscribe-orders.ts'
import { connectByKey, restartCore, startTestCore } from '../../../helpers/test-core.ts'
import { activityWhere, frontConnection, isLive, statusWhere } from '../../../helpers/wait-for.ts'

/** Connects with an API key of a tenant's operator. */
async function connect({ rpc, sandbox }: RunningCore, name: string, tenant = 'harbor') {
  const { key } = sandbox.createApiKey(`operator@${tenant}.example`)
  return (await connectByKey({ rpc, sandbox }, key, name)).connection
}

const gapsOf = async (rpc: Rpc) => (await rpc.events.gaps({ days: 1 })).gaps

test('a restart opens every signed-in connection, and one with a bad database harms no other', async () => {
  const first = await startTestCore()
  const future = await connect(first, 'Future')
  const damaged = await connect(first, 'Damaged')
  const signedOut = await connect(first, 'Signed out')
  await first.rpc.connections.signOut({ id: signedOut.id })
  const off = await connect(first, 'Off')
  await first.rpc.connections.setBackground({ id: off.id, background: false })
  const behind = await connect(first, 'Behind', 'larkspur')
  const front = await connect(first, 'Front')
  await first.stopCore()
  const file = (id: string, name: string) => join(first.dataDir, 'connections', id, name)
  changeFile(file(future.id, 'state.db'), 'PRAGMA user_version = 99')
  writeFileSync(file(damaged.id, 'journal.db'), 'no database'.repeat(2_000))

  const { rpc } = await restartCore(first)
  expect((await frontConnection(rpc))?.id).toBe(front.id)
  for (const { id } of [front, behind])
    expect(await activityWhere(rpc, id, isLive)).toMatchObject({ problem: null })
  expect(await activityWhere(rpc, damaged.id, isLive)).toMatchObject({ problem: { code: 'STORAGE_DAMAGED' } })
  expect(await activityWhere(rpc, future.id, (one) => one.state === 'failed')).toMatchObject({
    problem: { code: 'STORAGE_FROM_FUTURE' },
  })
  expect(await activityWhere(rpc, signedOut.id, (one) => one.state === 'signed-out')).toMatchObject({
    listener: { state: 'stopped', path: '/webhooks/signed-out' },
  })
  expect((await activityWhere(rpc, off.id, () => true)).state).toBe('off')
  for await (const { troubled } of await rpc.desktop.state()) {
    expect(troubled.toSorted()).toEqual(['Damaged', 'Future'])
    break
  }

  const notices = async () => (await statusWhere(rpc, () => true)).notices.map(({ error }) => error.code)
  expect(await notices()).not.toContain('STORAGE_DAMAGED')
  await rpc.connections.open({ id: damaged.id })
  expect(await notices()).toContain('STORAGE_DAMAGED')
})

test('a connection that is not kept live closes behind another one with its streams, and opens again on request', async () => {
  const running = await startTestCore()
  const { rpc, rpcOf } = running
  const quiet = await connect(running, 'Quiet')
  // Without a secret nothing could be accepted, so no time would count as listening.
  await rpc.listener.addSecret({ label: 'Service', value: 'the secret of the service' })
  await rpc.connections.setBackground({ id: quiet.id, background: false })
  expect(await activityWhere(rpc, quiet.id, () => true)).toMatchObject({ state: 'live', background: false })
  const ends = ['outbox', 'tasks'].map(async (feature) => {
    const stream = await rpcOf(quiet.id)[feature as 'outbox' | 'tasks'].watch()
    for await (const _item of stream) continue
  })
  const other = await connect(running, 'Other')
  await activityWhere(rpc, quiet.id, ({ state }) => state === 'off')
  await Promise.all(ends)
  await rpc.connections.open({ id: quiet.id })
  expect((await gapsOf(rpc)).map(({ reason }) => reason)).toEqual(['switched'])
  await rpc.connections.open({ id: other.id })
  await activityWhere(rpc, quiet.id, ({ state }) => state === 'off')
  // The one that opens more slowly doesn't push the later one from the front.
  await Promise.all([quiet, other].map(({ id }) => rpc.connections.open({ id })))
  expect((await frontConnection(rpc))?.id).toBe(other.id)
  await activityWhere(rpc, quiet.id, ({ state }) => state === 'off')
  await rpc.connections.setBackground({ id: quiet.id, background: true })
  await activityWhere(rpc, quiet.id, isLive)
  expect(await gapsOf(rpc)).toEqual([])
})

test('a status stream stays with the connection that it names while that is open', async () => {
  const running = await startTestCore()
  const { rpc } = running
  const first = await connect(running, 'First')
  await connect(running, 'Second')
  const nameOf = async (connectionId: string) => {
    for await (const { connection } of await rpc.status.watch({ connectionId })) return connection?.name
    return undefined
  }
  expect(await nameOf(first.id)).toBe('First')
  await rpc.connections.remove({ id: first.id })
  expect(await nameOf(first.id)).toBe('Second')
})

test('signing out or removing one connection leaves the others live', async () => {
  const running = await startTestCore()
  const { rpc } = running
  const leaving = await connect(running, 'Leaving')
  const removed = await connect(running, 'Removed')
  const staying = await connect(running, 'Staying')
  await rpc.connections.signOut({ id: leaving.id })
  await activityWhere(rpc, leaving.id, ({ state }) => state === 'signed-out')
  await rpc.connections.remove({ id: removed.id })
  const { connections } = await rpc.connections.list()
  expect(connections.map(({ id }) => id)).not.toContain(removed.id)
  expect((await frontConnection(rpc))?.id).toBe(staying.id)
  expect(await activityWhere(rpc, staying.id, () => true)).toMatchObject({ state: 'live' })
  expect((await rpc.overview.get()).freshness?.source).toBe('live')
  expect(await gapsOf(rpc)).toEqual([])
})

test('port, network and public address of the listener apply to all connections', async () => {
  const running = await startTestCore()
  const { rpc, rpcOf, notes, sandbox } = running
  const safe = await connect(running, 'Safe')
  await rpc.listener.addSecret({ label: 'Test', value: 'a secret' })
  const bare = await connect(running, 'Bare', 'larkspur')
  const { listener } = rpcOf(safe.id)
  const refused = { code: 'INVALID_INPUT' }
  const { config } = await listener.get()
  const port = await freePort()
  expect((await listener.configure({ ...config, port })).status.state).toBe('listening')
  await expect(rpc.listener.configure({ ...config, port })).rejects.toMatchObject(refused)
  for (const { id } of [safe, bare]) {
    const { url, path } = (await activityWhere(rpc, id, isLive)).listener
    expect(url).toBe(`http://127.0.0.1:${port}${path}`)
  }

  // A connection without a secret isn't opened to the network.
  const moved = await listener.configure({ ...config, port, address: '0.0.0.0' })
  expect(moved.status).toMatchObject({ state: 'listening', problem: null })
  const { problem } = await activityWhere(rpc, bare.id, (one) => one.listener.state === 'failed')
  expect(problem?.code).toBe('WIDE_BIND_NEEDS_SECRET')
  expect(notes.map(({ title }) => title)).toEqual([expect.stringContaining('Bare')])
  await listener.configure({ ...config, port })
  for (const { id } of [safe, bare]) await activityWhere(rpc, id, isLive)

  const publicOf = async (id: string) => (await rpcOf(id).listener.get()).publicUrl
  expect(await publicOf(bare.id)).toBeNull()
  await rpc.listener.setPublicBase({ publicBase: 'http://127.0.0.1:9/' })
  expect(await publicOf(safe.id)).toBe('http://127.0.0.1:9/webhooks')
  const url = (await publicOf(bare.id))!
  expect(url).toBe('http://127.0.0.1:9/webhooks/bare')
  const { subscription } = await rpcOf(bare.id).webhooks.subscribe(toListener(url))
  expect(subscription).toMatchObject({ url, pointsHere: true })
  expect(sandbox.tenant().subscriptions()).toEqual([])
  await expect(rpc.listener.setPublicBase({ publicBase: 'ftp://x' })).rejects.toMatchObject(refused)
  await rpc.listener.setPublicBase({ publicBase: null })
  expect(await publicOf(bare.id)).toBeNull()
})

test('a clicked notification brings its connection to the front', async () => {
  const { port } = await takePort()
  const running = await startTestCore({ config: { listenerPort: port } })
  const { rpc } = running
  const first = await connect(running, 'First')
  await connect(running, 'Second')
  const note = running.notes.find(({ title }) => title.includes('First'))!
  await running.core.ask({ kind: 'note', key: note.key })
  expect((await frontConnection(rpc))?.id).toBe(first.id)
  for await (const { requests } of await rpc.desktop.requests()) {
    expect(requests).toMatchObject([{ kind: 'page', connectionId: first.id }])
    break
  }
})

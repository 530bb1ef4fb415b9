import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { connect, nanos } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { openBucket } from '#electron/relay/nats/bucket.ts'
import { encodeDelivery } from '#electron/relay/nats/message.ts'
import { openNatsStore } from '#electron/relay/nats/nats-store.ts'
import { openSpill } from '#electron/relay/nats/spill.ts'
import { startNatsCluster, whyNoNats } from '../../helpers/nats-cluster.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { delivery, storeContract } from './store-contract.ts'

const reason = whyNoNats()
let cluster: Awaited<ReturnType<typeof startNatsCluster>>
let connection: Awaited<ReturnType<typeof connect>>

describe.skipIf(reason)(`with NATS${reason ? ` (skipped: ${reason})` : ''}`, () => {
  beforeAll(async () => {
    cluster = await startNatsCluster(1)
    connection = await connect({ servers: cluster.urls })
  })
  afterAll(async () => {
    await connection.close()
    await cluster.stop()
  })

  /** The store of an inbox in the cluster; without `spillFolder` nothing is spilled. */
  const openStore = async (inbox: string, more: Partial<Parameters<typeof openNatsStore>[0]> = {}) =>
    openNatsStore({
      connection,
      inbox,
      replicas: 1,
      documents: await openBucket(jetstream(connection), 1),
      spillFolder: null,
      clock: systemClock,
      log: quietLog,
      ...more,
    })

  let inboxes = 0
  storeContract('a JetStream stream', () => {
    const inbox = `contract-${++inboxes}`
    return { open: () => openStore(inbox, { instance: 'contract' }) }
  })

  it('finds deliveries in the stream that were stored long ago and are forwarded again', async () => {
    const js = jetstream(connection)
    const { streams } = await js.jetstreamManager()
    const subject = 'switchboard.inbox.late'
    // Ids are forgotten at once, as they are after a long outage.
    const duplicate_window = nanos(100)
    const { created } = await streams.add({
      name: 'switchboard-inbox-late',
      subjects: [subject],
      duplicate_window,
    })
    const receivedMs = Date.now() - 600_000
    const item = (id: string) => ({
      delivery: delivery(id, receivedMs),
      id,
      numbering: created,
      afterSeq: 0,
      isSent: true,
    })
    await js.publish(subject, encodeDelivery(item('stored').delivery), { msgID: 'stored' })
    const probe = () => js.publish(subject, encodeDelivery(item('probe').delivery), { msgID: 'probe' })
    const { seq } = await probe()
    await expect.poll(async () => (await probe()).seq, { interval: 120 }).toBeGreaterThan(seq)

    const spillFolder = join(tempFolder(), 'spill')
    const forward = () => Promise.reject(new Error('down'))
    const spill = openSpill({ folder: spillFolder, forward, clock: systemClock, log: quietLog })
    for (const id of ['stored', 'missing']) await spill.add(item(id))
    await spill.close()
    const store = await openStore('late', { spillFolder })
    await expect.poll(() => store.backlog()).toEqual({ deliveries: 0, lost: 0 })
    const bodies = (await store.readAfter(0, { items: 100, bytes: Infinity })).map(({ body }) => String(body))
    expect(bodies.filter((one) => one !== 'probe')).toEqual(['stored', 'missing'])
    await store.close()
  })

  it('skips a message that is no delivery, and logs it once', async () => {
    const errors: unknown[] = []
    const store = await openStore('foreign', { log: { ...quietLog, error: (...all) => errors.push(all) } })
    await store.append([delivery('first')])
    await jetstream(connection).publish('switchboard.inbox.foreign', 'x')
    await store.append([delivery('last')])
    const rows = await store.readAfter(0, { items: 100, bytes: Infinity })
    expect(rows.map(({ seq, body }) => [seq, String(body)])).toEqual([
      [1, 'first'],
      [3, 'last'],
    ])
    await jetstream(connection).publish('switchboard.inbox.foreign', 'x')
    await store.extent()
    for (let reads = 0; reads < 3; reads++)
      expect(await store.readAfter(3, { items: 100, bytes: Infinity })).toEqual([])
    expect(errors).toHaveLength(2)
    await store.close()
  })

  it('reads nothing erased from what it fetched before, even if an erasure fails halfway', async () => {
    const store = await openStore('halfway')
    await store.append([delivery('a'), delivery('b'), delivery('c'), delivery('d')])
    await store.readAfter(0, { items: 1, bytes: Infinity })
    const isAllowed = (seq: number) => {
      if (seq === 3) throw new Error('down')
      return true
    }
    await expect(store.erase([2, 3], isAllowed)).rejects.toThrow('down')
    const rows = await store.readAfter(1, { items: 100, bytes: Infinity })
    expect(rows.map(({ body }) => String(body))).toEqual(['c', 'd'])
    await store.close()
  })

  it('gives another id to a recreated stream', async () => {
    const before = await openStore('again')
    await before.close()
    const { streams } = await jetstream(connection).jetstreamManager()
    await streams.delete('switchboard-inbox-again')
    const after = await openStore('again')
    expect(after.id).not.toBe(before.id)
    await after.close()
  })

  it('gives another id to a stream that lost deliveries a console has', async () => {
    const documents = await openBucket(jetstream(connection), 1)
    let aheadMs = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs }
    const open = () => openStore('shorter', { documents, clock })
    const before = await open()
    const { id } = before
    await before.close()
    await documents.update('readers/shorter/ana', () => JSON.stringify({ relayId: id, base: 0, upTo: 50 }))
    const after = await open()
    // At first the nodes may only lag.
    expect(after.id).toBe(id)
    aheadMs = 20_000
    after.touch()
    await expect.poll(() => after.id).not.toBe(id)
    expect(after.lastSeq()).toBe(0)
    await after.close()
    const again = await open()
    expect(again.id).toBe(after.id)
    await again.close()
  })

  it('holds each delivery once while it is not connected, and forwards them in order', async () => {
    let isConnected = true
    const spillFolder = join(tempFolder(), 'spill')
    const store = await openStore('held', { isConnected: () => isConnected, spillFolder })
    const append = (id: number) => store.append([delivery(String(id))])
    isConnected = false
    const ids = Array.from({ length: 20 }, (_one, at) => at)
    expect((await Promise.all(ids.map(append))).flat()).toEqual(ids.map(() => 0))
    expect(store.backlog()).toEqual({ deliveries: 20, lost: 0 })
    expect(store.storing().kind).toBe('storing')
    isConnected = true
    await expect.poll(() => store.backlog()).toEqual({ deliveries: 0, lost: 0 })
    const rows = await store.readAfter(0, { items: 100, bytes: Infinity })
    expect(rows.map(({ body }) => Number(String(body)))).toEqual(ids)
    await store.close()
  })
})

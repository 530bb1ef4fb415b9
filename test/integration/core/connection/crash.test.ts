import { expect, onTestFinished, test } from 'vitest'
import { everyone } from '../../../helpers/contact-files.ts'
import { type ContactService, startContactService } from '../../../helpers/contact-service.ts'
import { dlrBody } from '../../../helpers/deliver-events.ts'
import { startKilledConsole } from '../../../helpers/killed-console.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import type { Rpc } from '../../../helpers/start-core.ts'
import { activityWhere, isLive, outboxWhere } from '../../../helpers/wait-for.ts'

/** `SWITCHBOARD_CONNECTION_KILLS=50` runs it at full size; see test/README.md. */
const kills = Number(process.env['SWITCHBOARD_CONNECTION_KILLS'] ?? 1)
/** Acknowledged deliveries of each connection before a kill. */
const perRound = 25
const secretOf = (name: string) => `the secret of ${name}`
const people = 16

async function idsOfMessages(rpc: Rpc): Promise<string[]> {
  const found: string[] = []
  for (let cursor: number | undefined; ;) {
    const page: Awaited<ReturnType<Rpc['events']['search']>> = await rpc.events.search({
      filter: {},
      limit: 500,
      cursor,
    })
    for (const event of page.items) if ('messageId' in event) found.push(event.messageId!)
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

test('a crash under load loses and repeats nothing on any connection, and all listen again after the start', async () => {
  const folder = tempFolder()
  const services: ContactService[] = []
  for (let index = 0; index < 4; index++) {
    const service = await startContactService()
    // Slow enough that some are in flight at the kill.
    service.latencyMs = () => 100
    services.push(service)
    onTestFinished(() => service.stop())
  }
  const child = startKilledConsole({ dataDir: folder, startWith: { kind: 'last' } })
  /** By name. The last one is not kept live. */
  const ids = new Map<string, string>()
  for (const [index, { baseUrl }] of services.entries()) {
    const name = `Tenant ${index}`
    const credential = { kind: 'api-key', apiKey: 'key-ana' } as const
    const given = { name, baseUrl, colour: 'blue', production: false, credential } as const
    const { id } = (await child.rpc.connections.connect(given)).connection
    ids.set(name, id)
    const own = child.rpcOf(id)
    await own.listener.addSecret({ label: 'Test', value: secretOf(name) })
    await own.outbox.pause()
    for (let n = 0; n < people; n++)
      await own.contacts.create({ name: `Person ${n}`, phone: `+14155550${100 + n}`, email: '', tags: {} })
    await own.contacts.push({ selection: everyone, uncheckedKnowingly: true })
  }
  const off = ids.get('Tenant 3')!
  const live = [...ids].slice(0, -1)
  await child.rpc.connections.setBackground({ id: off, background: false })
  await child.rpc.connections.open({ id: ids.get('Tenant 0')! })
  await activityWhere(child.rpc, off, ({ state }) => state === 'off')
  for (const [, id] of live) await child.rpcOf(id).outbox.resume()
  /** Waits until all that should listen do, and tells where. */
  async function listeners(): Promise<[name: string, url: string][]> {
    const urls: [string, string][] = []
    for (const [name, id] of live)
      urls.push([name, (await activityWhere(child.rpc, id, isLive)).listener.url!])
    expect((await activityWhere(child.rpc, off, () => true)).state).toBe('off')
    return urls
  }

  const acknowledged = new Map<string, string[]>()
  /** Delivers to one connection until its listener is gone. The same ids go to all connections. */
  async function sendUntilBroken(name: string, url: string, round: number): Promise<void> {
    const known = acknowledged.get(name) ?? []
    acknowledged.set(name, known)
    for (let n = 0; ; n++) {
      const id = `r${round}-${n}`
      const status = await deliverSigned(url, dlrBody(id, 'delivered'), secretOf(name)).catch(() => null)
      if (status === null) return
      if (status === 200) known.push(id)
    }
  }
  for (let round = 0; round < kills; round++) {
    const urls = await listeners()
    const before = new Map([...acknowledged].map(([name, ids]) => [name, ids.length]))
    const loads = urls.map(([name, url]) => sendUntilBroken(name, url, round))
    const isEnough = () =>
      urls.every(([name]) => acknowledged.get(name)!.length - (before.get(name) ?? 0) >= perRound)
    await expect.poll(isEnough, { interval: 5 }).toBe(true)
    await child.kill()
    await Promise.all(loads)
    await child.restart()
  }

  await listeners()
  const sent = new Map<string, number>()
  for (const [name, id] of live) {
    const own = child.rpcOf(id)
    const { counts } = await outboxWhere(own, ({ counts }) => counts.queued + counts['in-flight'] === 0)
    const received = await idsOfMessages(own)
    expect(new Set(received).size, `${name} shows nothing twice`).toBe(received.length)
    expect(acknowledged.get(name)!.filter((one) => !received.includes(one))).toEqual([])
    expect(counts.done + counts.unknown, `${name} has an end for everybody`).toBe(people)
    sent.set(name, counts.done)
  }
  for (const [index, { doubled, made, requests }] of services.entries()) {
    expect(doubled).toEqual([])
    expect(new Set(requests.map(({ phone }) => phone)).size).toBe(requests.length)
    const done = sent.get(`Tenant ${index}`)
    // Of unconfirmed ones, only the service knows. The last connection is not kept live, and its outbox is paused.
    if (done === undefined) expect(requests).toEqual([])
    else expect(made.size).toBeGreaterThanOrEqual(done)
  }
})

import { expect, onTestFinished, test } from 'vitest'
import { bundledProgram } from '../../../helpers/bundled-program.ts'
import { type ContactService, startContactService } from '../../../helpers/contact-service.ts'
import { dlrBody } from '../../../helpers/deliver-events.ts'
import { startKilledConsole } from '../../../helpers/killed-console.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { type FromConsole, people, secretOf } from './crash-process.ts'

/** `SWITCHBOARD_CONNECTION_KILLS=50` runs it at full size; see test/README.md. */
const kills = Number(process.env['SWITCHBOARD_CONNECTION_KILLS'] ?? 1)
/** Acknowledged deliveries of each connection before a kill. */
const perRound = 25

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
  const baseUrls = services.map(({ baseUrl }) => baseUrl)
  const child = startKilledConsole<FromConsole>(bundledProgram('crash-process'), [folder, ...baseUrls])

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
    const { urls, off } = await child.next('live')
    expect(Object.keys(urls)).toEqual(['Tenant 0', 'Tenant 1', 'Tenant 2'])
    expect(off).toBe('off')
    const before = new Map([...acknowledged].map(([name, ids]) => [name, ids.length]))
    const loads = Object.entries(urls).map(([name, url]) => sendUntilBroken(name, url, round))
    const isEnough = () =>
      Object.keys(urls).every((name) => acknowledged.get(name)!.length - (before.get(name) ?? 0) >= perRound)
    await expect.poll(isEnough, { interval: 5 }).toBe(true)
    child.kill()
    await Promise.all(loads)
    await child.restart()
  }

  await child.next('live')
  child.send({ kind: 'outcomes' })
  const { outcomes } = await child.next('outcomes')
  for (const [name, { received, outbox }] of Object.entries(outcomes)) {
    expect(new Set(received).size, `${name} shows nothing twice`).toBe(received.length)
    expect(acknowledged.get(name)!.filter((id) => !received.includes(id))).toEqual([])
    expect(outbox['done']! + outbox['unknown']!, `${name} has an end for everybody`).toBe(people)
  }
  for (const [index, { doubled, made, requests }] of services.entries()) {
    expect(doubled).toEqual([])
    expect(new Set(requests.map(({ phone }) => phone)).size).toBe(requests.length)
    const done = outcomes[`Tenant ${index}`]?.outbox['done']
    // Of unconfirmed ones, only the service knows. The last connection is not kept live, and its outbox is paused.
    if (done === undefined) expect(requests).toEqual([])
    else expect(made.size).toBeGreaterThanOrEqual(done)
  }
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSecrets, startCore } from '../../../helpers/start-core.ts'
import { activityWhere, isLive } from '../../../helpers/wait-for.ts'

/** One connection at the end. */
export interface Outcome {
  received: string[]
  outbox: Record<string, number>
}

/** Messages to the parent: each connection's listener once it is live, and what it has on request. */
export type FromConsole =
  | { kind: 'live'; urls: Record<string, string>; off: string }
  | { kind: 'outcomes'; outcomes: Record<string, Outcome> }

export const secretOf = (name: string) => `the secret of ${name}`
export const people = 16
export const phoneOf = (n: number) => `+1415555${String(n).padStart(4, '0')}`

/**
 * A console in its own process, to be killed: `node crash-process.ts <data folder> <base URL>…`. The first start connects to every
 * service and queues its contacts; the last connection is not kept live. A file stands in for the keychain, which a crash leaves alone.
 */
async function run(dataDir: string, baseUrls: readonly string[]): Promise<void> {
  const tell = (message: FromConsole) => void process.send?.(message)
  const keychain = join(dataDir, 'keychain.json')
  const secrets = fakeSecrets()
  const isFirst = !existsSync(keychain)
  if (!isFirst)
    for (const [account, value] of JSON.parse(readFileSync(keychain, 'utf8')) as [string, string][])
      secrets.values.set(account, value)

  const { rpc, rpcOf } = await startCore({
    dataDir,
    secrets,
    sandbox: { contactsCount: 0, dncCount: 0 },
    config: { startWith: { kind: isFirst ? 'none' : 'last' } },
  })

  async function connect(name: string, baseUrl: string): Promise<string> {
    const credential = { kind: 'api-key', apiKey: 'key-ana' } as const
    const given = { name, baseUrl, colour: 'blue', production: false, credential } as const
    const { connection } = await rpc.connections.connect(given)
    const own = rpcOf(connection.id)
    await own.listener.addSecret({ label: 'Test', value: secretOf(name) })
    await own.outbox.pause()
    for (let n = 0; n < people; n++)
      await own.contacts.create({ name: `Person ${n}`, phone: phoneOf(n), email: '', tags: {} })
    await own.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true })
    return connection.id
  }

  if (isFirst) {
    const ids: string[] = []
    for (const [index, baseUrl] of baseUrls.entries()) ids.push(await connect(`Tenant ${index}`, baseUrl))
    const off = ids.at(-1)!
    await rpc.connections.setBackground({ id: off, background: false })
    await rpc.connections.open({ id: ids[0]! })
    await activityWhere(rpc, off, ({ state }) => state === 'off')
    writeFileSync(keychain, JSON.stringify([...secrets.values]))
    for (const id of ids.slice(0, -1)) await rpcOf(id).outbox.resume()
  }
  const saved = (await rpc.connections.list()).connections.toSorted((a, b) => a.name.localeCompare(b.name))
  const off = saved.pop()!
  const urls: Record<string, string> = {}
  for (const { id, name } of saved) urls[name] = (await activityWhere(rpc, id, isLive)).listener.url!
  tell({ kind: 'live', urls, off: (await activityWhere(rpc, off.id, () => true)).state })

  async function outcomeOf(id: string): Promise<Outcome> {
    const own = rpcOf(id)
    let outbox: Outcome['outbox'] = {}
    for await (const { counts } of await own.outbox.watch()) {
      outbox = counts
      if (counts.queued + counts['in-flight'] === 0) break
    }
    const received: string[] = []
    for (let cursor: number | undefined; ;) {
      const page = await own.events.search({ filter: {}, limit: 500, cursor })
      for (const event of page.items) if ('messageId' in event) received.push(event.messageId!)
      if (page.nextCursor === null) return { received, outbox }
      cursor = page.nextCursor
    }
  }
  process.on('message', () => {
    void (async () => {
      const outcomes: Record<string, Outcome> = {}
      for (const { id, name } of saved) outcomes[name] = await outcomeOf(id)
      tell({ kind: 'outcomes', outcomes })
    })()
  })
}

const [dataDir, ...baseUrls] = process.argv.slice(2)
if (process.send && dataDir !== undefined && import.meta.main) await run(dataDir, baseUrls)

import { afterEach, beforeEach, describe, expect, it, onTestFailed, onTestFinished } from 'vitest'
import { seededRandom } from '#electron/lib/random.ts'
import { spawnHost } from '../../helpers/host-process.ts'
import { dlr } from '../../helpers/listener.ts'
import { type NatsCluster, startNatsCluster, whyNoNats } from '../../helpers/nats-cluster.ts'
import { createReader, post, readFeed, relayMain, startRelayProcess } from '../../helpers/relay.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

/** `SWITCHBOARD_CLUSTER_KILLS=100` runs it at full size; see test/README.md. */
const kills = Number(process.env['SWITCHBOARD_CLUSTER_KILLS'] ?? 2)
const isFull = kills > 10
/** How many deliveries arrive while the whole cluster is away. */
const whileAway = isFull ? 0 : 75
const awayMs = isFull ? 60_000 : 0
const senders = 8
/** Without a delivery for this long, the rest counts as missing. */
const silenceMs = 30_000

const whyNot = whyNoNats()
if (whyNot !== null) console.log(`Skipped: tests of the relay with NATS, ${whyNot}.`)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let cluster: NatsCluster

/** A relay process in front of the cluster. With a data folder it keeps there what the cluster does not take. */
async function startRelay(dataDir: string | null) {
  const args = ['--store', cluster.url, ...(dataDir === null ? [] : ['--data-dir', dataDir])]
  let running = await startRelayProcess(args)
  return {
    url: `http://127.0.0.1:${running.port}`,
    kill: () => running.host.kill('SIGKILL'),
    /** With the same folder and port. */
    restart: async () => void (running = await startRelayProcess(args, running.port)),
  }
}
type RelayProcess = Awaited<ReturnType<typeof startRelay>>

/** A new token of the cluster, for any of its relays. Its name is new, too: a failed test runs again. */
async function addToken(): Promise<string> {
  const host = spawnHost({
    file: relayMain,
    args: ['token', 'add', `console-${Date.now()}`, '--inbox', 'main', '--store', cluster.url],
  })
  const [token] = await host.line(/^swr_\S+$/)
  await host.exit
  return token
}

/**
 * Sends to the relays in turn, each delivery once, several at a time. What is not answered with 200 is not sent
 * again, so that a delivery that is read twice was doubled by a relay.
 */
function startLoad(relays: readonly RelayProcess[], prefix: string) {
  const acknowledged: string[] = []
  let next = 0
  let isStopping = false
  async function send(): Promise<void> {
    while (!isStopping) {
      const id = `${prefix}-${next++}`
      const status = await post(`${relays[next % relays.length]!.url}/webhooks`, dlr(id)).catch(() => 0)
      if (status === 200) acknowledged.push(id)
      else await pause(20)
    }
  }
  const sending = Promise.all(Array.from({ length: senders }, send))
  return {
    acknowledged,
    /** Waits for `count` acknowledgements from now on. */
    async more(count: number): Promise<void> {
      const enough = acknowledged.length + count
      while (acknowledged.length < enough) await pause(5)
    },
    async stop(): Promise<void> {
      isStopping = true
      await sending
    },
  }
}

/** A console that goes to the next relay when its own is gone. */
function follow(relays: readonly RelayProcess[], token: string) {
  const reader = createReader()
  let at = 0
  let feed = readFeed({ url: relays[at]!.url, token }, reader)
  function move(): void {
    feed.client.stop()
    at = (at + 1) % relays.length
    feed = readFeed({ url: relays[at]!.url, token }, reader)
  }
  return {
    reader,
    readsFrom: () => relays[at],
    move,
    /** Resolves once all of them were read, or when nothing more comes. */
    async has(ids: readonly string[]): Promise<void> {
      let count = -1
      let sinceMs = performance.now()
      while (performance.now() - sinceMs < silenceMs) {
        const read = new Set(reader.ids())
        if (ids.every((id) => read.has(id))) return
        if (reader.deliveries.length > count) sinceMs = performance.now()
        count = reader.deliveries.length
        await pause(20)
      }
    },
  }
}

/** 0 missing, 0 doubled, no gap. */
function expectAll(reader: ReturnType<typeof createReader>, acknowledged: readonly string[]): void {
  const ids = reader.ids()
  const read = new Set(ids)
  expect(acknowledged.filter((id) => !read.has(id))).toEqual([])
  expect(ids.length - read.size).toBe(0)
  expect(reader.gaps).toEqual([])
}

describe.skipIf(whyNot !== null)('two relays in front of three NATS nodes, under load', () => {
  let relays: RelayProcess[]

  // A cluster that was killed before can lose what it acknowledged when it is killed again (NATS 2.9.10).
  beforeEach(async () => {
    cluster = await startNatsCluster(3)
    relays = [await startRelay(null), await startRelay(null)]
  })
  afterEach(async () => {
    await Promise.all(relays.map(({ kill }) => kill()))
    await cluster.stop()
  })

  it(
    `lose and repeat no acknowledged delivery over ${kills} kills of nodes and relays`,
    async () => {
      const seed = Number(process.env['SWITCHBOARD_CLUSTER_SEED'] ?? Date.now())
      const random = seededRandom(seed)
      onTestFailed(() => console.log(`SWITCHBOARD_CLUSTER_SEED=${seed}`))
      const console_ = follow(relays, await addToken())
      const load = startLoad(relays, 'killed')
      for (let killed = 0; killed < kills; killed += 2) {
        await load.more(50)
        const node = Math.floor(random() * 3)
        const relay = relays[Math.floor(random() * relays.length)]!
        const isRelayFirst = random() < 0.5
        await Promise.all([cluster.kill(node), relay.kill()])
        if (console_.readsFrom() === relay) console_.move()
        // The others take deliveries, once the two nodes have a leader.
        await load.more(50)
        if (isRelayFirst) await relay.restart()
        cluster.start(node)
        await cluster.ready()
        if (!isRelayFirst) await relay.restart()
      }
      await load.more(50)
      await load.stop()
      await console_.has(load.acknowledged)
      expectAll(console_.reader, load.acknowledged)
    },
    120_000 + kills * 20_000,
  )

  it('lose nothing, store nothing twice and report no gap while the whole cluster is away', async () => {
    const spilling = [await startRelay(tempFolder()), await startRelay(tempFolder())]
    onTestFinished(async () => void (await Promise.all(spilling.map(({ kill }) => kill()))))
    const console_ = follow(spilling, await addToken())
    const load = startLoad(spilling, 'away')
    await load.more(50)
    const downMs = Date.now()
    await Promise.all([0, 1, 2].map((node) => cluster.kill(node)))
    await Promise.all([load.more(whileAway), pause(awayMs)])
    // One relay loses what it had in memory, too.
    await spilling[1]!.kill()
    await load.more(50)
    for (const node of [0, 1, 2]) cluster.start(node)
    await cluster.ready()
    await spilling[1]!.restart()
    await load.more(50)
    await load.stop()
    await console_.has(load.acknowledged)
    expectAll(console_.reader, load.acknowledged)
    // At least one relay received all the time. Others may have started again since.
    const open = [...console_.reader.periods.values()].filter(({ endedMs }) => endedMs === null)
    expect(Math.min(...open.map(({ startedMs }) => startedMs))).toBeLessThan(downMs)
  }, 300_000)
})

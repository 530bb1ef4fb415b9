import { expect, it, onTestFinished } from 'vitest'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { createReader, isCaughtUp, readFeed, startRelayProcess } from '../../helpers/relay.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { sendUntilBroken } from '../listener/load.ts'

/** `SWITCHBOARD_RELAY_KILLS=200` runs it at full size; see test/README.md. */
const kills = Number(process.env['SWITCHBOARD_RELAY_KILLS'] ?? 3)

it(
  `a relay under load loses and repeats no acknowledged delivery over ${kills} kills -9, with a console that comes and goes`,
  async () => {
    const dataDir = tempFolder()
    const token = await addToken(openFolder(dataDir), 'ana', 'main', 1)
    const acknowledged: string[] = []
    const reader = createReader()
    const start = async (port = 0) => {
      const started = await startRelayProcess(['--data-dir', dataDir], port)
      onTestFinished(() => started.host.kill('SIGKILL'))
      return started
    }
    const first = await start()
    const { port } = first
    let { host } = first
    const connect = () => readFeed({ url: `http://127.0.0.1:${port}`, token }, reader, { random: () => 0.05 })
    let feed = connect()
    for (let round = 0; round < kills; round++) {
      const load = sendUntilBroken(port, `r${round}`, 16)
      while (load.acknowledged.length < 16) await new Promise((resolve) => setTimeout(resolve, 5))
      // The console itself stops now and then, in the middle of a batch too.
      if (round % 3 === 1) feed.client.stop()
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 300))
      await host.kill('SIGKILL')
      await load.broken
      acknowledged.push(...load.acknowledged.map(({ id }) => id))
      ;({ host } = await start(port))
      if (round % 3 === 1) feed = connect()
      else feed.client.retry()
    }
    const last = sendUntilBroken(port, 'last', 1)
    while (last.acknowledged.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    last.end()
    await last.broken
    acknowledged.push(...last.acknowledged.map(({ id }) => id))
    await feed.now((state) => isCaughtUp(state) && new Set(reader.ids()).has(last.acknowledged.at(-1)!.id))

    const read = new Set(reader.ids())
    expect(acknowledged.filter((id) => !read.has(id))).toEqual([])
    // Every number once, in order, without a gap.
    expect(reader.gaps).toEqual([])
    expect(reader.deliveries.findIndex(({ seq }, at) => seq !== at + 1)).toBe(-1)
    expect(reader.deliveries.length).toBeGreaterThanOrEqual(acknowledged.length)
    // The relay reports each of its runs.
    expect([...reader.periods.values()].filter(({ endedMs }) => endedMs !== null)).toHaveLength(kills)
    await host.stop()
  },
  120_000 + kills * 10_000,
)

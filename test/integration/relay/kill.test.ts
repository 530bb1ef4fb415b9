import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { startHost } from '../../helpers/start-host.ts'
import { testSecret } from '../../helpers/listener.ts'
import { createReader, isCaughtUp, readFeed } from '../../helpers/relay.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { sendUntilBroken } from '../listener/load.ts'

/** `SWITCHBOARD_RELAY_KILLS=200` runs it at full size; see test/README.md. */
const kills = Number(process.env['SWITCHBOARD_RELAY_KILLS'] ?? 5)

const main = join(import.meta.dirname, '../../../electron/relay/main.ts')

/** The relay as a process. Port 0 takes a free one; later starts use the same. */
async function start(dataDir: string, port: number) {
  const host = startHost({
    file: main,
    args: ['--port', String(port), '--data-dir', dataDir],
    env: { SWITCHBOARD_RELAY_SECRET: testSecret },
  })
  const [, bound] = await host.line(/"Relay ready","url":"http:\/\/127\.0\.0\.1:(\d+)"/)
  return { host, port: Number(bound) }
}

describe('kill -9 of a relay under load, with a console that comes and goes', () => {
  it(
    `loses and repeats no acknowledged delivery over ${kills} kills`,
    async () => {
      const dataDir = tempFolder()
      const token = await addToken(openFolder(dataDir), 'ana', 'main', 1)
      const acknowledged: string[] = []
      const reader = createReader()
      const first = await start(dataDir, 0)
      const { port } = first
      let { host } = first
      const connect = () =>
        readFeed({ url: `http://127.0.0.1:${port}`, token }, reader, { random: () => 0.05 })
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
        ;({ host } = await start(dataDir, port))
        if (round % 3 === 1) feed = connect()
        else feed.client.retry()
      }
      const last = sendUntilBroken(port, 'last', 1)
      while (last.acknowledged.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
      last.end()
      await last.broken
      acknowledged.push(...last.acknowledged.map(({ id }) => id))
      await feed.now((state) => isCaughtUp(state) && new Set(reader.ids()).has(last.acknowledged[2]!.id))

      const read = new Set(reader.ids())
      expect(acknowledged.filter((id) => !read.has(id))).toEqual([])
      // Every number once, in order, without a gap.
      expect(reader.gaps).toEqual([])
      expect(reader.deliveries.findIndex(({ seq }, at) => seq !== at + 1)).toBe(-1)
      expect(reader.deliveries.length).toBeGreaterThanOrEqual(acknowledged.length)
      // The relay reports each of its runs, and that it crashed.
      expect([...reader.periods.values()].filter(({ endReason }) => endReason === 'crashed')).toHaveLength(
        kills,
      )
      if (kills > 10) console.log(`${kills} kills, ${acknowledged.length} acknowledged, 0 missing, 0 doubled`)
      await host.stop()
    },
    120_000 + kills * 10_000,
  )
})

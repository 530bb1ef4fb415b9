import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNatsCluster, whyNoNats } from '../../helpers/nats-cluster.ts'

const whyNot = whyNoNats()
if (whyNot !== null) console.log(`Skipped: NATS tests, ${whyNot}.`)

/** What a node says first, or how connecting failed. */
async function greeting(url: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code!
  } finally {
    socket.destroy()
  }
}

describe.skipIf(whyNot !== null)('a NATS node of the tests', () => {
  it('has JetStream and returns to its address after kill -9', async () => {
    const cluster = await startNatsCluster(1)
    onTestFinished(() => cluster.stop())
    expect(await greeting(cluster.url)).toContain('"jetstream":true')
    await cluster.kill(0)
    expect(await greeting(cluster.url)).toBe('ECONNREFUSED')
    cluster.start(0)
    await cluster.ready()
    expect(await greeting(cluster.url)).toContain('"jetstream":true')
  })
})

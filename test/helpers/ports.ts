import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Takes this port, or a free one, as another program would, until the test ends or `release` is called. */
export async function takePort(port = 0): Promise<{ port: number; release(): Promise<void> }> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const release = () => new Promise<void>((resolve) => server.close(() => resolve()))
  onTestFinished(release)
  return { port: (server.address() as AddressInfo).port, release }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { port, release } = await takePort()
  await release()
  return port
}

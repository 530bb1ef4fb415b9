import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type RunningConsole, startConsole, stubRenderer } from '../../../helpers/start-console.ts'

/** Attacks from one signed-in socket on the real console. `rpc/flood` tests each limit. */
async function attacked(): Promise<{
  rpc: RunningConsole['rpc']
  open: () => Promise<WebSocket>
  stop: () => Promise<void>
}> {
  const running = await startConsole({ rendererDir: stubRenderer, args: ['--sandbox'] })
  onTestFinished(() => running.stop().catch(() => {}))
  const open = async () => {
    const socket = new WebSocket(`${running.origin.replace('http', 'ws')}/rpc`, {
      origin: running.origin,
      headers: { cookie: running.cookie },
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    return socket
  }
  return { rpc: running.rpc, open, stop: () => running.stop() }
}

const call = (id: number, path: string, input?: string) =>
  `{"i":"${id}","p":{"u":"${path}"${input === undefined ? '' : `,"b":{"json":${input}}`}}}`

test('keeps answering and stops cleanly under thousands of streams, searches and a deep frame', async () => {
  const { rpc, open, stop } = await attacked()
  const streams = await open()
  for (let id = 0; id < 3_500; id++) streams.send(call(id, '/status/watch'))
  expect(await rpc.connections.list()).toBeDefined()
  streams.close()

  const searches = await open()
  for (let id = 0; id < 20_000; id++)
    searches.send(
      call(id, '/contacts/list', '{"filter":{"text":"a"},"sort":{"by":"name","descending":false}}'),
    )
  expect(await rpc.connections.list()).toBeDefined()
  searches.close()

  const deep = await open()
  deep.send(call(1, '/contacts/list', `${'['.repeat(2_900_000)}${']'.repeat(2_900_000)}`))
  expect(await rpc.connections.list()).toBeDefined()
  await stop()
})

import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startConsole, stubRenderer } from '../../../helpers/start-console.ts'

const call = (id: number, path: string, input?: string) =>
  `{"i":"${id}","p":{"u":"${path}"${input === undefined ? '' : `,"b":{"json":${input}}`}}}`

// `rpc/flood` tests each limit.
test('keeps answering and stops cleanly under thousands of streams, searches and a deep frame', async () => {
  const running = await startConsole({ rendererDir: stubRenderer, args: ['--sandbox'] })
  onTestFinished(() => running.stop().catch(() => {}))
  const { rpc, origin, cookie } = running
  const open = async () => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { origin, headers: { cookie } })
    socket.on('error', () => {})
    await once(socket, 'open')
    return socket
  }
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
  await running.stop()
})

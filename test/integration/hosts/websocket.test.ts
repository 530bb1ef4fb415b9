import { RPCLink } from '@orpc/client/websocket'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { startCoreThread } from '#electron/hosts/core-client.ts'
import { createLog } from '#electron/lib/log.ts'
import { createHostPorts } from '../../helpers/host-ports.ts'
import { startTestWebServer } from '../../helpers/web-server.ts'
import { describeChannel } from './channel-suite.ts'

describeChannel('a WebSocket piped to the core thread', async () => {
  const { ports } = createHostPorts()
  const core = startCoreThread({
    ports,
    config: { version: '0.0.0', startWith: { kind: 'none' } },
    log: createLog(ports.log, 'host'),
    entry: new URL('../../helpers/tiny-core-thread.ts', import.meta.url),
  })
  await core.ready
  const server = await startTestWebServer({ connect: () => core.connect() })
  return {
    async open() {
      const socket = new WebSocket(`ws://127.0.0.1:${server.web.port}/rpc`, {
        origin: server.origin,
        headers: { cookie: server.cookie },
      })
      const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket })
      await once(socket, 'open')
      return { link, close: () => socket.close() }
    },
    async stop() {
      await server.stop()
      await core.stop()
    },
  }
})

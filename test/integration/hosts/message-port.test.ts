import { RPCLink } from '@orpc/client/message-port'
import type { CoreConfig } from '#electron/core/create-core.ts'
import { startCoreThread } from '#electron/hosts/core-client.ts'
import { createLog } from '#electron/lib/log.ts'
import { createHostPorts } from '../../helpers/host-ports.ts'
import { describeChannel } from './channel-suite.ts'

const config: CoreConfig = { version: '0.0.0', startWith: { kind: 'none' } }

describeChannel('a message port to the core thread', async () => {
  const { ports } = createHostPorts()
  const core = startCoreThread({
    ports,
    config,
    log: createLog(ports.log, 'host'),
    entry: new URL('../../helpers/tiny-core-thread.ts', import.meta.url),
  })
  await core.ready
  return {
    open() {
      const { port } = core.connect()
      const link = new RPCLink({ port: port as unknown as MessagePort })
      port.start()
      return Promise.resolve({ link, close: () => port.close() })
    },
    stop: () => core.stop(),
  }
})

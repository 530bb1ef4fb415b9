import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { processorMs, startCoreThread } from '../../../electron/hosts/core-client.ts'
import { endNow, restartedAfterStall, restartProcess } from '../../../electron/hosts/restart-process.ts'
import { createLog } from '../../../electron/lib/log.ts'
import { createFastClock } from '../../helpers/fast-clock.ts'
import { createHostPorts } from '../../helpers/host-ports.ts'
import type { TinyClient } from '../../helpers/tiny-contract.ts'

/**
 * A host whose core runs a query without an end: `stall` waits for the watchdog, `stop` stops at SIGTERM. With `starve`, its core gets no
 * processor time for 100 s. Time passes 50 times faster.
 */
const [mode = 'stall'] = process.argv.slice(2)
const factor = 50
const say = (text: string) => process.stdout.write(`${text}\n`)
const { ports } = createHostPorts('the data folder')
const clock = createFastClock(factor)
const core = startCoreThread({
  ports: { ...ports, log: ({ level, message }) => say(`${level} ${message}`) },
  config: { version: '1', startWith: { kind: 'none' } },
  log: createLog(({ level, message }) => say(`${level} ${message}`), 'host'),
  entry: new URL('../../helpers/tiny-core-thread.ts', import.meta.url),
  clock,
  pingClock: clock,
  usedMs: () => processorMs() * factor,
  stalledBefore: restartedAfterStall(process.env),
  restartProcess: () => restartProcess(process.env),
})
core.onCrash(({ isFinal }) => say(isFinal ? 'final' : 'crash'))
await core.ready
say(`up ${process.pid} ${mode} ${process.env['KEPT'] ?? ''}`)
const port = core.connect()
const client = createORPCClient<TinyClient>(new RPCLink({ port: port as unknown as MessagePort }))
port.start()
say(`after ${(await client.ports()).restartAfter ?? 'nothing'}`)
process.on('SIGTERM', () => {
  void core.stop().then(() => {
    say('stopped')
    if (core.isRunning()) endNow()
  })
})
if (mode === 'starve') {
  await client.wait({ ms: 100_000 / factor })
  say('waiting')
  say(`answered after ${(await client.ports()).restartAfter ?? 'nothing'}`)
} else {
  await client.query()
  say('stuck')
}

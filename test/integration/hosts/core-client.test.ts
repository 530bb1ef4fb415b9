import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isAppError } from '#electron/contract/errors.ts'
import type { CoreConfig } from '#electron/core/create-core.ts'
import { type CoreCrash, type CoreThread, startCoreThread } from '#electron/hosts/core-client.ts'
import { createLog } from '#electron/lib/log.ts'
import { createSandbox } from '#electron/sandbox/create-sandbox.ts'
import { bundledProgram } from '../../helpers/bundled-program.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { createHostPorts } from '../../helpers/host-ports.ts'
import { callsOver } from '../../helpers/start-core.ts'
import { toListener } from '../../helpers/subscribe-orders.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { statusWhere } from '../../helpers/wait-for.ts'
import type { TinyClient } from '../../helpers/tiny-contract.ts'

const entry = pathToFileURL(bundledProgram('tiny-core-thread'))

/** `version` says how the tiny core behaves. */
function running(options: Partial<Parameters<typeof startCoreThread>[0]> = {}, version = '1') {
  const { ports, lines } = createHostPorts('the data folder')
  const clock = createFakeClock()
  const core = startCoreThread({
    ports,
    config: { version, startWith: { kind: 'none' } },
    log: createLog(ports.log, 'host'),
    entry,
    clock,
    ...options,
  })
  const crashes: CoreCrash[] = []
  core.onCrash((crash) => crashes.push(crash))
  onTestFinished(() => core.stop())
  return { core, ports, lines, clock, crashes }
}

function clientOf(core: CoreThread) {
  const port = core.connect()
  const client = createORPCClient<TinyClient>(new RPCLink({ port: port as unknown as MessagePort }))
  port.start()
  return { port, client }
}

test('starts with the settings of the host and answers calls made before it is up', async () => {
  const { core } = running({ config: { version: '1', startWith: { kind: 'sandbox' } } })
  const { client } = clientOf(core)
  expect(await client.ports()).toMatchObject({ startWith: 'sandbox' })
  expect(await core.ready).toEqual({ listenerUrl: 'http://127.0.0.1:1/the data folder', problem: null })
})

test('carries port calls and their errors with code and data', async () => {
  const { core, ports } = running()
  await ports.secrets.set('account', 'value')
  const { client } = clientOf(core)
  expect(await client.ports()).toMatchObject({ startWith: 'none', secret: 'value', errorCode: 'UNSUPPORTED' })
})

test('rejects with the core’s error when the core refuses to start', async () => {
  const { core, crashes } = running({}, 'refuses-to-start')
  const error: unknown = await core.ready.catch((reason: unknown) => reason)
  expect(isAppError(error, 'STORAGE_FROM_FUTURE')).toBe(true)
  expect(error).toMatchObject({ data: { file: 'state.db' } })
  expect(crashes).toEqual([])
})

test('closes the ports after a crash and restarts with the last connection', async () => {
  const { core, crashes, lines } = running()
  const { client, port } = clientOf(core)
  const closed = once(port, 'close')
  const waiting = client.hang()
  await client.crash()
  await closed
  await expect(waiting).rejects.toThrow()
  await expect
    .poll(() => crashes)
    .toMatchObject([{ isFinal: false, error: { message: 'crashed on purpose' } }])
  expect(lines.some(({ level, message }) => level === 'error' && /restarting/.test(message))).toBe(true)
  const again = clientOf(core)
  expect(await again.client.ports()).toMatchObject({ startWith: 'last' })
})

test('restarts an unattended core as unattended', async () => {
  const startWith: CoreConfig['startWith'] = {
    kind: 'unattended',
    baseUrl: 'https://x.example/v1',
    apiKey: 'k',
  }
  const { core, crashes } = running({ config: { version: '1', startWith } })
  await clientOf(core).client.crash()
  await expect.poll(() => crashes.length).toBe(1)
  expect(await clientOf(core).client.ports()).toMatchObject({ startWith: 'unattended' })
})

test.each([
  ['stays down after a second crash at once', 0, true],
  ['restarts after a second crash a day later', 86_400_000, false],
])('%s', async (_what, laterMs, isFinal) => {
  const { core, crashes, clock } = running()
  for (let round = 0; round < 2; round++) {
    await clientOf(core).client.crash()
    await expect.poll(() => crashes.length).toBe(round + 1)
    await clock.advance(laterMs)
  }
  expect(crashes.map((crash) => crash.isFinal)).toEqual([false, isFinal])
  // It closes new ports at once.
  if (isFinal) await once(core.connect(), 'close')
})

test('stays down and reports it when the core refuses to restart', async () => {
  const { core, crashes, lines } = running({}, 'refuses-to-restart')
  await core.ready
  await clientOf(core).client.crash()
  await expect.poll(() => crashes.length).toBe(1)
  const early = clientOf(core)
  const closed = once(early.port, 'close')
  await expect.poll(() => crashes.map(({ isFinal }) => isFinal)).toEqual([false, true])
  expect(crashes[1]!.error).toMatchObject({ code: 'STORAGE_FROM_FUTURE' })
  expect(lines.some(({ level, message }) => level === 'error' && /not restart/.test(message))).toBe(true)
  await closed
  await once(core.connect(), 'close')
  await core.stop()
  expect(crashes.length).toBe(2)
})

test('does not count a stop during a restart as a crash', async () => {
  const { core, crashes } = running({}, 'refuses-to-restart')
  await core.ready
  core.onCrash(() => void core.stop())
  await clientOf(core).client.crash()
  await expect.poll(() => crashes.length).toBe(1)
  await core.stop()
  expect(crashes.map(({ isFinal }) => isFinal)).toEqual([false])
})

test('restarts and logs a stalled core, and reports why', async () => {
  const pingClock = createFakeClock()
  const { core, crashes, lines } = running({ pingClock, usedMs: pingClock.monotonic })
  const { client } = clientOf(core)
  await core.ready
  await client.stall()
  await pingClock.advance(35_000)
  await expect.poll(() => crashes).toMatchObject([{ isFinal: false, error: { name: 'CoreStalledError' } }])
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'The core stalled; restarting' }),
  )
  expect(await clientOf(core).client.ports()).toMatchObject({ restartAfter: 'stall' })
})

test('stays signed in and knows its signing secrets over a restart without a keychain', async () => {
  const sandbox = await createSandbox({ traffic: false, rateLimitPerMinute: null })
  onTestFinished(() => sandbox.stop())
  const { ports } = createHostPorts(tempFolder())
  let look = () => {}
  const pingClock = {
    ...createFakeClock(),
    every: (_ms: number, tick: () => void) => ((look = tick), () => {}),
  }
  let usedMs = 0
  const core = startCoreThread({
    ports,
    config: { version: '1', startWith: { kind: 'none' }, listenerPort: 0 },
    log: createLog(ports.log, 'host'),
    pingClock,
    usedMs: () => (usedMs += 30_000),
  })
  onTestFinished(() => core.stop())
  const crashes: CoreCrash[] = []
  core.onCrash((crash) => crashes.push(crash))
  const connected = () => {
    const port = core.connect()
    const { rpc } = callsOver(port as unknown as MessagePort)
    port.start()
    return rpc
  }
  await core.ready
  const rpc = connected()
  const { username, password } = sandbox.tenants[0]!
  await rpc.connections.connect({
    name: 'Harbor',
    baseUrl: sandbox.baseUrl,
    colour: 'blue',
    production: true,
    credential: { kind: 'password', username, password },
  })
  const { status } = await rpc.listener.get()
  await rpc.webhooks.subscribe(toListener(status.url!))
  // Without a turn of the event loop between them, no answer can come.
  for (let n = 0; n <= 7; n++) look()
  await expect.poll(() => crashes).toMatchObject([{ isFinal: false, error: { name: 'CoreStalledError' } }])
  const now = await statusWhere(connected(), ({ listener }) => listener.state === 'listening')
  expect(now.session.state).toBe('signed-in')
  expect(now.listener).toMatchObject({ withoutSecret: false, secretsNotKnown: [] })
})

test('rejects `ready` when the core crashes at every start', async () => {
  const { core, crashes } = running({}, 'crashes-at-start')
  await expect(core.ready).rejects.toThrow('crashed at start')
  expect(crashes.map(({ isFinal }) => isFinal)).toEqual([false, true])
})

test('survives a core that runs out of memory', async () => {
  const { core, crashes } = running({
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
  const { client, port } = clientOf(core)
  client.fill().catch(() => {})
  await once(port, 'close')
  await expect.poll(() => crashes[0]).toMatchObject({ error: { code: 'ERR_WORKER_OUT_OF_MEMORY' } })
})

test('terminates a core that does not stop by the deadline', async () => {
  const { core, clock, lines } = running({ stopDeadlineMs: 8_000 }, 'hangs-at-stop')
  await core.ready
  const stopped = core.stop()
  await clock.advance(8_000)
  await stopped
  expect(lines.some(({ message }) => message.includes('was terminated'))).toBe(true)
})

test('stops once without a crash and gives closed ports afterwards', async () => {
  const { core, crashes } = running()
  await core.ready
  await Promise.all([core.stop(), core.stop()])
  await once(core.connect(), 'close')
  expect(crashes).toEqual([])
})

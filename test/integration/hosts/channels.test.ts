import { type ClientLink, createORPCClient, ORPCError, safe } from '@orpc/client'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type CoreThread, startCoreThread } from '#electron/hosts/core-client.ts'
import { createLog } from '#electron/lib/log.ts'
import { bundledProgram } from '../../helpers/bundled-program.ts'
import { createHostPorts } from '../../helpers/host-ports.ts'
import type { TinyClient } from '../../helpers/tiny-contract.ts'
import { startTestWebServer } from '../../helpers/web-server.ts'

/** One open channel to the tiny core. */
interface Channel {
  link: ClientLink<Record<never, never>>
  /** Ends this channel from the client's side. */
  close(): void
}

/** A transport under test: `open` adds a channel to the same core. */
interface ChannelHost {
  open(): Promise<Channel>
  stop(): Promise<void>
}

const overPorts = (core: CoreThread): Promise<ChannelHost> =>
  Promise.resolve({
    open() {
      const port = core.connect()
      const link = new PortLink({ port: port as unknown as MessagePort })
      port.start()
      return Promise.resolve({ link, close: () => port.close() })
    },
    stop: () => Promise.resolve(),
  })

async function overSockets(core: CoreThread): Promise<ChannelHost> {
  const server = await startTestWebServer({ connect: () => core.connect() })
  return {
    async open() {
      const socket = new WebSocket(`ws://127.0.0.1:${server.web.port}/rpc`, {
        origin: server.origin,
        headers: { cookie: server.cookie },
      })
      const link = new SocketLink({ websocket: socket as unknown as globalThis.WebSocket })
      await once(socket, 'open')
      return { link, close: () => socket.close() }
    },
    stop: () => server.stop(),
  }
}

describe.each([
  ['a message port', overPorts],
  ['a WebSocket', overSockets],
])('a channel to the core thread over %s', (_name, start) => {
  let core: CoreThread
  let host: ChannelHost
  let channel: Channel
  let client: TinyClient

  // A core for all: each test ends with its own channel.
  beforeAll(async () => {
    const { ports } = createHostPorts()
    core = startCoreThread({
      ports,
      config: { version: '0.0.0', startWith: { kind: 'none' } },
      log: createLog(ports.log, 'host'),
      entry: pathToFileURL(bundledProgram('tiny-core-thread')),
    })
    await core.ready
    host = await start(core)
  })
  afterAll(async () => {
    await host.stop()
    await core.stop()
  })
  beforeEach(async () => {
    channel = await host.open()
    client = createORPCClient(channel.link)
  })
  afterEach(() => channel.close())

  async function census(): Promise<Awaited<ReturnType<TinyClient['census']>>> {
    const other = await host.open()
    try {
      return await createORPCClient<TinyClient>(other.link).census()
    } finally {
      other.close()
    }
  }

  test('delivers a declared error with its code and data', async () => {
    const { error, isDefined } = await safe(client.refuse({ port: 8787 }))
    expect(isDefined).toBe(true)
    expect(error).toMatchObject({ code: 'PORT_TAKEN', data: { port: 8787 } })
  })

  test('hides the reason and stack of an unexpected error', async () => {
    const error: unknown = await client.explode().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ORPCError)
    expect(JSON.stringify(error)).not.toMatch(/secret reason|\.ts:/)
  })

  test('keeps invalid input from the handler', async () => {
    const error: unknown = await client
      .echo({ text: 5 as unknown as string })
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('rejects waiting calls and stops every stream on the server when closed', async () => {
    const { aborted } = await census()
    const waiting = client.hang()
    const streams = await Promise.all([client.count(), client.count(), client.count()])
    await Promise.all(streams.map((stream) => stream.next()))
    await expect.poll(census).toMatchObject({ streams: 3, hanging: 1 })
    channel.close()
    await expect(waiting).rejects.toThrow()
    await expect.poll(census).toMatchObject({ streams: 0, hanging: 0, aborted: aborted + 1 })
  })

  test('has no procedures named like built-in properties', async () => {
    const paths = 'constructor __proto__ toString hasOwnProperty ~orpc echo/handler echo/~orpc '.split(' ')
    const loose = channel.link as ClientLink<Record<string, unknown>>
    for (const path of paths) {
      await expect(loose.call(path.split('/'), { text: 'x' }, { context: {} })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
  })

  test('passes an answer of 8 MiB and an input of 512 KiB whole', async () => {
    const { text } = await client.blob({ sizeBytes: 8 * 1_048_576 })
    expect(text.length).toBe(8 * 1_048_576)
    const question = 'é'.repeat(256 * 1_024)
    expect((await client.echo({ text: question })).text === question).toBe(true)
  })
})

import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { implement } from '@orpc/server'
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createServer } from '#electron/core/platform/rpc/serve.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { tinyContract } from '../../../../helpers/tiny-contract.ts'
import type { TinyClient } from '../../../hosts/channel-suite.ts'

/** The real server with one procedure; an echo's answer proves that all earlier frames were read. */
function serving() {
  const of = implement(tinyContract)
  const lines: LogEntry[] = []
  const clock = createFakeClock()
  const router = { echo: of.echo.handler(({ input }) => input) }
  const serve = createServer(
    router,
    {} as never,
    createLog((entry) => lines.push(entry), 'test'),
    clock,
  )
  const open = () => {
    const { port1, port2 } = new MessageChannel()
    serve(port2)
    onTestFinished(() => port1.close())
    const client = createORPCClient<Pick<TinyClient, 'echo'>>(
      new RPCLink({ port: port1 as unknown as MessagePort }),
    )
    port1.start()
    return { port: port1, client }
  }
  const counts = () => lines.map(({ level, data }) => [level, (data as { frames: number }).frames])
  return { open, lines, counts, clock }
}

test('logs unreadable frames once a second with their count', async () => {
  const { open, counts, clock } = serving()
  const { port, client } = open()
  for (let n = 0; n < 30; n++) port.postMessage('not a frame')
  await client.echo({ text: 'read' })
  expect(counts()).toEqual([['warn', 1]])
  await clock.advance(1_000)
  expect(counts()).toEqual([
    ['warn', 1],
    ['warn', 29],
  ])
  await clock.advance(60_000)
  expect(counts().length).toBe(2)
  port.postMessage('not a frame')
  await client.echo({ text: 'read' })
  expect(counts().at(-1)).toEqual(['warn', 1])
})

test('shares the line of a second among ports', async () => {
  const { open, counts } = serving()
  for (const { port, client } of [open(), open(), open()]) {
    port.postMessage('not a frame')
    await client.echo({ text: 'read' })
  }
  expect(counts().length).toBe(1)
})

test('closes a port after a hundred of them and still answers its neighbour', async () => {
  const { open, lines, clock } = serving()
  const [wild, calm] = [open(), open()]
  for (let n = 0; n < 99; n++) wild.port.postMessage('not a frame')
  expect(await wild.client.echo({ text: 'still here' })).toEqual({ text: 'still here' })
  const closed = once(wild.port, 'close')
  wild.port.postMessage('not a frame')
  await closed
  expect(await calm.client.echo({ text: 'still here' })).toEqual({ text: 'still here' })
  await clock.advance(1_000)
  expect(lines.at(-1)).toMatchObject({ data: { frames: 99, closedPorts: 1 } })
})

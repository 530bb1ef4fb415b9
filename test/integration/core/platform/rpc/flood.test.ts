import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { implement } from '@orpc/server'
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import {
  callsPerPage,
  frameDepthMax,
  framesWaitingMax,
  longestCallBytes,
  streamsPerPage,
} from '#contract/limits.ts'
import { createServer } from '#electron/core/platform/rpc/serve.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { type TinyClient, tinyContract } from '../../../../helpers/tiny-contract.ts'

/** The real server in this thread, with calls that count their runs. */
function serving() {
  const of = implement(tinyContract)
  const lines: LogEntry[] = []
  let echoes = 0
  let waiting: (() => void)[] = []
  const router = {
    echo: of.echo.handler(({ input }) => {
      echoes++
      return input
    }),
    hang: of.hang.handler(
      () => new Promise<Record<string, never>>((resolve) => waiting.push(() => resolve({}))),
    ),
    count: of.count.handler(async function* ({ signal }) {
      yield { n: 0 }
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    }),
  }
  const clock = createFakeClock()
  const log = createLog((entry) => lines.push(entry), 'test')
  const serve = createServer(router, {} as never, log, clock)
  const open = () => {
    const { port1, port2 } = new MessageChannel()
    serve(port2)
    onTestFinished(() => port1.close())
    const client = createORPCClient<Pick<TinyClient, 'echo' | 'hang' | 'count'>>(
      new RPCLink({ port: port1 as unknown as MessagePort }),
    )
    port1.start()
    return { port: port1, client }
  }
  return {
    open,
    clock,
    lines,
    echoes: () => echoes,
    /** Level and count of each line about refused frames. */
    counts: () => lines.map(({ level, data }) => [level, (data as { frames: number }).frames]),
    refusals: () => lines.map(({ data }) => (data as { error: unknown }).error),
    answerAll() {
      for (const answer of waiting) answer()
      waiting = []
    },
  }
}

const echoFrame = (id: number, input: string) => `{"i":"${id}","p":{"u":"/echo","b":{"json":${input}}}}`
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

test('limits the streams of a page and frees a closed one’s place', async () => {
  const { open } = serving()
  const { client } = open()
  const streams = await Promise.all(times(streamsPerPage).map(() => client.count()))
  await Promise.all(streams.map((stream) => stream.next()))
  await expect(client.count()).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' })
  expect(await client.echo({ text: 'calls go on' })).toEqual({ text: 'calls go on' })
  const neighbour = await open().client.count()
  expect(await neighbour.next()).toMatchObject({ value: { n: 0 } })
  await streams[0]!.return()
  await expect
    .poll(() =>
      client.count().then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
})

test('counts no stream that was aborted while opening', async () => {
  const { open } = serving()
  const { port, client } = open()
  for (const id of times(streamsPerPage * 3)) {
    port.postMessage(`{"i":"s${id}","p":{"u":"/count"}}`)
    port.postMessage(`{"i":"s${id}","t":4}`)
  }
  expect(await (await client.count()).next()).toMatchObject({ value: { n: 0 } })
})

test('limits concurrent calls of a page and frees a finished one’s place', async () => {
  const { open, answerAll } = serving()
  const { client } = open()
  const calls = times(callsPerPage).map(() => client.hang())
  await expect(client.hang()).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' })
  expect(await open().client.echo({ text: 'another page' })).toEqual({ text: 'another page' })
  answerAll()
  await Promise.all(calls)
  expect(await client.echo({ text: 'room again' })).toEqual({ text: 'room again' })
})

test('counts an aborted call until it ends', async () => {
  const { open, answerAll } = serving()
  const { port, client } = open()
  for (const id of times(callsPerPage)) {
    port.postMessage(`{"i":"c${id}","p":{"u":"/hang"}}`)
    port.postMessage(`{"i":"c${id}","t":4}`)
  }
  await expect(client.echo({ text: 'none' })).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' })
  answerAll()
  expect(await client.echo({ text: 'room' })).toEqual({ text: 'room' })
})

test('delays another page by only a few of a flooding page’s calls', async () => {
  const { open, echoes } = serving()
  const [wild, calm] = [open(), open()]
  for (const id of times(framesWaitingMax)) wild.port.postMessage(echoFrame(id, '{"text":"wild"}'))
  await calm.client.echo({ text: 'calm' })
  expect(echoes()).toBeLessThan(100)
})

test('disconnects only the page with too many queued frames', async () => {
  const { open } = serving()
  const [wild, calm] = [open(), open()]
  const closed = once(wild.port, 'close')
  for (const id of times(framesWaitingMax + 2)) wild.port.postMessage(echoFrame(id, '{"text":"wild"}'))
  await closed
  expect(await calm.client.echo({ text: 'calm' })).toEqual({ text: 'calm' })
})

test.each([
  ['nested millions deep', echoFrame(1, '['.repeat(2_900_000)), 'nested too deeply'],
  ['nested one level too deep', echoFrame(1, '['.repeat(frameDepthMax - 2)), 'nested too deeply'],
  ['longer than any call', echoFrame(1, `"${'x'.repeat(longestCallBytes)}"`), 'too long'],
  ['of bytes', new TextEncoder().encode(echoFrame(1, '{"text":"bytes"}')), 'not text'],
])('refuses a frame %s before parsing it', async (_name, frame, problem) => {
  const { open, echoes, refusals } = serving()
  const { port, client } = open()
  port.postMessage(frame)
  await client.echo({ text: 'next' })
  expect(echoes()).toBe(1)
  expect(refusals()).toEqual([expect.stringContaining(problem)])
})

test('ignores brackets and escaped quotes inside strings when counting depth', async () => {
  const { open } = serving()
  const text = '[{"\\'.repeat(1_000)
  expect(await open().client.echo({ text })).toEqual({ text })
})

test.each([
  [
    'GET with its input in the address',
    '{"i":"1","p":{"u":"/echo?data=%7B%22json%22%3A%7B%7D%7D","m":"GET"}}',
  ],
  ['a stream as its input', '{"i":"1","p":{"u":"/echo","h":{"content-type":"text/event-stream"}}}'],
  [
    'a file as its input',
    '{"i":"1","p":{"u":"/echo","h":{"content-disposition":"attachment; filename=\\"a\\""}}}',
  ],
])('knows no call by %s', async (_name, frame) => {
  const { open, echoes } = serving()
  const { port } = open()
  const answer = once(port, 'message') as Promise<[string]>
  port.postMessage(frame)
  expect(JSON.parse((await answer)[0])).toMatchObject({ i: '1', p: { s: 404 } })
  expect(echoes()).toBe(0)
})

test('logs unreadable frames once a second with their count', async () => {
  const { open, counts, clock } = serving()
  const { port, client } = open()
  for (const _ of times(30)) port.postMessage('not a frame')
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

import { implement } from '@orpc/server'
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createServer } from '#electron/core/platform/rpc/serve.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { tinyContract } from '../../../../helpers/tiny-contract.ts'

/** The real server in this thread, with a call that counts its runs. */
function serving() {
  const lines: LogEntry[] = []
  let echoes = 0
  const echo = implement(tinyContract).echo.handler(({ input }) => {
    echoes++
    return input
  })
  const serve = createServer(
    { echo },
    {} as never,
    createLog((entry) => lines.push(entry), 'test'),
  )
  const { port1: page, port2 } = new MessageChannel()
  serve(port2)
  onTestFinished(() => page.close())
  /** The first answer to a frame. */
  const ask = async (frame: string): Promise<unknown> => {
    const answer = once(page, 'message') as Promise<[string]>
    page.postMessage(frame)
    return JSON.parse((await answer)[0])
  }
  return { page, ask, lines, echoes: () => echoes }
}

const echoFrame = (id: number, input: string) => `{"i":"${id}","p":{"u":"/echo","b":{"json":${input}}}}`
const called = { i: '2', p: { b: { json: { text: 'next' } } } }

test.each([
  ['nested millions deep', echoFrame(1, '['.repeat(2_900_000))],
  ['that is no JSON', 'not a frame'],
  ['of bytes', new TextEncoder().encode(echoFrame(1, '{"text":"bytes"}'))],
])('ignores a frame %s, logs it, and answers the next', async (_name, frame) => {
  const { page, ask, lines, echoes } = serving()
  page.postMessage(frame)
  expect(await ask(echoFrame(2, '{"text":"next"}'))).toMatchObject(called)
  expect(echoes()).toBe(1)
  expect(lines).toMatchObject([{ level: 'warn', message: 'Refused a frame of a page' }])
})

test('answers a whole input that nests too deep as an error, and the next call', async () => {
  const { page, ask, echoes } = serving()
  const deep = once(page, 'message') as Promise<[string]>
  page.postMessage(echoFrame(1, `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`))
  expect(JSON.parse((await deep)[0])).toMatchObject({ i: '1', p: { s: 500 } })
  expect(await ask(echoFrame(2, '{"text":"next"}'))).toMatchObject(called)
  expect(echoes()).toBe(1)
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
  const { ask, echoes } = serving()
  expect(await ask(frame)).toMatchObject({ i: '1', p: { s: 404 } })
  expect(echoes()).toBe(0)
})

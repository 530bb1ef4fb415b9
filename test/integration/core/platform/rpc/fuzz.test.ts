import { isContractProcedure } from '@orpc/contract'
import { implement } from '@orpc/server'
import fc from 'fast-check'
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { contract } from '#contract/contract.ts'
import { AppError } from '#contract/errors.ts'
import { createServer } from '#electron/core/platform/rpc/serve.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { startTestWebServer } from '../../../../helpers/web-server.ts'

/** `SWITCHBOARD_FUZZ=200000` runs it at full size; see test/README.md. */
const frameCount = Number(process.env['SWITCHBOARD_FUZZ'] ?? 2_500)
const seed = Number(process.env['SWITCHBOARD_FUZZ_SEED'] ?? 20_261_122)
const framesPerPage = 100

type Frame = string | Uint8Array
interface Page {
  send(frame: Frame): void
  /** Answer to a valid call, after everything sent before it. */
  ask(): Promise<string>
  close(): void
}

/** The real contract, with handlers that check their input against its schema. */
function serving() {
  const lines: LogEntry[] = []
  const paths: string[] = []
  const reached = new Map<string, number>()
  const unvalidated: string[] = []

  function stub(node: unknown, builder: unknown, path: string): unknown {
    if (isContractProcedure(node)) {
      paths.push(path)
      const schema = node['~orpc'].inputSchema
      const procedure = builder as {
        handler(run: (call: { input: unknown }) => Promise<never>): unknown
      }
      return procedure.handler(async ({ input }) => {
        reached.set(path, (reached.get(path) ?? 0) + 1)
        const verdict = await schema?.['~standard'].validate(input)
        if (verdict?.issues) unvalidated.push(`${path}: ${JSON.stringify(input)}`)
        throw new AppError('UNSUPPORTED', { capability: 'fuzz' })
      })
    }
    return Object.fromEntries(
      Object.entries(node as object).map(([name, inner]) => [
        name,
        stub(inner, (builder as Record<string, unknown>)[name], `${path}/${name}`),
      ]),
    )
  }

  const router = stub(contract, implement(contract), '')
  const serve = createServer(
    router as never,
    {} as never,
    createLog((entry) => lines.push(entry), 'test'),
  )
  const connect = () => {
    const { port1: host, port2: core } = new MessageChannel()
    serve(core)
    return host
  }
  return { connect, paths, reached, unvalidated, lines }
}

/** Random frames: calls with any input, broken calls, arbitrary text and bytes. */
function frames(paths: readonly string[]): fc.Arbitrary<Frame> {
  const odd = fc.constantFrom('__proto__', 'constructor', 'toString', '~orpc', '..', '%2e%2e', '\u0000')
  const path = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...paths) },
    fc.tuple(fc.constantFrom(...paths), odd).map(([known, name]) => `${known}/${name}`),
    fc.string(),
  )
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('id', 'filter', 'limit', 'text', 'cursor', '__proto__'), fc.string()),
      fc.jsonValue(),
    ),
    fc.constantFrom(undefined, {}, null, [], -1, 1e308, '', { id: 'known' }),
  )
  const meta = fc.option(
    fc.array(
      fc.array(fc.oneof(fc.nat(12), fc.constantFrom('__proto__', 'constructor', 'id'), fc.string()), {
        maxLength: 4,
      }),
      { maxLength: 3 },
    ),
    { nil: undefined },
  )
  const call = fc.record(
    {
      i: fc.oneof(fc.string(), fc.nat(), fc.jsonValue()),
      t: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom(1, 2, 3, 4, 99, 'x')),
      p: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record(
            {
              u: path,
              b: fc.oneof(
                { weight: 6, arbitrary: fc.record({ json: value, meta }, { requiredKeys: [] }) },
                fc.jsonValue(),
              ),
              h: fc.option(
                fc.dictionary(fc.constantFrom('content-type', 'content-disposition', 'x'), fc.string()),
                {
                  nil: undefined,
                  freq: 8,
                },
              ),
              m: fc.option(fc.constantFrom('GET', 'POST', 'DELETE', 'CONNECT'), { nil: undefined, freq: 8 }),
            },
            { requiredKeys: ['u'] },
          ),
        },
        fc.jsonValue(),
      ),
    },
    { requiredKeys: ['i'] },
  )
  const text = call.map((frame) => JSON.stringify(frame))
  const broken = fc
    .tuple(text, fc.nat(), fc.nat(6), fc.string({ maxLength: 3 }))
    .map(([whole, at, length, put]) => {
      const from = at % (whole.length + 1)
      return whole.slice(0, from) + put + whole.slice(from + length)
    })
  return fc.oneof(
    { weight: 12, arbitrary: text },
    { weight: 5, arbitrary: broken },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
    { weight: 1, arbitrary: fc.nat(5_000).map((depth) => `{"i":1,"p":${'['.repeat(depth)}`) },
  )
}

const question = '{"i":"question","p":{"u":"/connections/list"}}'
const isAnswer = (frame: unknown) => String(frame).startsWith('{"i":"question"')

async function fuzz(core: ReturnType<typeof serving>, open: () => Promise<Page>): Promise<void> {
  const all = fc.sample(frames(core.paths), { seed, numRuns: frameCount })
  const calm = await open()
  for (let from = 0; from < all.length; from += framesPerPage) {
    const page = await open()
    for (const frame of all.slice(from, from + framesPerPage)) page.send(frame)
    expect(await page.ask()).toContain('UNSUPPORTED')
    page.close()
  }
  expect(await calm.ask()).toContain('UNSUPPORTED')
  calm.close()
  expect(core.unvalidated).toEqual([])
  expect(core.lines.filter(({ message }) => message === 'Unexpected error')).toEqual([])
  // Some frames must be valid calls, or this proves nothing.
  expect(core.reached.size).toBeGreaterThan(10)
}

test(`${frameCount} random frames crash nothing and pass no invalid input`, async () => {
  const core = serving()
  const server = await startTestWebServer({ connect: core.connect })
  onTestFinished(() => server.stop())
  await fuzz(core, async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.web.port}/rpc`, {
      origin: server.origin,
      headers: { cookie: server.cookie },
    })
    await once(socket, 'open')
    let answered = (_frame: string) => {}
    socket.on('message', (frame: Buffer) => isAnswer(frame) && answered(frame.toString()))
    return {
      send: (frame) => socket.send(frame),
      ask: () =>
        new Promise<string>((resolve) => {
          answered = resolve
          socket.send(question)
        }),
      close: () => socket.close(),
    }
  })
})

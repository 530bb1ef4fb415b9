import { implement } from '@orpc/server'
import Sqlite from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { AppError, isAppError } from '../../electron/contract/errors.ts'
import { createServer } from '../../electron/core/platform/rpc/serve.ts'
import { runCore } from '../../electron/hosts/run-core.ts'
import { createLog } from '../../electron/lib/log.ts'
import { endless } from './held-write.ts'
import { tinyContract } from './tiny-contract.ts'

/** A core without a product: the real bridge and server over a router with one procedure per channel behaviour. */
runCore((ports, config) => {
  let streams = 0
  let hanging = 0
  let aborted = 0
  const of = implement(tinyContract)
  const router = {
    echo: of.echo.handler(({ input }) => input),
    refuse: of.refuse.handler(({ input }) => {
      throw new AppError('PORT_TAKEN', { port: input.port })
    }),
    explode: of.explode.handler(() => {
      throw new Error('the secret reason')
    }),
    hang: of.hang.handler(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          hanging++
          signal?.addEventListener('abort', () => {
            hanging--
            aborted++
            reject(new Error('aborted'))
          })
        }),
    ),
    count: of.count.handler(async function* ({ signal }) {
      streams++
      try {
        for (let n = 0; !signal?.aborted; n++) {
          yield { n }
          await nextTurn()
        }
      } finally {
        streams--
      }
    }),
    blob: of.blob.handler(({ input }) => ({ text: 'x'.repeat(input.sizeBytes) })),
    census: of.census.handler(() => ({ streams, hanging, aborted })),
    crash: of.crash.handler(() => {
      setImmediate(() => {
        throw new Error('crashed on purpose')
      })
      return {}
    }),
    stall: of.stall.handler(() => {
      setImmediate(() => {
        for (;;);
      })
      return {}
    }),
    wait: of.wait.handler(({ input }) => {
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, input.ms))
      return {}
    }),
    query: of.query.handler(() => {
      setImmediate(() => {
        new Sqlite(':memory:').prepare(endless).get()
      })
      return {}
    }),
    fill: of.fill.handler(() => {
      const kept: unknown[] = []
      for (;;) kept.push({ n: kept.length })
    }),
    ports: of.ports.handler(async () => ({
      startWith: config.startWith.kind,
      restartAfter: config.restartAfter ?? null,
      secret: await ports.secrets.get('account'),
      errorCode: await ports.openExternal('https://example.com').then(
        () => null,
        (error: unknown) => (isAppError(error) ? error.code : 'not an AppError'),
      ),
    })),
  }
  const serve = createServer(router, {} as never, createLog(ports.log, 'tiny'))
  return {
    serve,
    async start() {
      // Its own option, to test a failing start without a product.
      if (config.version === 'refuses-to-start')
        throw new AppError('STORAGE_FROM_FUTURE', { file: 'state.db' })
      if (config.version === 'refuses-to-restart' && config.restartAfter !== undefined)
        throw new AppError('STORAGE_FROM_FUTURE', { file: 'state.db' })
      if (config.version === 'crashes-at-start') {
        setImmediate(() => {
          throw new Error('crashed at start')
        })
        await new Promise(() => {})
      }
      return {
        listenerUrl: `http://127.0.0.1:1/${(workerData as { dataDir: string }).dataDir}`,
        problem: null,
      }
    },
    ask: () => Promise.resolve(),
    suspend: () => Promise.resolve(),
    wake: () => Promise.resolve(),
    async stop() {
      if (config.version === 'hangs-at-stop') await new Promise(() => {})
    },
  }
})

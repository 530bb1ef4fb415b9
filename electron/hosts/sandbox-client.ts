import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '../contract/errors.ts'
import type { SandboxAccess } from '../core/ports.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { entryUrl } from '../lib/entry-url.ts'
import type { Log } from '../lib/log.ts'
import { rememberedPort } from './remembered-port.ts'
import type {
  SandboxThreadCommand,
  SandboxThreadData,
  SandboxThreadMessage,
} from '../sandbox/sandbox-thread.ts'

/** Time for the sandbox to write its state. */
const stopDeadlineMs = 3_000
/** Keeps the process smaller: the sandbox makes little garbage at a time. */
const heapLimits = { maxYoungGenerationSizeMb: 4 }

/**
 * Runs the sandbox in a thread, started on first use. Its records live in `<dataDir>/sandbox/` and it keeps
 * its port while free, so connections survive a restart. `options` and `entry` are for tests.
 */
export function createSandboxStarter({
  dataDir,
  log,
  clock = systemClock,
  entry = entryUrl('sandbox-thread'),
  options = {},
}: {
  dataDir: string
  log: Log
  clock?: Clock
  entry?: URL
  options?: SandboxThreadData
}) {
  const folder = join(dataDir, 'sandbox')
  const lastPort = rememberedPort(join(folder, 'port'))
  let worker: Worker | null = null
  let opening: Promise<SandboxAccess> | null = null

  async function start(): Promise<SandboxAccess> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const port = lastPort.read()
    let answer = await launch(port)
    if (answer.kind === 'failed' && port !== 0) {
      log.warn('The sandbox could not reuse its port', { port, detail: answer.message })
      answer = await launch(0)
    }
    if (answer.kind === 'failed') throw new AppError('SANDBOX_FAILED', { detail: answer.message })
    const { kind: _kind, ...access } = answer
    const { baseUrl } = access
    lastPort.write(Number(new URL(baseUrl).port))
    log.info('Sandbox ready', { baseUrl })
    return access
  }

  /** One run of the thread, up to its first message. */
  function launch(port: number): Promise<SandboxThreadMessage> {
    const data: SandboxThreadData = {
      stateFile: join(folder, 'state.bin'),
      history: true,
      ...options,
      port,
    }
    return new Promise((resolve) => {
      const mine = new Worker(entry, { name: 'sandbox', workerData: data, resourceLimits: heapLimits })
      mine.on('message', (message: SandboxThreadMessage) => {
        if (message.kind === 'ready') worker = mine
        resolve(message)
      })
      mine.on('error', (error) => {
        log.error('The sandbox crashed', { error })
        resolve({ kind: 'failed', message: error.message })
      })
      mine.on('exit', (code) => {
        resolve({ kind: 'failed', message: `it exited early (exit code ${code})` })
        if (worker !== mine) return
        worker = null
        opening = null
        log.info('The sandbox ended')
      })
    })
  }

  return {
    /** Starts the sandbox unless it runs. Rejects with SANDBOX_FAILED. */
    open(): Promise<SandboxAccess> {
      opening ??= start().catch((error: unknown) => {
        opening = null
        throw error
      })
      return opening
    },
    /** Stops it if it runs. Never rejects. */
    async stop(): Promise<void> {
      await opening?.catch(() => {})
      const mine = worker
      if (!mine) return
      const exited = new Promise<void>((resolve) => mine.once('exit', () => resolve()))
      const deadline = new AbortController()
      mine.postMessage({ kind: 'stop' } satisfies SandboxThreadCommand)
      await Promise.race([exited, clock.sleep(stopDeadlineMs, deadline.signal).catch(() => {})])
      deadline.abort()
      await mine.terminate()
    },
  }
}

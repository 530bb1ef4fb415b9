import { fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { CoreConfig } from '#electron/core/create-core.ts'
import { bundledProgram } from './bundled-program.ts'
import { callsOver } from './start-core.ts'

/** The console of `console-process.ts`. */
export interface ConsoleOptions {
  dataDir: string
  startWith: CoreConfig['startWith']
  /** Its waits pass 20 times faster; with `day`, its time of day too, so that undo windows end. */
  clock?: 'fast' | 'fast-day'
}

/** A console in its own process, to kill and start again. Its calls fail when it ends. */
export function startKilledConsole(options: ConsoleOptions) {
  const start = () => {
    const child = fork(bundledProgram('console-process'), [JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const calls = callsOver({
      on: (event, callback) => void child.on(event, (data: unknown) => callback({ data })),
      postMessage: (frame: string) => void child.send(frame),
    })
    return { child, exit: once(child, 'exit'), ...calls }
  }
  let running = start()
  let untilKill = Infinity
  const kill = () => {
    running.child.kill('SIGKILL')
    return running.exit
  }
  onTestFinished(() => void kill())

  return {
    get rpc() {
      return running.rpc
    },
    /** Calls of a page that shows this connection. */
    rpcOf: (connectionId: string) => running.rpcOf(connectionId),
    /** @returns its exit code and signal. */
    kill,
    /** Starts it again once it has ended. */
    async restart(): Promise<void> {
      await running.exit
      running = start()
    },
    /** Waits for a call, or for the kill that cuts it short. */
    untilKilled: (call: Promise<unknown>) => Promise.race([call, running.exit]),
    /** Plans a kill during the request that comes after this many. */
    killAfter(requests: number) {
      untilKill = requests
    },
    /** Counts a request; the planned kill follows after `delayMs`. */
    countRequest(delayMs: () => number) {
      if (--untilKill >= 0) return
      untilKill = Infinity
      setTimeout(() => void kill(), delayMs())
    },
  }
}

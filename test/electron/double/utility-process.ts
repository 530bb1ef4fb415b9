import { type ChildProcess, fork } from 'node:child_process'
import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

interface ForkOptions {
  env?: NodeJS.ProcessEnv
  execArgv?: string[]
  serviceName?: string
  stdio?: 'ignore' | 'inherit' | 'pipe'
}

const optionNames = new Set(['env', 'execArgv', 'serviceName', 'stdio'])
const running = new Set<ChildProcess>()
let isReady: () => boolean = () => false

/** Tells the double how to know that the app is ready. */
export function afterReadyOf(ready: () => boolean): void {
  isReady = ready
}

/** Electron's utility processes end with the app. */
export function endUtilityProcesses(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Electron's `utilityProcess` over Node's `fork`; `process.parentPort` is made in the child by `parent-port.ts`. */
export const utilityProcess = loud('utilityProcess', {
  fork(modulePath: string, args: string[] = [], options: ForkOptions = {}): object {
    if (!isReady()) throw new Error('utilityProcess cannot be created before app is ready.')
    const unknown = Object.keys(options).filter((name) => !optionNames.has(name))
    if (unknown.length > 0)
      throw new MissingInDoubleError(`The Electron double has no fork option ${unknown.join(', ')}`)
    const stdio = options.stdio ?? 'inherit'
    const child = fork(modulePath, args, {
      env: options.env ?? process.env,
      execArgv: ['--import', new URL('./parent-port.ts', import.meta.url).href, ...(options.execArgv ?? [])],
      stdio: [stdio, stdio, stdio, 'ipc'],
      serialization: 'advanced',
    })
    running.add(child)
    const emitter = new DoubleEmitter('utilityProcess', ['spawn', 'exit', 'message', 'error'])
    let isGone = false
    child.once('spawn', () => emitter.emit('spawn'))
    child.on('message', (message) => emitter.emit('message', message))
    child.on('error', () => {})
    child.once('exit', (code) => {
      running.delete(child)
      isGone = true
      emitter.emit('exit', code ?? 1)
    })
    let isSpawned = false
    child.once('spawn', () => (isSpawned = true))
    return loud(
      'utilityProcess',
      Object.defineProperty(
        Object.assign(emitter, {
          postMessage(message: unknown) {
            if (!isGone && child.connected) child.send(message as object)
          },
          kill: () => child.kill('SIGTERM'),
          stdout: child.stdout,
          stderr: child.stderr,
        }),
        'pid',
        // Undefined until it runs and once it ended, as documented.
        { get: () => (isSpawned && !isGone ? child.pid : undefined) },
      ),
    )
  },
})

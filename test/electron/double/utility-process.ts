import { type ChildProcess, fork } from 'node:child_process'
import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

interface ForkOptions {
  env?: NodeJS.ProcessEnv
  execArgv?: string[]
  serviceName?: string
  stdio?: 'ignore' | 'inherit' | 'pipe'
}

/** What utility processes need from the app. */
interface AppParts {
  isReady(): boolean
  emit(event: string, ...args: unknown[]): boolean
}

const optionNames = new Set(['env', 'execArgv', 'serviceName', 'stdio'])
const running = new Set<ChildProcess>()
let app: AppParts | null = null

/** Gives the double’s `app` to its utility processes. */
export function belongTo(parts: AppParts): void {
  app = parts
}

/** Electron's utility processes end with the app. */
export function endUtilityProcesses(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Electron’s `utilityProcess` over Node’s `fork`; `parent-port.ts` adds `process.parentPort` in the child. */
export const utilityProcess = loud('UtilityProcess', {
  fork(modulePath: string, args: string[] = [], options: ForkOptions = {}): object {
    if (!app?.isReady()) throw new Error('utilityProcess cannot be created before app is ready.')
    const unknown = Object.keys(options).filter((name) => !optionNames.has(name))
    if (unknown.length > 0)
      throw new MissingInDoubleError(`The Electron double has no fork option ${unknown.join(', ')}`)
    const { serviceName = 'Node Utility Process', stdio = 'inherit' } = options
    const child = fork(modulePath, args, {
      env: options.env ?? process.env,
      execArgv: ['--import', new URL('./parent-port.ts', import.meta.url).href, ...(options.execArgv ?? [])],
      stdio: [stdio, stdio, stdio, 'ipc'],
      serialization: 'advanced',
    })
    running.add(child)
    const emitter = new DoubleEmitter('UtilityProcess', ['spawn', 'exit', 'message', 'error'])
    let isSpawned = false
    let isGone = false
    child.once('spawn', () => {
      isSpawned = true
      emitter.emit('spawn')
    })
    child.on('message', (message) => emitter.emit('message', message))
    child.on('error', () => {})
    child.once('exit', (code, signal) => {
      running.delete(child)
      isGone = true
      emitter.emit('exit', code ?? 1)
      // Called for every end but a clean one, including one that the app requested.
      if (code === 0) return
      const reason =
        signal === 'SIGKILL' || signal === 'SIGTERM' ? 'killed' : signal ? 'crashed' : 'abnormal-exit'
      app?.emit(
        'child-process-gone',
        {},
        {
          type: 'Utility',
          reason,
          exitCode: code ?? 9,
          serviceName: 'node.mojom.NodeService',
          name: serviceName,
        },
      )
    })
    return loud(
      'UtilityProcess',
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
        // Undefined before it runs and after it ended, as documented.
        { get: () => (isSpawned && !isGone ? child.pid : undefined) },
      ),
    )
  },
})

import { type ChildProcess, fork } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Electron's utility processes end with the app. */
export function endUtilityProcesses(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Electron’s `utilityProcess` over Node’s `fork`; `parent-port.ts` adds `process.parentPort` in the child. */
export const utilityProcess = {
  fork(modulePath: string, args: string[], { env }: { env: NodeJS.ProcessEnv }): ChildProcess {
    const child = fork(modulePath, args, {
      env,
      execArgv: ['--import', new URL('./parent-port.ts', import.meta.url).href],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return Object.assign(child, {
      postMessage: (message: object) => void (child.connected && child.send(message)),
    })
  },
}

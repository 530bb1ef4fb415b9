import { spawn } from 'node:child_process'

/** When the last process of this console restarted itself. `start.mjs` sets it, too. */
const variable = 'SWITCHBOARD_STALLED_MS'
/** As for crashes of the thread. */
const restartSpanMs = 600_000

/** Whether this process replaces one whose core was stuck a moment ago. */
export const restartedAfterStall = (env: NodeJS.ProcessEnv): boolean =>
  Date.now() - Number(env[variable] ?? Number.NaN) < restartSpanMs

/** `env` for a process that replaces this one. */
export const afterStall = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  [variable]: String(Date.now()),
})

/** Ends this process without waiting for a thread that is stuck in SQLite, as `process.exit` would. */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Starts this program again in the place of this process, with `env`. Windows can't, so there it becomes a new process. */
export function restartProcess(env: NodeJS.ProcessEnv): void {
  const args = [...process.execArgv, ...process.argv.slice(1)]
  const next = afterStall(env)
  if (process.platform !== 'win32' && process.execve)
    process.execve(process.execPath, [process.execPath, ...args], next as Record<string, string>)
  spawn(process.execPath, args, { env: next, stdio: 'inherit', detached: true }).unref()
  endNow()
}

import { spawn } from 'child_process'

const passed = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a program in the place of this one: same terminal, signals passed on, and an IPC channel when `linked`, by whose end it
 * notices that this process is gone. Resolves with how it ended; `asked` tells that a signal was passed on before.
 */
export function runChild(command, args, { linked = false, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = linked ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit'
    const child = spawn(command, args, { stdio, env })
    let asked = false
    const pass = (signal) => {
      asked = true
      child.kill(signal)
    }
    for (const signal of passed) process.on(signal, pass)
    const finish = (settle) => {
      for (const signal of passed) process.removeListener(signal, pass)
      settle()
    }
    child.once('error', (error) => finish(() => reject(error)))
    child.once('exit', (code, signal) => finish(() => resolve({ code, signal, asked })))
  })
}

/** Ends this process as its child ended: with the same code, or by the same signal. */
export function endLike({ code, signal }) {
  if (signal === null) process.exitCode = code
  else process.kill(process.pid, signal)
}

import { spawn } from 'child_process'
import { isatty } from 'tty'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** A linked child gets SIGTERM after this. Its own limit is 12 s. */
const patienceMs = 15000

/**
 * Runs a program in this terminal. A signal to this process ends the child once: a `linked` child (ours) by
 * closing its IPC channel, which works on Windows too, others by the same signal. Resolves with how it ended
 * and whether it was asked to.
 */
export function runChild(command, args, { linked = false, env = process.env, onMessage = null } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = linked ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit'
    const child = spawn(command, args, { stdio, env })
    let asked = false
    let timer = null
    const ask = (signal) => {
      // The terminal and npm both send Ctrl+C.
      if (asked) return
      asked = true
      if (linked) {
        if (child.connected) child.disconnect()
        timer = setTimeout(() => child.kill('SIGTERM'), patienceMs)
      } else if (!isFromTerminal(signal)) child.kill(signal)
    }
    for (const signal of signals) process.on(signal, ask)
    const finish = (settle) => {
      clearTimeout(timer)
      for (const signal of signals) process.removeListener(signal, ask)
      settle()
    }
    if (onMessage !== null) child.on('message', onMessage)
    child.once('error', (error) => finish(() => reject(error)))
    child.once('exit', (code, signal) => finish(() => resolve({ code, signal, asked })))
  })
}

/** Ctrl+C reaches every program of the terminal. */
function isFromTerminal(signal) {
  return signal === 'SIGINT' && [0, 1, 2].some((fd) => isatty(fd))
}

/** Exits like the child: same code or signal. */
export function endLike({ code, signal }) {
  if (signal === null) process.exitCode = code
  else process.kill(process.pid, signal)
}

import { fork } from 'node:child_process'
import { entryUrl } from '../../lib/entry-url.ts'
import { type KeychainChannel, keychainEnvironment } from './channel.ts'

/** Starts a keychain process under plain Node. Tests set `env` and `execPath` for their own keyring. */
export function createNodeChannel(
  options: { env?: NodeJS.ProcessEnv; execPath?: string } = {},
): KeychainChannel {
  const child = fork(entryUrl('keychain-process'), [], {
    env: keychainEnvironment(options.env ?? process.env),
    // An inherited `--inspect` would block the start or expose the process.
    execArgv: ['--disable-sigusr1'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...(options.execPath === undefined ? {} : { execPath: options.execPath }),
  })
  let hasExited = false
  let onExit = () => {}
  const exited = () => {
    if (hasExited) return
    hasExited = true
    onExit()
  }
  child.once('exit', exited)
  // Includes failed sends: the channel is unusable then.
  child.on('error', () => {
    child.kill('SIGKILL')
    if (child.pid === undefined) exited()
  })
  return {
    post: (message) => void child.send(message),
    onMessage: (callback) => void child.on('message', callback),
    onExit: (callback) => (onExit = callback),
    kill: () => void child.kill('SIGKILL'),
  }
}

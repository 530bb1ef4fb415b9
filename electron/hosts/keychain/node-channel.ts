import { fork } from 'node:child_process'
import { entryUrl } from '../../lib/entry-url.ts'
import { type KeychainChannel, keychainEnvironment } from './channel.ts'

/**
 * Starts a keychain process under plain Node. `env` and `execPath` default to those of this process; tests
 * give it the environment of a keyring of their own.
 */
export function createNodeChannel(
  options: { env?: NodeJS.ProcessEnv; execPath?: string } = {},
): KeychainChannel {
  const child = fork(entryUrl('keychain-process'), [], {
    env: keychainEnvironment(options.env ?? process.env),
    // Nothing inherited: with `--inspect` in it the process could not start, or could be looked into.
    execArgv: ['--disable-sigusr1'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...(options.execPath === undefined ? {} : { execPath: options.execPath }),
  })
  let isGone = false
  let onExit = () => {}
  const gone = () => {
    if (isGone) return
    isGone = true
    onExit()
  }
  child.once('exit', gone)
  // Also a failed send ends up here: the channel is of no use then, whatever the process does.
  child.on('error', () => {
    child.kill('SIGKILL')
    if (child.pid === undefined) gone()
  })
  return {
    post: (message) => void child.send(message),
    onMessage: (callback) => void child.on('message', callback),
    onExit: (callback) => (onExit = callback),
    kill: () => void child.kill('SIGKILL'),
  }
}

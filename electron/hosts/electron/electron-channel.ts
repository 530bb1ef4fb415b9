import { utilityProcess } from 'electron'
import { fileURLToPath } from 'node:url'
import { entryUrl } from '../../lib/entry-url.ts'
import { type KeychainChannel, keychainEnvironment } from '../keychain/channel.ts'

/** As `child-process-gone` names it. */
export const keychainProcessName = 'Switchboard keychain'

/** Starts the keychain process as a utility process: the runAsNode fuse disables `fork`. */
export function createElectronChannel(): KeychainChannel {
  const child = utilityProcess.fork(fileURLToPath(entryUrl('keychain-process')), [], {
    env: keychainEnvironment(process.env),
    execArgv: [],
    serviceName: keychainProcessName,
    stdio: 'ignore',
  })
  // `exit` follows; an unhandled `error` would throw here.
  child.on('error', () => {})
  const killNow = () => {
    try {
      // `kill` of a utility process only asks; a hung call would not notice.
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
    } catch {
      // Already ended.
    }
  }
  return {
    post: (message) => child.postMessage(message),
    onMessage: (callback) => void child.on('message', callback),
    onExit: (callback) => void child.once('exit', () => callback()),
    kill: () => {
      if (child.pid === undefined) child.once('spawn', killNow)
      else killNow()
    },
  }
}

import { utilityProcess } from 'electron'
import { fileURLToPath } from 'node:url'
import { entryUrl } from '../../lib/entry-url.ts'
import { type KeychainChannel, keychainEnvironment } from '../keychain/channel.ts'

/** As `child-process-gone` names it. */
export const keychainProcessName = 'Switchboard keychain'

/** Starts a keychain process as one of Electron's utility processes: `fork` is closed when the runAsNode fuse is off. */
export function createElectronChannel(): KeychainChannel {
  const child = utilityProcess.fork(fileURLToPath(entryUrl('keychain-process')), [], {
    env: keychainEnvironment(process.env),
    execArgv: [],
    serviceName: keychainProcessName,
    stdio: 'ignore',
  })
  // Its `exit` follows; without a listener an `error` would be thrown here.
  child.on('error', () => {})
  const killNow = () => {
    try {
      // `kill` of a utility process asks; a hung call would not hear it.
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
    } catch {
      // It ended in the meantime.
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

/**
 * The keychain process: keytar runs apart because a call can hang for 50 s and native code can crash
 * (README.md). Speaks `KeychainRequest` / `KeychainAnswer` over `process.parentPort` in Electron, Node's IPC
 * channel otherwise. Writes nothing.
 */
import { createRequire } from 'node:module'
import type * as keytar from 'keytar'
import type { KeychainAnswer, KeychainRequest } from './channel.ts'
import { createAnswerer } from './keychain-calls.ts'

/** The part of Electron's `process.parentPort` used here (docs: utilityProcess, MessagePortMain). */
interface ParentPort {
  on(event: 'message', listener: (event: { data: KeychainRequest }) => void): void
  postMessage(message: KeychainAnswer): void
}

// A failed import is cached for good, a failed require can be retried. Named differently because the build
// adds its own `require` to the file.
const requireHere = createRequire(import.meta.url)
const answer = createAnswerer(() => requireHere('keytar') as typeof keytar)

const parentPort = (process as unknown as { parentPort?: ParentPort }).parentPort
if (parentPort) {
  parentPort.on('message', ({ data }) => void answer(data).then((reply) => parentPort.postMessage(reply)))
} else {
  process.on('message', (request: KeychainRequest) => {
    void answer(request).then((reply) => {
      if (process.connected) process.send?.(reply)
    })
  })
  // A normal exit would wait for a hung call in libuv's pool.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}

// Ctrl+C and a closed terminal reach the whole process group; the parent decides when this process ends.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

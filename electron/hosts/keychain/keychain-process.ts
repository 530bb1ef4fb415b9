/**
 * The keychain process: keytar in a process of its own, because a call can hang for 50 s and native code can
 * crash (measured, see README.md). Speaks `KeychainRequest` / `KeychainAnswer` over the channel it was forked
 * with: `process.parentPort` in Electron's utility process, Node's IPC channel otherwise. Writes nothing.
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

// `require`, not `import`: a failed import is remembered for ever, a failed require can be tried again.
// Not under that name: the build puts a `require` of its own at the top of the file.
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
  // An ordinary exit would wait for a hung call in libuv's pool; the parent is gone, so nobody waits for it.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}

// Ctrl-C and a closed terminal reach the whole process group: the parent decides when this process ends.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

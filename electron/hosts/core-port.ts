import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { HandedPort } from '../threads/calls.ts'
import { framesWaitingMax, waitingLengthMax } from '../contract/limits.ts'

/** A host's end of a page's connection to the core. */
export interface CorePort {
  port: MessagePort
  /**
   * Sends a frame. False once too much waits for the core, for example while it is stalled: the frame is dropped, and the
   * host should disconnect the page.
   */
  send(frame: unknown, lengthBytes: number, transfer?: readonly ArrayBuffer[]): boolean
}

/** The core's end. */
export interface CoreEnd extends HandedPort {
  /** Frames that the core has taken, as one shared 32-bit integer. */
  taken: SharedArrayBuffer
}

/** Counts what the core has not taken yet, because a thread's port queues without a limit. */
export function createCoreChannel(): { host: CorePort; core: CoreEnd } {
  const { port1, port2 } = new MessageChannel()
  const taken = new Int32Array(new SharedArrayBuffer(4))
  const waiting: number[] = []
  let waitingBytes = 0
  let released = 0
  const host: CorePort = {
    port: port1,
    send(frame, lengthBytes, transfer) {
      // The counter wraps after 2^32 frames, and so does the difference.
      for (let count = (Atomics.load(taken, 0) - released) | 0; count > 0; count--) {
        waitingBytes -= waiting.shift() ?? 0
        released = (released + 1) | 0
      }
      if (waiting.length >= framesWaitingMax || waitingBytes > waitingLengthMax) return false
      waiting.push(lengthBytes)
      waitingBytes += lengthBytes
      port1.postMessage(frame, transfer)
      return true
    },
  }
  return { host, core: { port: port2, taken: taken.buffer } }
}

/** Counts the frames that arrive at the core's end. */
export function countTaken({ port, taken }: CoreEnd): void {
  const counter = new Int32Array(taken)
  port.on('message', () => Atomics.add(counter, 0, 1))
}

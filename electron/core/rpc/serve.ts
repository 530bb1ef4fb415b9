import { type AnyRouter, isProcedure } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import type { MessagePort } from 'node:worker_threads'
import { wireTypes } from '../../contract/wire-types.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { CoreContext } from '../context.ts'
import { toWireError } from './wire-errors.ts'

/** Unreadable frames are written to the log this often at most, milliseconds: a page can send them at will. */
const complaintPeriodMs = 1_000
/** Unreadable frames after which a port is closed. Our own client sends none, so its page is broken; it can connect anew. */
const badFrameLimit = 100

/**
 * Answers a renderer's calls on message ports. The host pipes a window's port or a WebSocket's frames to the other end.
 * Errors are mapped to the table here, once; streams end when their port closes. A port that keeps bringing frames that are
 * none is closed.
 */
export function createServer(
  router: AnyRouter,
  context: CoreContext,
  log: Log,
  clock: Clock = systemClock,
): (port: MessagePort) => () => void {
  if (isProcedure(router)) throw new TypeError('a router is needed, not a procedure')
  const handler = new RPCHandler<CoreContext>(router, {
    customJsonSerializers: wireTypes,
    clientInterceptors: [
      async ({ next }) => {
        try {
          const output = await next()
          return isAsyncIterable(output) ? mapErrors(output, log) : output
        } catch (error) {
          throw toWireError(error, log)
        }
      },
    ],
  })
  const complain = createComplaints(log, clock)
  return (port) => {
    let badFrames = 0
    // The message-port adapter would decode frames in a promise that nobody awaits. Both adapters speak the same frames.
    const peer = { send: (frame: string | ArrayBufferLike | ArrayBufferView) => port.postMessage(frame) }
    port.on('message', (frame: string | ArrayBuffer) => {
      handler.message(peer as unknown as WebSocket, frame, { context }).catch((error: unknown) => {
        const isLast = ++badFrames === badFrameLimit
        complain(error, isLast)
        if (isLast) port.close()
      })
    })
    port.on('close', () => handler.close(peer as unknown as WebSocket))
    return () => port.close()
  }
}

/** Writes unreadable frames of all ports down: the first at once, those of the following second as one line with their number. */
function createComplaints(log: Log, clock: Clock): (error: unknown, closesPort: boolean) => void {
  let frames = 0
  let closedPorts = 0
  let isResting = false
  let lastError: unknown

  function write(): void {
    log.warn('frames of a renderer could not be read', { error: lastError, frames, closedPorts })
    frames = 0
    closedPorts = 0
    isResting = true
    clock.after(complaintPeriodMs, () => {
      isResting = false
      if (frames > 0) write()
    })
  }

  return (error, closesPort) => {
    frames++
    if (closesPort) closedPorts++
    lastError = error
    if (!isResting) write()
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function* mapErrors(source: AsyncIterable<unknown>, log: Log): AsyncGenerator<unknown> {
  try {
    yield* source
  } catch (error) {
    throw toWireError(error, log)
  }
}

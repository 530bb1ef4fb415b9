import { type AnyRouter, isProcedure } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import type { MessagePort } from 'node:worker_threads'
import type { Log } from '../../lib/log.ts'
import type { CoreContext } from '../context.ts'
import { toWireError } from './wire-errors.ts'

/**
 * Answers a renderer's calls on message ports. The host pipes a window's port or a WebSocket's frames to the other end.
 * Errors are mapped to the table here, once; streams end when their port closes.
 */
export function createServer(
  router: AnyRouter,
  context: CoreContext,
  log: Log,
): (port: MessagePort) => () => void {
  if (isProcedure(router)) throw new TypeError('a router is needed, not a procedure')
  const handler = new RPCHandler<CoreContext>(router, {
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
  return (port) => {
    // The message-port adapter would decode frames in a promise that nobody awaits. Both adapters speak the same frames.
    const peer = { send: (frame: string | ArrayBufferLike | ArrayBufferView) => port.postMessage(frame) }
    port.on('message', (frame: string | ArrayBuffer) => {
      handler
        .message(peer as unknown as WebSocket, frame, { context })
        .catch((error: unknown) => log.warn('a frame of a renderer could not be read', { error }))
    })
    port.on('close', () => handler.close(peer as unknown as WebSocket))
    return () => port.close()
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

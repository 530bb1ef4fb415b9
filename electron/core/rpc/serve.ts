import { type AnyRouter, isProcedure } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
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
    handler.upgrade(port, { context })
    port.start()
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

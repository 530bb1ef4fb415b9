import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { type AnyProcedure, type AnyRouter, isProcedure } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import type { MessagePort } from 'node:worker_threads'
import { connectionHeader, wireTypes } from '../../../contract/wire-types.ts'
import type { Log } from '../../../lib/log.ts'
import { toWireError } from './errors.ts'

/** Added to the context of each call. */
interface PageContext {
  /** The connection that the page names. Its features answer, even if another one is in front now. */
  connectionId?: string
}

/**
 * Answers a renderer's calls on message ports. The host pipes a window's port or a WebSocket's frames to the other end.
 * Errors get their codes here, once; streams end when their port closes. Each call has a signal, so handlers write `signal!`. Invalid
 * frames are logged and ignored.
 */
export function createServer(
  router: AnyRouter,
  context: object,
  log: Log,
  /** What ends a stream besides its page. */
  streamEnd: (path: readonly string[], context: object) => AbortSignal | null = () => null,
): (port: MessagePort) => () => void {
  if (isProcedure(router)) throw new TypeError('createServer needs a router, not a procedure')
  const handler = new RPCHandler<PageContext>(router, {
    customJsonSerializers: wireTypes,
    interceptors: [
      (options) => {
        const { request, context, next } = options
        if (!isPlainCall(request)) return Promise.resolve(notACall)
        const connectionId = request.headers[connectionHeader]
        if (typeof connectionId !== 'string') return next()
        return next({ ...options, context: withGetters(context, { connectionId }) })
      },
    ],
    clientInterceptors: [
      async (options) => {
        const { next, procedure, context, path } = options
        const end = isStream(procedure) ? streamEnd(path, context) : null
        const signal = options.signal && end ? AbortSignal.any([options.signal, end]) : options.signal
        try {
          const output = await next({ ...options, ...(signal && { signal }) })
          return isAsyncIterable(output) ? mapErrors(output, log) : output
        } catch (error) {
          throw toWireError(error, log)
        }
      },
    ],
  })
  return (port) => {
    // The message-port adapter would decode frames in a promise that is never awaited. Both adapters speak the same frames.
    const peer = { send: (frame: string | ArrayBufferLike | ArrayBufferView) => port.postMessage(frame) }
    const refuse = (error: unknown) => log.warn('Refused a frame of a page', { error })
    port.on('message', (frame: unknown) => {
      // Our pages send only text. Bytes would carry files and forms, which no call accepts.
      if (typeof frame !== 'string') return refuse('the frame is not text')
      handler.message(peer as unknown as WebSocket, frame, { context }).catch(refuse)
    })
    port.on('close', () => handler.close(peer as unknown as WebSocket))
    return () => port.close()
  }
}

/** A copy of a context with more values. A spread would read the getters of a connection that may not be open. */
function withGetters<Context extends object, Added extends object>(context: Context, added: Added) {
  return Object.defineProperties({} as Context & Added, {
    ...Object.getOwnPropertyDescriptors(context),
    ...Object.getOwnPropertyDescriptors(added),
  })
}

/** Our clients send POST with one header at most. Others would turn an input into files, forms or streams. */
function isPlainCall({ method, headers }: { method: string; headers: object }): boolean {
  return method === 'POST' && Object.keys(headers).every((name) => name === connectionHeader)
}

/** Answered as a call that does not exist. */
const notACall = { matched: false, response: undefined } as const

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function isStream(procedure: AnyProcedure): boolean {
  return getEventIteratorSchemaDetails(procedure['~orpc'].outputSchema) !== undefined
}

async function* mapErrors(source: AsyncIterable<unknown>, log: Log): AsyncGenerator<unknown> {
  try {
    yield* source
  } catch (error) {
    throw toWireError(error, log)
  }
}

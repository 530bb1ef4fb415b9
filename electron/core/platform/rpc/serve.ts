import { getEventIteratorSchemaDetails } from '@orpc/contract'
import { type AnyProcedure, type AnyRouter, isProcedure } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import type { MessagePort } from 'node:worker_threads'
import { connectionHeader, wireTypes } from '../../../contract/wire-types.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { frameProblem } from './frame-check.ts'
import { createPageUse, type PageUse } from './page-use.ts'
import { createTurns } from './turns.ts'
import { toWireError } from './errors.ts'

/** Shortest time between log lines about refused frames, milliseconds: a page can send any number. */
const complaintPeriodMs = 1_000
/** Invalid frames after which a port is closed. Our client sends none, so the page is broken; it can reconnect. */
const badFrameLimit = 100

/** Added to the context of each call. */
interface PageContext {
  /** The calls and streams of its page. */
  page: PageUse
  /** The connection that the page names. Its features answer, even if another one is in front now. */
  connectionId?: string
}

/**
 * Answers a renderer's calls on message ports. The host pipes a window's port or a WebSocket's frames to the other end.
 * Errors get their codes here, once; streams end when their port closes. Each page gets its turn and has its own
 * limits (`contract/limits.ts`). A call beyond them fails. Each call has a signal, so handlers write `signal!`. A page
 * that keeps sending invalid frames is disconnected.
 */
export function createServer(
  router: AnyRouter,
  context: object,
  log: Log,
  clock: Clock = systemClock,
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
        let { signal } = options
        let closeStream = () => {}
        try {
          if (isStream(procedure)) {
            closeStream = context.page.openStream(signal)
            const end = streamEnd(path, context)
            if (signal && end) signal = AbortSignal.any([signal, end])
          }
          const output = await context.page.run(
            async () => await next({ ...options, ...(signal && { signal }) }),
          )
          return isAsyncIterable(output) ? mapErrors(output, log, closeStream) : output
        } catch (error) {
          closeStream()
          throw toWireError(error, log)
        }
      },
    ],
  })
  const complain = createComplaints(log, clock)
  const openLane = createTurns()
  return (port) => {
    let badFrames = 0
    const pageContext = withGetters(context, { page: createPageUse() })
    // The message-port adapter would decode frames in a promise that is never awaited. Both adapters speak the same frames.
    const peer = { send: (frame: string | ArrayBufferLike | ArrayBufferView) => port.postMessage(frame) }
    const cutOff = (reason: unknown) => {
      complain(reason, true)
      port.close()
    }
    const refuse = (reason: unknown) => {
      if (++badFrames < badFrameLimit) complain(reason, false)
      else if (badFrames === badFrameLimit) cutOff(reason)
    }
    const lane = openLane((frame) => {
      const problem = frameProblem(frame)
      if (problem !== null) return refuse(problem)
      handler.message(peer as unknown as WebSocket, frame as string, { context: pageContext }).catch(refuse)
    })
    port.on('message', (frame: unknown) => {
      if (!lane.push(frame)) cutOff('too many frames wait')
    })
    port.on('close', () => {
      lane.clear()
      handler.close(peer as unknown as WebSocket)
    })
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

/** Logs refused frames of all ports: the first immediately, those of the next second as one line with a count. */
function createComplaints(log: Log, clock: Clock): (error: unknown, closesPort: boolean) => void {
  let frames = 0
  let closedPorts = 0
  let isResting = false
  let lastError: unknown

  function write(): void {
    log.warn('Refused frames from a page', { error: lastError, frames, closedPorts })
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

function isStream(procedure: AnyProcedure): boolean {
  return getEventIteratorSchemaDetails(procedure['~orpc'].outputSchema) !== undefined
}

async function* mapErrors(
  source: AsyncIterable<unknown>,
  log: Log,
  onEnd: () => void,
): AsyncGenerator<unknown> {
  try {
    yield* source
  } catch (error) {
    throw toWireError(error, log)
  } finally {
    onEnd()
  }
}

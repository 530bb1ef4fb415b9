import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'
import { type WebSocket, WebSocketServer } from 'ws'
import { longestCallBytes } from '../../contract/limits.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Refusal } from './access.ts'
import type { WebServer } from './http-server.ts'

/** Most bytes queued for a browser that doesn't read; then the socket closes, reconnects and catches up. */
const queueBytes = 32 * 1_048_576

/** WebSocket close codes (RFC 6455 §7.4.1 and its IANA registry). */
const closeCode = { serviceRestart: 1012, tryAgainLater: 1013 } as const

/**
 * Carries frames between a browser's WebSocket and the core, undecoded: oRPC's adapters share the format. Closing one end
 * closes the other, which ends that browser's calls and streams. Disconnects a browser that reads too slowly.
 */
function pipeSocket(socket: WebSocket, port: MessagePort): void {
  // With binaryType `nodebuffer` a frame is one Buffer. Our pages send only text.
  socket.on('message', (data: Buffer) => port.postMessage(data.toString()))
  port.on('message', (frame: string | Uint8Array) => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > queueBytes) {
      socket.close(closeCode.tryAgainLater, 'This page reads too slowly')
      // The close frame waits behind the unread queue.
      socket.terminate()
      return
    }
    socket.send(frame)
  })
  socket.on('close', () => port.close())
  port.on('close', () => socket.close(closeCode.serviceRestart, 'The console restarts'))
}

const socketPath = '/rpc'
/** A browser that missed a ping by the next one is gone. */
const pingPeriodMs = 15_000
/** Most open sockets. A page needs one. */
const socketLimit = 64
const tooMany: Refusal = { status: 403, reason: 'Too many pages are open.' }
/** WebSocket close code (RFC 6455 §7.4.1). */
const policyViolation = 1008
/** Time for closing handshakes, at a stop and at the end of a session. */
const closeTimeoutMs = 500

/**
 * Accepts the page's WebSocket at `/rpc` after the checks of any request, only from this user's programs, and
 * pipes frames to the core. Frames longer than any call end the socket at their header (RFC 6455 code 1009),
 * before anything is allocated. Sockets open once `ready` resolves, so that no page sees the core before its first
 * connection is open. Returns its stop.
 */
export function acceptSockets(
  web: WebServer,
  connect: () => MessagePort,
  log: Log,
  clock: Clock = systemClock,
  ready: Promise<unknown> = Promise.resolve(),
): () => Promise<void> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestCallBytes,
    perMessageDeflate: false,
  })
  const unanswered = new WeakSet<WebSocket>()
  /** To check later whether a socket's session still holds. */
  const requests = new WeakMap<WebSocket, IncomingMessage>()

  web.server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on('error', () => raw.destroy())
    const refusal = judge(request)
    if (refusal) return refuse(request, raw, refusal)
    // Browsers send our cookie to every port of 127.0.0.1, also to other users' servers.
    const judged = Promise.all([web.judgeOwner(request), ready]).then(([stranger]) => {
      const late = stranger ?? (sockets.clients.size < socketLimit ? null : tooMany)
      if (late) return refuse(request, raw, late)
      sockets.handleUpgrade(request, raw, head, (socket) => {
        socket.on('error', (error) => log.warn('Closed a socket', { reason: error.message }))
        socket.on('pong', () => unanswered.delete(socket))
        requests.set(socket, request)
        pipeSocket(socket, connect())
      })
    })
    // The core did not start, so the host ends.
    judged.catch(() => raw.destroy())
  })

  function judge(request: IncomingMessage): Refusal | null {
    const refusal = web.access.judge(request, (method, path) =>
      path !== socketPath ? 404 : method === 'GET' ? 'socket' : 405,
    )
    if (refusal) return refusal
    return request.headers.upgrade?.toLowerCase() === 'websocket'
      ? null
      : { status: 400, reason: 'Use a WebSocket.' }
  }

  function refuse(request: IncomingMessage, raw: Duplex, refusal: Refusal): void {
    web.logRefusal(request, refusal)
    refuseUpgrade(raw, refusal)
  }

  function closeEnded(): void {
    for (const socket of sockets.clients) {
      const request = requests.get(socket)
      if (!request || web.access.hasSession(request) || socket.readyState !== socket.OPEN) continue
      socket.close(policyViolation, 'The session ended')
      clock.after(closeTimeoutMs, () => socket.terminate())
    }
  }
  web.access.onSessionEnd(closeEnded)

  const stopPings = clock.every(pingPeriodMs, () => {
    closeEnded()
    for (const socket of sockets.clients) {
      if (unanswered.has(socket)) socket.terminate()
      else if (socket.readyState === socket.OPEN) {
        unanswered.add(socket)
        socket.ping()
      }
    }
  })

  return async () => {
    stopPings()
    const closed = [...sockets.clients].map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    )
    for (const socket of sockets.clients) socket.close(1001, 'The console stops')
    await Promise.race([Promise.all(closed), clock.sleep(closeTimeoutMs)])
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  }
}

function refuseUpgrade(raw: Duplex, { status, reason }: Refusal): void {
  const body = `${reason}\n`
  raw.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    () => raw.destroy(),
  )
}

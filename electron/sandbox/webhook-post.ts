import http from 'node:http'
import https from 'node:https'
import type { Clock } from '../lib/clock.ts'

/** A status code, or what kept one from coming. */
export type PostAnswer = number | 'timeout' | 'unreachable' | 'cut off'

/** How long a receiver has to answer, from the spec's limits. */
const answerWindowMs = 5_000

/** Posts bodies to receivers, over connections kept alive between deliveries. */
export function createWebhookPost(clock: Clock): {
  /**
   * Calls `done` once, with the answer's status or the failure, and the time since the request had a connection.
   * With `slow` the body goes out in pieces over four seconds.
   */
  send(
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    slow: boolean,
    done: (answer: PostAnswer, durationMs: number) => void,
  ): void
  stop(): void
} {
  // A free connection is let go before the usual five seconds after which receivers close it.
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64, timeout: 4_000 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64, timeout: 4_000 }),
  }

  function send(
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    slow: boolean,
    done: (answer: PostAnswer, durationMs: number) => void,
    isSecondTry = false,
  ): void {
    let ended = false
    let startedMs = clock.now()
    let cancelWindow = () => {}
    const end = (answer: PostAnswer) => {
      if (ended) return
      ended = true
      cancelWindow()
      done(answer, clock.now() - startedMs)
    }
    const startWindow = () => {
      if (ended) return
      cancelWindow()
      startedMs = clock.now()
      cancelWindow = clock.after(answerWindowMs, () => {
        end('timeout')
        request.destroy()
      })
    }
    let request: http.ClientRequest
    try {
      request = open(url, headers, body.length)
    } catch {
      // An address Node refuses at once. The answer comes later all the same: a caller with many waiting would recurse.
      return void setImmediate(() => done('unreachable', 0))
    }
    // The receiver's five seconds begin when the request has a connection.
    // Connecting has five seconds of its own.
    request.on('socket', (socket) => {
      startWindow()
      if (socket.connecting) socket.once('connect', startWindow)
    })
    request.on('response', (response) => {
      end(response.statusCode ?? 0)
      response.on('error', () => {})
      response.resume()
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver closed a kept connection just as it was picked up again: nothing was read, so it goes once more.
      if (!ended && !isSecondTry && request.reusedSocket && error.code === 'ECONNRESET') {
        ended = true
        cancelWindow()
        return send(url, headers, body, slow, done, true)
      }
      end(error.code === 'ECONNRESET' ? 'cut off' : 'unreachable')
    })
    // The agent's own timeout closes free connections; one that is in use has the window above.
    request.on('timeout', () => {})
    if (slow) drip(request, body)
    else request.end(body)
  }

  function open(url: string, headers: Record<string, string>, sizeBytes: number): http.ClientRequest {
    const secure = url.startsWith('https:')
    return (secure ? https : http).request(url, {
      method: 'POST',
      agent: secure ? agents['https:'] : agents['http:'],
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': sizeBytes,
        'User-Agent': 'messaging-sandbox/1',
        ...headers,
      },
    })
  }

  function drip(request: http.ClientRequest, body: Buffer): void {
    const pieces = 8
    const size = Math.ceil(body.length / pieces)
    const write = (piece: number) => {
      if (request.destroyed) return
      request.write(body.subarray(piece * size, (piece + 1) * size))
      if (piece + 1 === pieces) request.end()
      else clock.after(500, () => write(piece + 1))
    }
    write(0)
  }

  return {
    send: (url, headers, body, slow, done) => send(url, headers, body, slow, done),
    stop() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

import http from 'node:http'
import https from 'node:https'
import type { Clock } from '../lib/clock.ts'

/** A status code, or why there is none. */
export type PostAnswer = number | 'timeout' | 'unreachable' | 'cut off'

/** How long a receiver has to answer, from the spec's limits. */
const answerWindowMs = 5_000

/** Posts bodies over kept-alive connections. */
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
  // Free connections close before receivers close them, usually after five seconds.
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
      // Node refuses such an address at once; answering synchronously would make the caller recurse.
      return void setImmediate(() => done('unreachable', 0))
    }
    // The receiver's five seconds begin with the connection. Connecting has five seconds of its own.
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
      // The receiver closed a kept connection as it was reused: nothing was read, so it is safe to retry.
      if (!ended && !isSecondTry && request.reusedSocket && error.code === 'ECONNRESET') {
        ended = true
        cancelWindow()
        return send(url, headers, body, slow, done, true)
      }
      end(error.code === 'ECONNRESET' ? 'cut off' : 'unreachable')
    })
    // The agent's timeout closes free connections; busy ones have the window above.
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

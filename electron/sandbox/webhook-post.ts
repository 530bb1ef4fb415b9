import type { ClientRequest } from 'node:http'
import https from 'node:https'
import type { Clock } from '../lib/clock.ts'
import { http } from '../lib/http.ts'

/** A status code, or why there is none. */
export type PostAnswer = number | 'timeout' | 'unreachable' | 'cut off'

/** How long a receiver has to answer, from the spec's limits. */
const answerWindowMs = 5_000

/** Posts bodies over kept-alive connections. */
export function createWebhookPost(clock: Clock) {
  // Free connections close before receivers close them, usually after five seconds.
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64, timeout: 4_000 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64, timeout: 4_000 }),
  }

  /** Calls `done` once, with the status or failure and the time since the request had a connection. */
  function send(
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    done: (answer: PostAnswer, durationMs: number) => void,
    isSecondTry = false,
  ): void {
    let settled = false
    let startedMs = clock.now()
    let cancelWindow = () => {}
    const settle = (answer: PostAnswer) => {
      if (settled) return
      settled = true
      cancelWindow()
      done(answer, clock.now() - startedMs)
    }
    const startWindow = () => {
      if (settled) return
      cancelWindow()
      startedMs = clock.now()
      cancelWindow = clock.after(answerWindowMs, () => {
        settle('timeout')
        request.destroy()
      })
    }
    let request: ClientRequest
    try {
      request = open(url, headers, body.length)
    } catch {
      // Node refuses such an address at once; answering synchronously would make the caller recurse.
      return void setImmediate(() => done('unreachable', 0))
    }
    // The receiver's five seconds begin with the connection. Connecting has its own five seconds.
    request.on('socket', (socket) => {
      startWindow()
      if (socket.connecting) socket.once('connect', startWindow)
    })
    request.on('response', (response) => {
      settle(response.statusCode ?? 0)
      response.on('error', () => {})
      response.resume()
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver closed a kept connection as it was reused: nothing was read, so it is safe to retry.
      if (!settled && !isSecondTry && request.reusedSocket && error.code === 'ECONNRESET') {
        settled = true
        cancelWindow()
        return send(url, headers, body, done, true)
      }
      settle(error.code === 'ECONNRESET' ? 'cut off' : 'unreachable')
    })
    // The agent's timeout closes free connections; busy ones have the window above.
    request.on('timeout', () => {})
    request.end(body)
  }

  function open(url: string, headers: Record<string, string>, sizeBytes: number): ClientRequest {
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

  return {
    send,
    stop(): void {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

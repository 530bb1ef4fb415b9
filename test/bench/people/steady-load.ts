import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { secret } from '../listener/messages.ts'

/** How the deliveries of a steady load were answered. */
export interface SteadyReport {
  answers: number
  p99Ms: number
  maxMs: number
  /** Statuses other than 200, and errors of connections. */
  failures: (number | string)[]
}

/** Sends signed delivery reports at a steady rate, each timed from its due time. Returns a function that stops it. */
export function startSteadyLoad(port: number, perSecond: number): () => Promise<SteadyReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const tookMs: number[] = []
  const failures: (number | string)[] = []
  let underWay = 0
  let sent = 0
  const beganMs = performance.now()

  function send(dueMs: number): void {
    const body = JSON.stringify({
      event: 'dlr',
      message_id: randomUUID(),
      status: 'delivered',
      error_code: null,
    })
    underWay++
    const done = (result: number | string) => {
      underWay--
      if (result === 200) tookMs.push(performance.now() - dueMs)
      else failures.push(result)
    }
    const sending = request(
      {
        port,
        host: '127.0.0.1',
        path: '/webhooks',
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
        },
      },
      (answer) => {
        answer.resume()
        answer.on('end', () => done(answer.statusCode!))
      },
    )
    sending.on('error', (error) => done(error.message))
    sending.end(body)
  }

  const timer = setInterval(() => {
    while (beganMs + (sent * 1_000) / perSecond <= performance.now())
      send(beganMs + (sent++ * 1_000) / perSecond)
  }, 2)

  return async () => {
    clearInterval(timer)
    while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    agent.destroy()
    tookMs.sort((a, b) => a - b)
    return {
      answers: tookMs.length,
      p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? 0,
      maxMs: tookMs.at(-1) ?? 0,
      failures,
    }
  }
}

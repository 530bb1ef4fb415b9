import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Clock } from '#electron/lib/clock.ts'
import { type RunningCore, startCore } from './start-core.ts'
import { connectTo } from './test-core.ts'

/** One received request; `path` lacks the version prefix. */
export interface Asked {
  method: string
  path: string
  query: URLSearchParams
}

/** Status and body: an object is sent as JSON, a text as an HTML page. */
export type Answer = [status: number, body: unknown, headers?: Record<string, string>]

/** A service that answers with a function, and states a limit so high that nothing waits for it. */
export interface AnsweringService {
  baseUrl: string
  /** All requests, oldest first. */
  asked: Asked[]
  answer: (asked: Asked) => Answer | Promise<Answer>
  stop(): Promise<void>
}

export async function startAnsweringService(
  answer: AnsweringService['answer'] = usualAnswer,
): Promise<AnsweringService> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service')
    const one = {
      method: request.method ?? '',
      path: url.pathname.replace(/^\/v1/, ''),
      query: url.searchParams,
    }
    asked.push(one)
    request.resume()
    void Promise.resolve(service.answer(one)).then(([status, body, headers]) => {
      const isPage = typeof body === 'string'
      response
        .writeHead(status, {
          'Content-Type': isPage ? 'text/html' : 'application/json',
          ...noLimit(),
          ...headers,
        })
        .end(isPage ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: AnsweringService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return service
}

const noLimit = () => ({
  'X-RateLimit-Limit': '1000000',
  'X-RateLimit-Remaining': '999999',
  'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1_000) + 60),
})

/** The answers to the calls that open a connection. */
export function usualAnswer({ path }: Asked): Answer {
  if (path === '/dashboard') return [200, { messages_today: 1 }]
  return [200, { data: [], total: 0, page: 1, per_page: 100 }]
}

/** A core that is connected to `service` with an API key. */
export async function startCoreAt(
  service: AnsweringService,
  options: { clock?: Clock } = {},
): Promise<RunningCore> {
  const running = await startCore({ ...options, sandbox: null })
  await connectTo(running.rpc, service.baseUrl, 'Other')
  return running
}

/** A core and a service that answers it with `answer`. Both stop when the test ends. */
export async function startTestCoreAt(
  answer: AnsweringService['answer'],
  options: { clock?: Clock } = {},
): Promise<RunningCore & { service: AnsweringService }> {
  const service = await startAnsweringService(answer)
  onTestFinished(service.stop)
  const running = await startCoreAt(service, options)
  onTestFinished(running.stop)
  return { ...running, service }
}

import type { IncomingMessage, RequestOptions } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { http, https } from '../../../lib/http.ts'

/** What a caller may set of a `fetch`. Redirects are never followed. */
export interface ServiceRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Called when a connection to the service is open, before the request is written. Until then nothing was sent. */
  onOpen?: () => void
}

/** What a caller may use of a `Response`. Read `body` or abort the request, or its socket stays open. */
export interface ServiceAnswer {
  status: number
  headers: Pick<Headers, 'get'>
  body: AsyncIterable<Uint8Array> | null
}

/** Servers usually close idle connections after 5 s; a request on a closed one would fail. */
const idleSocketMs = 4_000

function bodyOf(answer: IncomingMessage): Readable {
  if (answer.headers['content-encoding'] !== 'gzip') return answer
  const unpacked = pipeline(answer, createGunzip(), () => {})
  // The reader of the body gets the error.
  return unpacked.on('error', () => {})
}

/** `fetch` without a proxy, over `node:http`. Undici compiles its parser to machine code, which keeps about 40 MiB. */
export function createDirectFetch() {
  const agentsOf = (keepAlive: boolean) => {
    const settings = { keepAlive, timeout: idleSocketMs }
    return { http: new http.Agent(settings), https: new https.Agent(settings) }
  }
  const kept = agentsOf(true)
  // A POST on a connection that the service just closed would be unconfirmed, so each has its own.
  const fresh = agentsOf(false)

  return {
    fetch(
      url: URL,
      { body, headers, onOpen = () => {}, ...rest }: ServiceRequest,
    ): Promise<ServiceAnswer & { body: Readable }> {
      return new Promise((resolve, reject) => {
        const agents = rest.method === 'POST' ? fresh : kept
        const options: RequestOptions = { ...rest, headers: { 'Accept-Encoding': 'gzip', ...headers } }
        const answered = (answer: IncomingMessage) =>
          resolve({
            status: answer.statusCode!,
            headers: { get: (name) => answer.headers[name]?.toString() ?? null },
            body: bodyOf(answer),
          })
        const request =
          url.protocol === 'https:'
            ? https.request(url, { ...options, agent: agents.https }, answered)
            : http.request(url, { ...options, agent: agents.http }, answered)
        request.once('socket', (socket) => {
          // A socket of the agent that is kept alive is open already.
          if (request.reusedSocket) onOpen()
          else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onOpen)
        })
        request.on('error', reject).end(body)
      })
    },
    close(): void {
      for (const agents of [kept, fresh]) {
        agents.http.destroy()
        agents.https.destroy()
      }
    },
  }
}

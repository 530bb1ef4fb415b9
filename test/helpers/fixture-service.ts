import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** One received request. */
export interface RecordedRequest {
  method: string
  path: string
  /** The raw query, without its question mark. */
  query: string
  headers: IncomingHttpHeaders
  body: string
}

/** The answer to one request: exact bytes and the end of the connection, or free use of the socket. */
export type FixtureAnswer = string | Buffer | ((socket: Socket, request: RecordedRequest) => void)

/** A server without logic: it writes the given bytes for a method and path, and records its requests. */
export interface FixtureService {
  /** e.g. `http://127.0.0.1:40123/v1`. */
  baseUrl: string
  requests: RecordedRequest[]
  /** The answers to `method path` (without `/v1`), one after the other; the last one stays. */
  on(call: string, ...answers: FixtureAnswer[]): void
  /** Requests to `method path`. */
  asked(call: string): RecordedRequest[]
  stop(): Promise<void>
}

/** An HTTP answer as exact bytes. */
export function raw(status: number, headers: Record<string, string>, body: string | Buffer = ''): Buffer {
  const lines = Object.entries({
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} Fixture\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ])
}

/** A JSON answer as exact bytes. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Buffer {
  return raw(status, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body))
}

/** Reads the request and then closes the connection silently. */
export const hangUp: FixtureAnswer = (socket) => socket.destroy()
/** Reads the request and resets the connection. */
export const reset: FixtureAnswer = (socket) => socket.resetAndDestroy()
/** Reads the request and stays silent. */
export const silence: FixtureAnswer = () => {}

export async function startFixtureService(): Promise<FixtureService> {
  const answers = new Map<string, FixtureAnswer[]>()
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const [path = '', query = ''] = (incoming.url ?? '').replace(/^\/v1/, '').split('?')
      const request: RecordedRequest = {
        method: incoming.method ?? '',
        path,
        query,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      requests.push(request)
      const queue = answers.get(`${request.method} ${path}`) ?? [raw(500, {}, 'no such fixture')]
      const answer = queue.length > 1 ? queue.shift()! : queue[0]!
      if (typeof answer === 'function') answer(incoming.socket, request)
      else incoming.socket.end(answer)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    on: (call, ...given) => void answers.set(call, given),
    asked: (call) => requests.filter(({ method, path }) => `${method} ${path}` === call),
    stop() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The fate of one request. `-after`: executed, then the answer is lost or a failure; `-before`: not executed. `hang` executes and never
 * answers. `other-record` executes and answers with a record of another number; `merged` changes the oldest record instead.
 */
export type Fate =
  | 'done'
  | 'limited'
  | 'rejected'
  | 'forbidden'
  | 'unauthorized'
  | 'failed-after'
  | 'failed-before'
  | 'reset-after'
  | 'reset-before'
  | 'hang'
  | 'other-record'
  | 'merged'
  | 'page'

/** Whether the service executed the request. */
const isExecuted = (fate: Fate) =>
  ['done', 'failed-after', 'reset-after', 'hang', 'other-record', 'merged'].includes(fate)

/** Fates after which only the service knows whether a creation happened. */
export const ambiguousFates: readonly Fate[] = [
  'failed-after',
  'failed-before',
  'reset-after',
  'reset-before',
  'hang',
  'other-record',
]

export interface ContactRequest {
  method: 'POST' | 'DELETE'
  /** For a creation. */
  phone: string
  /** For a deletion. */
  id: string
  user: string
  fate: Fate
}

export interface ContactService {
  baseUrl: string
  /** Requests for contacts, oldest first. */
  requests: ContactRequest[]
  /** The current records by ID. */
  living: Map<string, { phone: string; name: string }>
  /** How often each number was created. */
  made: Map<string, number>
  /** Numbers that got a second record while the first existed. */
  doubled: string[]
  /** Requested refreshes of access tokens. */
  refreshes(): number
  /** Decides the fate of the next requests. */
  fate: (request: { method: string; phone: string; id: string; count: number }) => Fate
  /** The answer to a refresh. */
  refreshStatus: number
  /** Delay of each answer in milliseconds. */
  latencyMs: () => number
  /** Entries of the DNC list. */
  dnc: string[]
  /** Seconds that a 429 asks to wait. */
  retryAfterSeconds: number
  expireTokens(): void
  /** Answers hanging requests. */
  release(): void
  /** Closes the port and all connections. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  stop(): Promise<void>
}

/** API keys are `key-<user>`; any password is accepted. */
const userOfKey = (key: string) => key.replace(/^key-/, '')

/**
 * A messaging service for contacts, written from the spec alone. The test decides the fate of each request; the service records what was
 * requested, executed and exists. Its rate limit is never reached.
 */
export async function startContactService(): Promise<ContactService> {
  const tokens = new Map<string, string>()
  const refreshTokens = new Map<string, string>()
  const hanging = new Set<() => void>()
  let server: Server
  let port = 0
  let refreshes = 0
  let nextId = 1

  const service: ContactService = {
    baseUrl: '',
    requests: [],
    living: new Map(),
    made: new Map(),
    doubled: [],
    refreshes: () => refreshes,
    fate: () => 'done',
    refreshStatus: 200,
    latencyMs: () => 0,
    dnc: [],
    retryAfterSeconds: 0,
    expireTokens: () => tokens.clear(),
    release() {
      for (const answer of hanging) answer()
      hanging.clear()
    },
    goOffline: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    async goOnline() {
      server = createServer((request, response) => void handle(request, response))
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
    },
    async stop() {
      hanging.clear()
      if (server.listening) await service.goOffline()
    },
  }

  function execute(
    fate: Fate,
    method: 'POST' | 'DELETE',
    id: string,
    body: { phone?: unknown; name?: unknown },
  ) {
    if (method === 'DELETE') return service.living.delete(id) ? { message: 'deleted' } : null
    const phone = String(body.phone)
    service.made.set(phone, (service.made.get(phone) ?? 0) + 1)
    if ([...service.living.values()].some((other) => other.phone === phone)) service.doubled.push(phone)
    const [oldest] = fate === 'merged' ? service.living.keys() : []
    const record = { id: oldest ?? `c-${nextId++}`, ...body, phone, name: String(body.name) }
    service.living.set(record.id, { phone, name: record.name })
    return record
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const path = new URL(request.url!, 'http://x').pathname.replace('/v1', '')
    const reset = () => void request.socket.resetAndDestroy()
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      void response
        .writeHead(status, {
          'content-type': 'application/json',
          'x-ratelimit-limit': '100000',
          'x-ratelimit-remaining': '99000',
          'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000)),
          ...headers,
        })
        .end(JSON.stringify(value))

    const bearer = (request.headers.authorization ?? '').replace('Bearer ', '')
    if (path === '/auth/login') {
      const user = String(body['username'])
      refreshTokens.set(`refresh-${user}`, user)
      tokens.set(`access-${user}-${++nextId}`, user)
      return send(200, {
        access_token: [...tokens.keys()].at(-1),
        refresh_token: `refresh-${user}`,
        expires_in: 900,
      })
    }
    if (path === '/auth/refresh') {
      refreshes++
      const user = refreshTokens.get(bearer)
      if (service.refreshStatus !== 200) return send(service.refreshStatus, { error: 'no refresh now' })
      if (user === undefined) return send(401, { error: 'unknown refresh token' })
      tokens.set(`access-${user}-${++nextId}`, user)
      return send(200, { access_token: [...tokens.keys()].at(-1) })
    }
    const key = request.headers['x-api-key']
    const user = typeof key === 'string' ? userOfKey(key) : tokens.get(bearer)
    if (user === undefined) return send(401, { error: 'token expired' })
    if (path === '/auth/logout') {
      tokens.clear()
      return send(200, { message: 'bye' })
    }
    if (path === '/dnc') {
      const data = service.dnc.map((phone, at) => ({ id: `d-${at}`, phone_number: phone, reason: 'asked' }))
      return send(200, { data, total: data.length, page: 1, per_page: 100 })
    }
    if (!path.startsWith('/contacts'))
      return send(200, { data: [], total: 0, page: 1, per_page: 20, messages_today: 1 })

    const method = request.method as 'POST' | 'DELETE'
    const id = decodeURIComponent(path.split('/')[2] ?? '')
    const phone = String(body['phone'] ?? '')
    const fate = service.fate({ method, phone, id, count: service.requests.length })
    service.requests.push({ method, phone, id, user, fate })
    const result = isExecuted(fate) ? execute(fate, method, id, body) : null
    const waitMs = service.latencyMs()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    switch (fate) {
      case 'limited':
        return send(429, { error: 'rate limit exceeded' }, { 'retry-after': `${service.retryAfterSeconds}` })
      case 'rejected':
        return send(400, { error: 'this contact is not wanted' })
      case 'forbidden':
        return send(403, { error: 'contacts:write is missing' })
      case 'unauthorized':
        return send(401, { error: 'token expired' })
      case 'failed-after':
      case 'failed-before':
        return send(500, { error: 'internal' })
      case 'reset-after':
      case 'reset-before':
        return reset()
      case 'page':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>')
      case 'hang':
        return void hanging.add(() =>
          send(result === null ? 404 : 201, result ?? { error: 'no such contact' }),
        )
      case 'other-record':
        return send(201, { ...result, phone: '+4930901820' })
      case 'done':
      case 'merged':
        return result === null
          ? send(404, { error: 'no such contact' })
          : send(method === 'POST' ? 201 : 200, result)
    }
  }

  await service.goOnline()
  service.baseUrl = `http://127.0.0.1:${port}/v1`
  return service
}

/** The fate whose share of [0, 1) `dice` is in; `done` beyond all shares. */
export function drawFate<F extends string>(
  dice: number,
  shares: readonly [share: number, fate: F][],
): F | 'done' {
  let upTo = 0
  for (const [share, fate] of shares) if (dice < (upTo += share)) return fate
  return 'done'
}

import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface OtherSubscription {
  number: number
  url: string
  secret: string | null
}

/**
 * A second implementation of the messaging service, made from the spec alone and different from the sandbox in everything the spec leaves
 * open. IDs are words and numbers, lists run oldest first, answers hold the least or more than expected, unknown statuses appear, access
 * tokens live 15 seconds, `entry` is missing, the subscription list shows dotted names and no secret.
 */
export interface OtherService {
  baseUrl: string
  credentials: { username: string; password: string }
  /** Requests by `METHOD /path`, with IDs as received. */
  asked(call: string): number
  /** Invalidates every issued access token. */
  expireTokens(): void
  /** From now on the subscription list masks secrets with asterisks. */
  maskSecrets(): void
  /** Posts an event to every subscription. Returns their statuses. */
  deliver(event: Record<string, unknown>): Promise<number[]>
  stop(): Promise<void>
}

const accessTokenSeconds = 15

export async function startOtherService(): Promise<OtherService> {
  const credentials = { username: 'ana', password: 'correct horse' }
  const refreshToken = `refresh-${randomUUID()}`
  const counts = new Map<string, number>()
  const subscriptions: OtherSubscription[] = []
  const tokens = new Map<string, number>()
  let masks = false
  const campaigns = [
    { id: 'cmp-1', name: 'Välkommen', status: 'warming_up', region: 'north' },
    { id: 'cmp-2', status: 'running', name: 'Autumn', sent_count: 12, failed_count: 1, total_recipients: 40 },
    {
      id: 'cmp-3',
      name: 'Winter',
      status: 'completed',
      sent_count: '7',
      updated_at: '2026-01-05T10:00:00+01:00',
    },
  ]

  function issueToken(): string {
    const token = `opaque.${randomUUID()}`
    tokens.set(token, Date.now() + accessTokenSeconds * 1_000)
    return token
  }

  const page = (items: unknown[], url: URL) => {
    const number = Number(url.searchParams.get('page') ?? 1)
    const size = Number(url.searchParams.get('per_page') ?? 20)
    const data = items.slice((number - 1) * size, number * size)
    return { total: items.length, data, page: number, per_page: size, next: null }
  }

  function answer(call: string, url: URL, body: Record<string, unknown>): [number, unknown] {
    const id = url.pathname.split('/')[3] ?? ''
    switch (call) {
      case 'GET /campaigns': {
        const status = url.searchParams.get('status')
        return [
          200,
          page(
            campaigns.filter((campaign) => status === null || campaign.status === status),
            url,
          ),
        ]
      }
      case 'GET /campaigns/{id}': {
        const found = campaigns.find((campaign) => campaign.id === id)
        return found ? [200, found] : [404, { error: 'no such campaign', request_id: 'r-1' }]
      }
      case 'POST /campaigns/{id}/pause': {
        const found = campaigns.find((campaign) => campaign.id === id)
        if (!found) return [404, { error: 'no such campaign' }]
        found.status = 'paused'
        return [200, { id: found.id, status: 'paused' }]
      }
      case 'GET /dashboard':
        return [
          200,
          { messages_today: 3, balance: '12.50', recent_messages: [{ any: 'shape' }], extra: true },
        ]
      case 'POST /webhooks':
        subscriptions.push({
          number: subscriptions.length + 1,
          url: String(body['url']),
          secret: typeof body['secret'] === 'string' ? body['secret'] : null,
        })
        return [201, { ok: true }]
      case 'GET /webhooks/subscriptions': {
        const listed = subscriptions.map(({ number, url: target }) => ({
          id: `wh_${number}`,
          url: target,
          events: ['message.delivered', 'message.failed', 'message.received', 'message.read'],
          status: 'active',
          ...(masks ? { secret: '********' } : {}),
        }))
        return [200, page(listed, url)]
      }
      case 'GET /dnc/check':
        return [200, { is_blocked: false }]
      default:
        return [404, { error: 'not found' }]
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://other')
    const path = url.pathname.replace(/^\/api\/v1/, '')
    url.pathname = url.pathname.replace('/api/v1', '/v1')
    const exact = `${request.method} ${path}`
    counts.set(exact, (counts.get(exact) ?? 0) + 1)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const bearer = (request.headers.authorization ?? '').replace('Bearer ', '')
    const send = (status: number, value: unknown) =>
      response
        .writeHead(status, {
          'content-type': 'application/json;charset=UTF-8',
          'x-ratelimit-limit': '200',
          'x-ratelimit-remaining': '150',
          'x-ratelimit-reset': String(Math.ceil(Date.now() / 60_000) * 60),
        })
        .end(JSON.stringify(value))

    if (exact === 'POST /auth/login') {
      const isRight = body['username'] === credentials.username && body['password'] === credentials.password
      if (!isRight) return void send(401, { error: 'bad credentials' })
      return void send(200, {
        access_token: issueToken(),
        refresh_token: refreshToken,
        expires_in: accessTokenSeconds,
        token_type: 'bearer',
      })
    }
    if (exact === 'POST /auth/refresh') {
      if (bearer !== refreshToken) return void send(401, { error: 'bad refresh token' })
      return void send(200, { access_token: issueToken() })
    }
    if ((tokens.get(bearer) ?? 0) < Date.now()) return void send(401, { error: 'token expired or unknown' })
    if (exact === 'POST /auth/logout') {
      tokens.clear()
      return void send(200, { message: 'bye' })
    }
    const call = exact.replace(/^(\w+ \/(?:campaigns|webhooks))\/(?!subscriptions)[^/]+/, '$1/{id}')
    send(...answer(call, url, body))
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    credentials,
    asked: (call) => counts.get(call) ?? 0,
    expireTokens: () => tokens.clear(),
    maskSecrets: () => void (masks = true),
    deliver(event) {
      const body = JSON.stringify({ version: 2, ...event }, null, 1)
      return Promise.all(
        subscriptions.map(async ({ url, secret }) => {
          const headers: Record<string, string> = { 'content-type': 'application/json' }
          if (secret !== null)
            headers['x-webhook-signature'] = createHmac('sha256', secret).update(body).digest('hex')
          const response = await fetch(url, { method: 'POST', headers, body })
          await response.arrayBuffer()
          return response.status
        }),
      )
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

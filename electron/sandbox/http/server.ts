import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { http } from '../../lib/http.ts'
import type { Log } from '../../lib/log.ts'
import { type User, isAllowed } from '../accounts.ts'
import { bearerOf } from '../endpoints/auth.ts'
import type { ActiveFault } from '../faults/create-faults.ts'
import { type FaultScene, type HttpEffect, httpEffects } from '../faults/http-effects.ts'
import type { RateAnswer } from '../rate-window.ts'
import type { Ring } from '../ring.ts'
import { type Service, tenantOf } from '../service.ts'
import type { Tenant } from '../tenant.ts'
import { type Fields, readJsonObject } from './checks.ts'
import type { Endpoint, OpenCall } from './endpoint.ts'
import { HttpError, type Reply, badRequest, forbidden, notFound, unauthorized } from './reply.ts'
import type { Router } from './router.ts'

/** A request log entry, without headers or body. */
export interface RequestRecord {
  atMs: number
  method: string
  /** With its query, as sent. */
  path: string
  status: number
  /** The tenant's name, null for unknown callers. */
  tenant: string | null
}

export interface ServerOptions {
  service: Service
  router: Router
  takeRate(key: string): RateAnswer
  requestLog: Ring<RequestRecord>
  /** Answers paths under `/sandbox/`. */
  admin(req: IncomingMessage, path: string, body: Buffer): Reply
  log: Log
}

/** In bytes. The spec shows no limit. */
const bodyCapBytes = 1_048_576
const apiPrefix = '/v1'
const noBody = Buffer.alloc(0)

/** Rate window key of requests without a known tenant. */
const addressKey = (socket: Socket) => `address ${socket.remoteAddress ?? ''}`

interface Caller {
  user: User
  tenant: Tenant
  sessionId: string | null
}

interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  method: string
  /** Below the base URL for the API, else the whole path. */
  path: string
  target: 'api' | 'admin' | 'none'
  query: URLSearchParams
  endpoint: Endpoint | null
  id: string
  /** Null when it is too large. */
  body: Buffer | null
  rate: RateAnswer
  record: RequestRecord
  fault: ActiveFault | null
  effect: HttpEffect | null
}

/** The service over `node:http`: finds the caller, counts the request, checks it and answers in JSON. */
export function createHttpServer(options: ServerOptions): Server {
  const { service, router, log } = options
  const { clock, stats } = service
  function userCaller(userId: string | null, sessionId: string | null): Caller | null {
    const user = userId === null ? undefined : service.users.get(userId)
    const tenant = user && tenantOf(service, user.id)
    return user && tenant ? { user, tenant, sessionId } : null
  }

  /** Authorization, if present, decides alone; an API key counts only without it. */
  function callerOf(req: IncomingMessage): Caller | null {
    const { authorization } = req.headers
    if (authorization !== undefined) {
      const token = bearerOf(authorization)
      const access = token && service.sessions.readAccess(token)
      return access ? userCaller(access.userId, access.sessionId) : null
    }
    const key = req.headers['x-api-key']
    return typeof key === 'string' ? userCaller(service.apiKeys.read(key), null) : null
  }

  /** Writes status and headers, the usual ones included. */
  function writeHead(exchange: Exchange, status: number, own: Record<string, string | number>): void {
    const { res, rate, record } = exchange
    const headers: Record<string, string | number> = {
      ...own,
      'Cache-Control': 'no-store',
      Date: new Date(clock.now()).toUTCString(),
      'X-RateLimit-Limit': rate.limit,
      'X-RateLimit-Remaining': rate.remaining,
      'X-RateLimit-Reset': rate.resetSeconds,
    }
    exchange.effect?.headers?.(sceneOf(exchange), headers)
    record.status = status
    res.writeHead(status, headers)
  }

  function writeText(exchange: Exchange, status: number, contentType: string, text: string): void {
    const { res } = exchange
    if (res.headersSent || res.destroyed) return
    writeHead(exchange, status, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(text),
    })
    res.end(text)
  }

  function write(exchange: Exchange, reply: Reply): void {
    writeText(exchange, reply.status, 'application/json; charset=utf-8', JSON.stringify(reply.body))
  }

  function sceneOf(exchange: Exchange): FaultScene {
    const { req, res, query, fault } = exchange
    return {
      req,
      query,
      res,
      clock,
      options: fault?.options ?? {},
      sessions: service.sessions,
      writeHead: (status, own) => writeHead(exchange, status, own),
      send: (reply) => write(exchange, reply),
      sendText: (status, contentType, text) => writeText(exchange, status, contentType, text),
    }
  }

  function fieldsOf(endpoint: Endpoint, req: IncomingMessage, body: Buffer | null): Fields {
    if (!body) throw badRequest(`the body is larger than ${bodyCapBytes} bytes`)
    if (endpoint.body === 'json') return readJsonObject(req.headers['content-type'], body)
    if (body.length === 0 || endpoint.method === 'GET') return {}
    const fields = readJsonObject(req.headers['content-type'], body)
    if (Object.keys(fields).length > 0) throw badRequest('this call takes no body')
    return {}
  }

  function refusal(error: unknown): Reply {
    if (error instanceof HttpError) return { status: error.status, body: { error: error.message } }
    log.error('A request failed inside the sandbox', { error })
    return { status: 500, body: { error: 'internal error' } }
  }

  function guarded(work: () => Reply): Reply {
    try {
      return work()
    } catch (error) {
      return refusal(error)
    }
  }

  /** Checks the body after the credential, so a stranger learns nothing about the call. */
  function answerOf(exchange: Exchange, caller: Caller | null): Reply {
    const { endpoint, req, query, id, body } = exchange
    if (exchange.rate.limited) throw new HttpError(429, 'rate limit exceeded')
    if (!endpoint) throw notFound()
    if (endpoint.permission === 'open') return endpoint.handleOpen(openCallOf(exchange, endpoint))
    if (!caller) throw unauthorized()
    if (endpoint.permission !== null && !isAllowed(caller.user.role, endpoint.permission)) throw forbidden()
    const fields = fieldsOf(endpoint, req, body)
    return endpoint.handle({ service, ...caller, query, fields, id, nowMs: clock.now() })
  }

  function openCallOf({ req, body }: Exchange, endpoint: Endpoint): OpenCall {
    return {
      service,
      headers: req.headers,
      readFields: () => fieldsOf(endpoint, req, body),
    }
  }

  function tenantFor(exchange: Exchange, caller: Caller | null): Tenant | null {
    const { endpoint } = exchange
    if (endpoint?.permission !== 'open') return caller?.tenant ?? null
    try {
      return endpoint.tenantOf(openCallOf(exchange, endpoint))
    } catch {
      return null
    }
  }

  function handleApi(exchange: Exchange): void {
    const { req, endpoint, path, method, record } = exchange
    exchange.fault = service.faults.onRequest(method, path)
    exchange.effect = exchange.fault && (httpEffects[exchange.fault.name] ?? null)
    const scene = exchange.effect && sceneOf(exchange)
    if (scene) exchange.effect?.beforeCredential?.(scene)
    const caller = endpoint?.permission === 'open' ? null : callerOf(req)
    const tenant = tenantFor(exchange, caller)
    record.tenant = tenant?.name ?? null
    exchange.rate = options.takeRate(tenant?.id ?? addressKey(req.socket))
    if (scene && exchange.effect?.before?.(scene)) return
    const reply = guarded(() => answerOf(exchange, caller))
    record.status = reply.status
    if (scene && exchange.effect?.after) exchange.effect.after(scene, reply)
    else write(exchange, reply)
  }

  function handleAdmin({ req, res, path, body, record }: Exchange): void {
    const reply = guarded(() => {
      if (!body) throw badRequest(`the body is larger than ${bodyCapBytes} bytes`)
      return options.admin(req, path, body)
    })
    const text = JSON.stringify(reply.body)
    record.status = reply.status
    res.writeHead(reply.status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
    })
    res.end(text)
  }

  function handle(exchange: Exchange): void {
    if (exchange.target === 'api') return handleApi(exchange)
    if (exchange.target === 'admin') return handleAdmin(exchange)
    exchange.rate = options.takeRate(addressKey(exchange.req.socket))
    write(exchange, refusal(notFound()))
  }

  /** Counts service requests, not sandbox-only ones. */
  function count(name: string, record: RequestRecord, res: ServerResponse): void {
    stats.requests++
    stats.perEndpoint[name] = (stats.perEndpoint[name] ?? 0) + 1
    res.on('close', () => {
      stats.perStatus[record.status] = (stats.perStatus[record.status] ?? 0) + 1
    })
  }

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? '/'
    const mark = url.indexOf('?')
    const fullPath = mark < 0 ? url : url.slice(0, mark)
    const target = fullPath.startsWith(`${apiPrefix}/`)
      ? 'api'
      : fullPath.startsWith('/sandbox/')
        ? 'admin'
        : 'none'
    const path = target === 'api' ? fullPath.slice(apiPrefix.length) : fullPath
    const method = req.method ?? 'GET'
    const found = target === 'api' ? router(method, path) : null
    const endpoint = found?.endpoint ?? null
    const record: RequestRecord = {
      atMs: clock.now(),
      method,
      path: url,
      status: 0,
      tenant: null,
    }
    options.requestLog.push(record)
    res.sendDate = false
    if (target !== 'admin') count(endpoint ? `${method} ${endpoint.path}` : 'unknown', record, res)
    const exchange: Exchange = {
      req,
      res,
      method,
      path,
      target,
      query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
      endpoint,
      id: found?.id ?? '',
      body: noBody,
      rate: { limited: false, limit: 0, remaining: 0, resetSeconds: 0 },
      record,
      fault: null,
      effect: null,
    }
    if (
      method === 'GET' &&
      req.headers['content-length'] === undefined &&
      req.headers['transfer-encoding'] === undefined
    )
      return handle(exchange)
    collect(exchange)
  }

  /** Reads the body and handles the request at its end, or as soon as the body is too large. */
  function collect(exchange: Exchange): void {
    const { req, res } = exchange
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      if (exchange.body === null) return
      size += chunk.length
      chunks.push(chunk)
      if (size <= bodyCapBytes) return
      chunks.length = 0
      exchange.body = null
      res.setHeader('Connection', 'close')
      handle(exchange)
    })
    req.on('end', () => {
      if (exchange.body === null) return
      exchange.body = Buffer.concat(chunks)
      handle(exchange)
    })
    req.on('error', () => {})
  }

  const server = http.createServer(
    // Node's own answer to a missing Host has neither the error body nor the rate headers.
    { keepAliveTimeout: 30_000, requestTimeout: 30_000, headersTimeout: 10_000, requireHostHeader: false },
    onRequest,
  )
  // Likewise for Node's own 417.
  server.on('checkExpectation', onRequest)
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return socket.destroy()
    const text = '{"error":"the request could not be read"}'
    const rate = options.takeRate(addressKey(socket as Socket))
    socket.end(
      [
        'HTTP/1.1 400 Bad Request',
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${text.length}`,
        `X-RateLimit-Limit: ${rate.limit}`,
        `X-RateLimit-Remaining: ${rate.remaining}`,
        `X-RateLimit-Reset: ${rate.resetSeconds}`,
        'Connection: close',
        '',
        text,
      ].join('\r\n'),
    )
  })
  return server
}

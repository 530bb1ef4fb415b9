import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { sessionsPath } from '../../contract/connection/sessions.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { http } from '../../lib/http.ts'
import type { Log } from '../../lib/log.ts'
import { contentSecurityPolicy, isPage, readRendererFile, type RendererFile } from '../renderer-files.ts'
import { createAccess, type Guard, pathOf, type Refusal } from './access.ts'
import { isOwnSocket } from './socket-owner.ts'
import { signInPage, signInPolicy } from './sign-in-page.ts'

/** Tight, because browsers connect over loopback. */
const limits = {
  headersMs: 5_000,
  requestMs: 10_000,
  keepAliveMs: 5_000,
  headerBytes: 16_384,
  bodyBytes: 4_096,
  sockets: 256,
}
/** At most one new link per period: any local program can ask for one. */
const linkPeriodMs = 2_000
/** Refusals logged per minute. */
const refusalsLogged = 20

/** Sent with every answer. */
const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()',
  'Cache-Control': 'no-store',
}

export type WebServer = Awaited<ReturnType<typeof startWebServer>>

/**
 * Serves the built renderer on 127.0.0.1 to browsers that signed in with the one-time token. `port` 0 takes a
 * free one; `printLink` shows a new sign-in address. Rejects when the port is unavailable.
 */
export async function startWebServer(options: {
  files: ReadonlyMap<string, RendererFile>
  port: number
  printLink: (link: string) => void
  log: Log
  clock?: Clock
  isOwnSocket?: (socket: Socket) => Promise<boolean>
}) {
  const { files, log, clock = systemClock, isOwnSocket: isOwn = isOwnSocket } = options
  const server = http.createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: limits.headerBytes,
  })
  server.maxConnections = limits.sockets
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: '127.0.0.1', exclusive: true }, resolve)
  })
  server.on('error', (error) => log.error('The web server failed', { error }))
  const { port } = server.address() as { port: number }
  const access = createAccess(port, clock)
  let refusals = 0
  let refusalsSinceMs = clock.monotonic()
  let lastLinkMs = -Infinity

  function guardOf(method: string, path: string): Guard | 404 | 405 {
    if (path === '/session') return method === 'GET' ? 'read' : method === 'POST' ? 'change' : 405
    // Like a socket: needs the page's Origin and the cookie.
    if (path === sessionsPath) return method === 'GET' ? 'read' : method === 'POST' ? 'socket' : 405
    if (path === '/session/link') return method === 'POST' ? 'change' : 405
    if (!files.has(path)) return 404
    if (method !== 'GET') return 405
    return path === '/' ? 'open' : 'read'
  }

  function logRefusal(request: IncomingMessage, { status, reason }: Refusal): void {
    const nowMs = clock.monotonic()
    if (nowMs - refusalsSinceMs > 60_000) {
      refusals = 0
      refusalsSinceMs = nowMs
    }
    if (++refusals > refusalsLogged) return
    log.warn('Refused a request', {
      status,
      reason,
      method: request.method,
      path: pathOf(request).slice(0, 100),
    })
    if (refusals === refusalsLogged) log.warn('Further refusals this minute aren’t logged')
  }

  /** Null when the program at the other end may use a token or cookie; a refusal when it is another user's. */
  async function judgeOwner(request: IncomingMessage): Promise<Refusal | null> {
    const isAllowed = await isOwn(request.socket).catch((error: unknown) => {
      log.error('Could not read who owns a socket', { error })
      return false
    })
    return isAllowed ? null : { status: 403, reason: 'The request came from another user of this computer.' }
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    function fail(message: string, reason: string) {
      return (error: unknown) => {
        log.error(message, { error })
        if (!response.headersSent) refuse(response, 500, reason)
      }
    }
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value)
    const refusal = access.judge(request, guardOf)
    if (refusal) {
      logRefusal(request, refusal)
      return refuse(response, refusal.status, refusal.reason)
    }
    const path = pathOf(request)
    if (path === '/session' && request.method === 'GET') return end(response, 204)
    if (path === '/session') {
      signIn(request, response).catch(
        fail('A browser sign-in failed', 'Sign-in failed. Nothing was changed. Try again.'),
      )
      return
    }
    if (path === sessionsPath && request.method === 'GET') {
      const body = { sessions: access.sessions(request) }
      return end(response, 200, Buffer.from(JSON.stringify(body)), 'application/json; charset=utf-8')
    }
    if (path === sessionsPath) {
      endSession(request, response).catch(
        fail('Could not end a browser session', 'The session was not ended.'),
      )
      return
    }
    if (path === '/session/link') {
      const nowMs = clock.monotonic()
      if (nowMs - lastLinkMs >= linkPeriodMs) {
        lastLinkMs = nowMs
        options.printLink(access.link())
      }
      return end(response, 204)
    }
    sendFile(request, response, files.get(path)!).catch(
      fail(
        'Could not read a file of the page',
        'A file of the page is missing. If Switchboard was updated, restart it.',
      ),
    )
  }

  async function endSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const id = body === null ? null : textOf(body, 'id')
    if (id === null) return refuse(response, 400, 'The session id is missing.')
    access.endSession(id)
    end(response, 204)
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['content-type'] !== 'application/json') return refuse(response, 415, 'Send JSON.')
    const body = await readBody(request)
    if (body === null) return refuse(response, 413, 'The request is too long.')
    const token = textOf(body, 'token')
    if (token === null) return refuse(response, 400, 'The token is missing.')
    // A signed-in browser may open the page without a token; that isn't a wrong attempt.
    if (access.hasSession(request)) return end(response, 204)
    if (token === '') return refuse(response, 401, 'The token is missing.')
    const refusal = await judgeOwner(request)
    if (refusal) {
      logRefusal(request, refusal)
      return refuse(response, refusal.status, refusal.reason)
    }
    const cookie = access.exchange(token, request.headers['user-agent'])
    if (cookie === null) return refuse(response, 401, 'The token is invalid or was already used.')
    response.setHeader('Set-Cookie', cookie)
    end(response, 204)
  }

  async function sendFile(
    request: IncomingMessage,
    response: ServerResponse,
    file: RendererFile,
  ): Promise<void> {
    const nonce = randomBytes(16).toString('base64')
    if (isPage(file.contentType) && access.judge(request, () => 'read') !== null) {
      response.setHeader('Content-Security-Policy', signInPolicy(nonce))
      const page = Buffer.from(signInPage(nonce, request.headers['accept-language']))
      return end(response, 200, page, file.contentType)
    }
    const bytes = await readRendererFile(file, nonce)
    const sockets = `ws://${request.headers.host ?? ''}`
    response.setHeader(
      'Content-Security-Policy',
      isPage(file.contentType) ? contentSecurityPolicy(nonce, `'self' ${sockets}`) : "default-src 'none'",
    )
    // Their names change with their content. The browser also keeps their compiled code.
    if (pathOf(request).startsWith('/assets/'))
      response.setHeader('Cache-Control', 'private, max-age=31536000, immutable')
    end(response, 200, bytes, file.contentType)
  }

  server.on('request', answer)
  return {
    server,
    access,
    port,
    judgeOwner,
    logRefusal,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function end(response: ServerResponse, status: number, bytes?: Buffer, contentType?: string): void {
  response.statusCode = status
  if (bytes !== undefined) response.setHeader('Content-Length', bytes.length)
  if (contentType !== undefined) response.setHeader('Content-Type', contentType)
  response.end(bytes)
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.setHeader('Content-Security-Policy', "default-src 'none'")
  // The rest of the request is not read.
  response.setHeader('Connection', 'close')
  end(response, status, Buffer.from(`${reason}\n`), 'text/plain; charset=utf-8')
}

/** The body as text, or null when too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > limits.bodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A string field of a JSON object, or null. */
function textOf(body: string, name: string): string | null {
  try {
    const value = (JSON.parse(body) as Record<string, unknown> | null)?.[name]
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

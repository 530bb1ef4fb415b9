import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { http } from '../lib/http.ts'
import type { Log } from '../lib/log.ts'
import type { PendingDelivery } from './commit-queue.ts'
import { keptHeaders, signatureHeader } from './headers.ts'
import type { ListenerLimits, RefusalReason } from './protocol.ts'
import type { KeptRefusal } from './refusals.ts'
import type { SignatureChecker } from './signature.ts'
import { createSlots } from './slots.ts'

/** After an early refusal the sender is read this long; else it might see a reset, no answer (RFC 9112 §9.6). */
const lingerMs = 1_000
const lingerBytes = 16 * 1024 * 1024

/** May change while the server runs. */
export interface WebhookRules {
  path: string
  allowUnsigned: boolean
  checker: SignatureChecker
  /** Some secrets could not be read, so an unmatched signature may still be valid. */
  secretsUnread: boolean
}

/** Takes the deliveries of one path. */
export interface Receiver {
  rules(): WebhookRules
  /** Must settle the delivery, stored or not, within about 4 s. */
  store(delivery: PendingDelivery): void
  onAccepted(delivery: PendingDelivery, tookMs: number): void
  onNotStored(): void
  onRefused(refusal: KeptRefusal): void
}

export interface WebhookServerOptions {
  /** The receiver of a request target, such as a path or an absolute address. */
  receiverAt(target: string): Receiver | undefined
  limits: ListenerLimits
  clock: Clock
  log: Log
  /** Called for requests that reached no receiver: an unknown path, or one that could not be read. */
  onRefused(refusal: KeptRefusal): void
  /** PEM texts. */
  tls?: { cert: string; key: string } | undefined
  /**
   * Answers other requests, such as health checks; undefined for those to refuse. After `keepSlot` the connection no
   * longer counts as one of this server.
   */
  answerOther?(req: IncomingMessage, keepSlot: () => void): OtherAnswer | Promise<OtherAnswer> | undefined
}

export interface OtherAnswer {
  status: number
  contentType: string
  body: string
}

/** Built once. The body tells a person with curl what happened. */
function answer(status: number, text: string, extra: Record<string, string> = {}) {
  // Node sends head and body in one write when the body is a string.
  const body = JSON.stringify(status === 200 ? { status: text } : { error: text })
  const headers = { 'Content-Type': 'application/json', ...extra, 'Content-Length': String(body.length) }
  return { status, body, headers: Object.entries(headers).flat() }
}

type Answer = ReturnType<typeof answer>

const stored = answer(200, 'stored')
const notStored = answer(503, 'The delivery could not be stored. Retry it.')
const refusals = {
  path: answer(404, 'Deliveries go to another path.'),
  method: answer(405, 'Only POST is allowed.', { Allow: 'POST' }),
  browser: answer(403, 'Requests from web pages are refused.'),
  length: answer(411, 'The request has no body.'),
  'too-large': answer(413, 'The body is too large.'),
  'signature-missing': answer(401, 'The signature header X-Webhook-Signature is missing.'),
  'signature-malformed': answer(401, 'The signature is not 64 lowercase hexadecimal digits.'),
  'signature-mismatch': answer(401, 'The signature does not match the body.'),
  'no-secret': answer(401, 'No webhook secret is set, so deliveries cannot be verified.'),
  timeout: answer(408, 'The request took too long.'),
  'headers-too-large': answer(431, 'The header section is too large.'),
  malformed: answer(400, 'This is not a valid HTTP request.'),
} satisfies Partial<Record<RefusalReason, Answer>>

/** Repeated ones are joined by a comma, so they never match. */
const signatureOf = ({ headers }: IncomingMessage) => headers[signatureHeader] as string | undefined

/**
 * The HTTP side of the listener: a path per receiver, POST only, bounded in every dimension, 200 only after
 * `store` settled with true. Returned before it listens.
 */
export function createWebhookServer(options: WebhookServerOptions): Server {
  const { limits, clock } = options
  const slots = createSlots(limits.maxConnections, dropExcess)
  /** Sockets refused while their request was still arriving. */
  const answered = new WeakSet<Socket>()

  function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Answer): void {
    slots.answered(req.socket, status === stored.status)
    // A closing server must not keep connections for another request.
    if (!server.listening) res.shouldKeepAlive = false
    res.writeHead(status, headers)
    res.end(body)
  }

  function recordRefusal(
    req: IncomingMessage,
    receiver: Receiver | undefined,
    reason: keyof typeof refusals,
    body: Buffer | null,
    nowMs: number,
  ): void {
    ;(receiver ?? options).onRefused({
      sample: {
        atMs: nowMs,
        status: refusals[reason].status,
        reason,
        remote: req.socket.remoteAddress ?? '',
        method: req.method ?? '',
        path: (req.url ?? '').slice(0, 256),
        sizeBytes: body?.length ?? null,
      },
      headers: keptHeaders(req.rawHeaders),
      body,
      receivedSignature: signatureOf(req)?.slice(0, 256) ?? null,
    })
  }

  /** Answers before the body has arrived, reads on briefly so the answer gets through, then closes. */
  function refuseEarly(
    req: IncomingMessage,
    res: ServerResponse,
    receiver: Receiver | undefined,
    reason: keyof typeof refusals,
  ): void {
    recordRefusal(req, receiver, reason, null, clock.now())
    answered.add(req.socket)
    const { status, headers, body } = refusals[reason]
    res.shouldKeepAlive = false
    res.writeHead(status, headers)
    if (req.method === 'HEAD') res.flushHeaders()
    else res.write(body)
    let discarded = 0
    const finish = () => {
      cancel()
      res.end()
    }
    const cancel = clock.after(lingerMs, finish)
    req.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > lingerBytes) finish()
    })
    req.once('end', finish)
    req.once('close', cancel)
  }

  function reasonBeforeBody({ method, headers }: IncomingMessage): keyof typeof refusals | undefined {
    if (method !== 'POST') return 'method'
    // A web page could post unsigned deliveries to a port of this computer.
    if ('origin' in headers || 'sec-fetch-site' in headers) return 'browser'
    const length = headers['content-length']
    if (length === undefined) return 'transfer-encoding' in headers ? undefined : 'length'
    return Number(length) > limits.bodyBytes ? 'too-large' : undefined
  }

  function onBody(
    req: IncomingMessage,
    res: ServerResponse,
    receiver: Receiver,
    body: Buffer,
    arrivedMs: number,
  ): void {
    const receivedMs = clock.now()
    const signature = signatureOf(req)
    const rules = receiver.rules()
    let secretId: string | null = null
    if (signature !== undefined || !rules.allowUnsigned) {
      const verdict = rules.checker.check(body, signature, receivedMs)
      if (verdict.ok) secretId = verdict.secretId
      else if (rules.secretsUnread && /^(signature-mismatch|no-secret)$/.test(verdict.reason)) {
        // 503 instead of 401: the service retries, and the secret may be readable by then.
        receiver.onNotStored()
        send(req, res, notStored)
        return
      } else if (!(rules.allowUnsigned && verdict.reason === 'no-secret')) {
        recordRefusal(req, receiver, verdict.reason, body, receivedMs)
        send(req, res, refusals[verdict.reason])
        return
      }
    }
    const delivery: PendingDelivery = {
      receivedMs,
      verdict: secretId === null ? 'unsigned' : 'signed',
      secretId,
      remote: req.socket.remoteAddress ?? '',
      headersJson: JSON.stringify(keptHeaders(req.rawHeaders)),
      body,
      signature,
      arrivedMs,
      settle(isStored) {
        send(req, res, isStored ? stored : notStored)
        if (isStored) receiver.onAccepted(delivery, clock.monotonic() - arrivedMs)
        else receiver.onNotStored()
      },
    }
    receiver.store(delivery)
  }

  /** A failure to answer must not end the process: deliveries arrive here too. */
  function failed(req: IncomingMessage, error: unknown): OtherAnswer {
    options.log.error('Could not answer a request', { path: req.url, error })
    return {
      status: 500,
      contentType: 'application/json',
      body: '{"error":"The answer failed. See the log."}',
    }
  }

  function otherAnswer(req: IncomingMessage): ReturnType<NonNullable<WebhookServerOptions['answerOther']>> {
    try {
      return options.answerOther?.(req, () => slots.leave(req.socket))
    } catch (error) {
      return failed(req, error)
    }
  }

  async function answerWith(
    pending: OtherAnswer | Promise<OtherAnswer>,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    const other = await Promise.resolve(pending).catch((error: unknown) => failed(req, error))
    slots.answered(req.socket, false)
    if (!server.listening) res.shouldKeepAlive = false
    res.writeHead(other.status, {
      'Content-Type': other.contentType,
      'Content-Length': Buffer.byteLength(other.body),
      'Cache-Control': 'no-store',
    })
    res.end(other.body)
  }

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    const receiver = options.receiverAt(req.url ?? '')
    if (!receiver) {
      const other = otherAnswer(req)
      if (!other) return refuseEarly(req, res, undefined, 'path')
      void answerWith(other, req, res)
      return
    }
    const reason = reasonBeforeBody(req)
    if (reason !== undefined) return refuseEarly(req, res, receiver, reason)
    slots.progress(req.socket)
    const arrivedMs = clock.monotonic()
    let first: Buffer | undefined
    let all: Buffer[] | undefined
    let sizeBytes = 0
    const onData = (chunk: Buffer) => {
      slots.progress(req.socket)
      sizeBytes += chunk.length
      if (sizeBytes > limits.bodyBytes) {
        req.off('data', onData)
        req.off('end', onEnd)
        refuseEarly(req, res, receiver, 'too-large')
      } else if (first === undefined) first = chunk
      else (all ??= [first]).push(chunk)
    }
    const onEnd = () => {
      slots.complete(req.socket)
      onBody(req, res, receiver, all ? Buffer.concat(all) : (first ?? Buffer.alloc(0)), arrivedMs)
    }
    req.on('data', onData)
    req.on('end', onEnd)
  }

  const settings = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.requestTimeoutMs / 4),
  }
  const server: Server = options.tls
    ? createTlsServer({ ...settings, ...options.tls, handshakeTimeout: limits.requestTimeoutMs }, onRequest)
    : http.createServer(settings, onRequest)
  // Connections take a slot after the TLS handshake, so unfinished handshakes have their own limit.
  if (options.tls) server.maxConnections = 2 * limits.maxConnections
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (!slots.enter(socket)) dropExcess(socket)
  })
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    if (options.receiverAt(req.url ?? '') && reasonBeforeBody(req) === undefined) res.writeContinue()
    onRequest(req, res)
  })

  /** A connection whose request could not be read. */
  function recordUnread(remote: string | undefined, reason: RefusalReason, status: number): void {
    options.onRefused({
      sample: {
        atMs: clock.now(),
        status,
        reason,
        remote: remote ?? '',
        method: '',
        path: '',
        sizeBytes: null,
      },
      headers: [],
      body: null,
      receivedSignature: null,
    })
  }

  function dropExcess(socket: Socket): void {
    recordUnread(socket.remoteAddress, 'too-many-connections', 0)
    socket.destroy()
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const reason =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'timeout'
        : error.code === 'HPE_HEADER_OVERFLOW'
          ? 'headers-too-large'
          : 'malformed'
    // An unused connection sent no request. The client would take an answer for the one to its next request.
    const isUnused = reason === 'timeout' && socket.bytesRead === 0
    if (isUnused || answered.has(socket)) {
      socket.destroy()
      return
    }
    const { status, headers, body } = refusals[reason]
    recordUnread(socket.remoteAddress, reason, status)
    const lines = [`HTTP/1.1 ${status} ${reason}`, 'Connection: close']
    for (let index = 0; index < headers.length; index += 2)
      lines.push(`${headers[index]}: ${headers[index + 1]}`)
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
    socket.destroySoon()
  })
  return server
}

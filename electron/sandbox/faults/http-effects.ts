import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../lib/clock.ts'
import { drip } from '../drip.ts'
import { type HttpError, type Reply, forbidden, unauthorized } from '../http/reply.ts'
import type { Sessions } from '../sessions.ts'
import type { FaultName, FaultOptions } from './fault-table.ts'
import { withBrokenRecord, withCapitals, withNumberTimes, withoutZones, withYearOne } from './odd-records.ts'

export interface FaultScene {
  req: IncomingMessage
  /** As the call will read it. */
  query: URLSearchParams
  res: ServerResponse
  clock: Clock
  options: FaultOptions
  /** Hits, including this one. */
  happened: number
  sessions: Sessions
  /** This server under another host name, so another origin. */
  otherOrigin: string
  /** Writes status and the usual headers; the fault writes the body. */
  writeHead(status: number, own: Record<string, string | number>): void
  /** Sends an answer with the usual headers. */
  send(reply: Reply): void
  /** Sends text with the usual headers. */
  sendText(status: number, contentType: string, text: string, more?: Record<string, string>): void
}

export interface HttpEffect {
  /** Before the credential is read. */
  beforeCredential?(scene: FaultScene): void
  /** Before execution. True when the request is done. */
  before?(scene: FaultScene): boolean
  /** Replaces the answer of an executed request. */
  after?(scene: FaultScene, reply: Reply): void
  /** Changes the answer's headers. */
  headers?(scene: FaultScene, headers: Record<string, string | number>): void
}

const portalPage = '<!doctype html><title>Sign in to the network</title><p>Accept the terms to go online.</p>'
const error500: Reply = { status: 500, body: { error: 'internal error' } }

/** Answers at once, without executing anything. */
const answerWith = (reply: Reply): HttpEffect => ({
  before(scene) {
    scene.send(reply)
    return true
  },
})

const refuseWith = ({ status, message }: HttpError) => answerWith({ status, body: { error: message } })

/** Changes the body of an executed request; `happened` counts up. */
const changed = (change: (body: unknown, happened: number) => unknown): HttpEffect => ({
  after: (scene, { status, body }) => scene.send({ status, body: change(body, scene.happened) }),
})

const portal: HttpEffect = {
  before(scene) {
    scene.sendText(200, 'text/html; charset=utf-8', portalPage)
    return true
  },
}

function reset(scene: FaultScene): void {
  scene.req.socket.resetAndDestroy()
}

/** A wrong type for every value, at any depth. */
function wrongTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(wrongTypes) : {}
  if (value === null) return 0
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wrongTypes(item)]))
  return typeof value === 'string' ? 12_345 : typeof value === 'number' ? 'twelve' : 'maybe'
}

/** Changes a copy of every record: the body, the items of `data` or of an array. */
function eachRecord(body: unknown, change: (record: Record<string, unknown>) => void): unknown {
  const copy = structuredClone(body)
  const at = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(at)
    else if (value !== null && typeof value === 'object') {
      const record = value as Record<string, unknown>
      if (Array.isArray(record.data)) record.data.forEach(at)
      else change(record)
    }
  }
  at(copy)
  return copy
}

function flood(scene: FaultScene, sizeBytes: number): void {
  const { res } = scene
  const chunk = Buffer.alloc(65_536, 'x')
  let left = Math.max(0, sizeBytes - 11)
  const more = () => {
    while (left > 0 && !res.destroyed) {
      const piece = left < chunk.length ? chunk.subarray(0, left) : chunk
      left -= piece.length
      if (!res.write(piece)) return void res.once('drain', more)
    }
    if (!res.destroyed) res.end('"}')
  }
  scene.writeHead(200, { 'Content-Type': 'application/json' })
  res.write('{"data":"')
  more()
}

/** Values of X-RateLimit-Reset no client should trust; null omits the header. */
const resetGarbage: readonly ((nowMs: number) => string | null)[] = [
  () => 'soon',
  () => '',
  (nowMs) => String(nowMs + 30_000),
  () => '-1',
  (nowMs) => String(Math.floor(nowMs / 1_000) - 3_600),
  (nowMs) => String(Math.floor(nowMs / 1_000) + 86_400),
  () => null,
]

const jsonText = (reply: Reply) => Buffer.from(JSON.stringify(reply.body))

/** Faults on requests. `refresh-rotates` is in the refresh call itself. */
export const httpEffects: Partial<Record<FaultName, HttpEffect>> = {
  'rate-limited': {
    ...answerWith({ status: 429, body: { error: 'rate limit exceeded' } }),
    headers(scene, headers) {
      headers['X-RateLimit-Remaining'] = 0
      headers['X-RateLimit-Reset'] = Math.ceil(scene.clock.now() / 1_000) + (scene.options.resetSeconds ?? 5)
    },
  },
  'token-expires-mid-batch': { beforeCredential: (scene) => scene.sessions.expireAccessTokens() },
  'error-500': answerWith(error500),
  'error-500-after-commit': { after: (scene) => scene.send(error500) },
  slow: {
    after: (scene, reply) =>
      void scene.clock.after(scene.options.delayMs ?? 3_000, () => {
        if (!scene.res.destroyed) scene.send(reply)
      }),
  },
  'slow-body': {
    after(scene, reply) {
      const text = jsonText(reply)
      scene.writeHead(reply.status, { 'Content-Type': 'application/json', 'Content-Length': text.length })
      drip(scene.clock, scene.res, text, 20, (scene.options.delayMs ?? 10_000) / 20)
    },
  },
  hang: { before: () => true },
  'hang-after-commit': { after: () => {} },
  'reset-before': {
    before(scene) {
      reset(scene)
      return true
    },
  },
  'reset-after-commit': { after: reset },
  'html-200': portal,
  'truncated-body': {
    after(scene, reply) {
      const text = jsonText(reply)
      scene.writeHead(reply.status, { 'Content-Type': 'application/json', 'Content-Length': text.length })
      scene.res.write(text.subarray(0, Math.floor(text.length / 2)), () => scene.req.socket.destroy())
    },
  },
  'not-json': {
    after(scene, reply) {
      const text = jsonText(reply)
      scene.sendText(reply.status, 'application/json', text.subarray(0, text.length / 2).toString())
    },
  },
  'huge-body': {
    before(scene) {
      flood(scene, scene.options.sizeBytes ?? 50_000_000)
      return true
    },
  },
  'page-cap': {
    before({ query, options }) {
      const perPage = options.perPage ?? 50
      if (Number(query.get('per_page')) > perPage) query.set('per_page', String(perPage))
      return false
    },
  },
  'unreadable-record': changed(withBrokenRecord),
  'year-one': changed(withYearOne),
  'capital-status': changed(withCapitals),
  'time-without-zone': changed(withoutZones),
  'time-as-number': changed(withNumberTimes),
  'wrong-type': {
    after: (scene, reply) => scene.send({ status: reply.status, body: wrongTypes(reply.body) }),
  },
  'missing-id': {
    after: (scene, reply) =>
      scene.send({ status: reply.status, body: eachRecord(reply.body, (record) => void delete record.id) }),
  },
  'wrong-id': {
    after: (scene, reply) =>
      scene.send({
        status: reply.status,
        body: eachRecord(reply.body, (record) => {
          if ('id' in record) record.id = '00000000-0000-4000-8000-000000000000'
        }),
      }),
  },
  'unknown-values': {
    after: (scene, reply) =>
      scene.send({
        status: reply.status,
        body: eachRecord(reply.body, (record) => {
          if ('status' in record) record.status = 'in_review'
          record.extra_field = { nested: [1, 'two', null] }
        }),
      }),
  },
  'empty-204': {
    after(scene) {
      scene.writeHead(204, {})
      scene.res.end()
    },
  },
  redirect: {
    before(scene) {
      const location = scene.options.location ?? `${scene.otherOrigin}/sandbox/redirected`
      scene.sendText(302, 'text/plain', 'Moved', { Location: location })
      return true
    },
  },
  unauthorized: refuseWith(unauthorized()),
  forbidden: refuseWith(forbidden()),
  'refresh-fails': answerWith(error500),
  'refresh-denied': refuseWith(unauthorized()),
  'login-html': portal,
  'clock-skew': {
    headers(scene, headers) {
      const skewMs = scene.options.skewMs ?? 600_000
      headers.Date = new Date(scene.clock.now() + skewMs).toUTCString()
      headers['X-RateLimit-Reset'] = Number(headers['X-RateLimit-Reset']) + Math.round(skewMs / 1_000)
    },
  },
  'reset-header-garbage': {
    headers(scene, headers) {
      const value = resetGarbage[(scene.happened - 1) % resetGarbage.length]!(scene.clock.now())
      if (value === null) delete headers['X-RateLimit-Reset']
      else headers['X-RateLimit-Reset'] = value
    },
  },
  'missing-rate-headers': {
    headers(_scene, headers) {
      delete headers['X-RateLimit-Limit']
      delete headers['X-RateLimit-Remaining']
      delete headers['X-RateLimit-Reset']
    },
  },
}

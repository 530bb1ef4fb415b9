import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../lib/clock.ts'
import { type HttpError, type Reply, forbidden, unauthorized } from '../http/reply.ts'
import type { Sessions } from '../sessions.ts'
import type { FaultName, FaultOptions } from './fault-table.ts'
import { withBrokenRecord, withCapitals, withYearOne } from './odd-records.ts'

export interface FaultScene {
  req: IncomingMessage
  /** As the call will read it. */
  query: URLSearchParams
  res: ServerResponse
  clock: Clock
  options: FaultOptions
  sessions: Sessions
  /** Writes status and the usual headers; the fault writes the body. */
  writeHead(status: number, own: Record<string, string | number>): void
  /** Sends an answer with the usual headers. */
  send(reply: Reply): void
  /** Sends text with the usual headers. */
  sendText(status: number, contentType: string, text: string): void
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

/** Changes the body of an executed request. */
const changed = (change: (body: unknown) => unknown): HttpEffect => ({
  after: (scene, { status, body }) => scene.send({ status, body: change(body) }),
})

function reset(scene: FaultScene): void {
  scene.req.socket.resetAndDestroy()
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

const jsonText = (reply: Reply) => Buffer.from(JSON.stringify(reply.body))

/** Faults on requests. */
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
  hang: { before: () => true },
  'hang-after-commit': { after: () => {} },
  'reset-before': {
    before(scene) {
      reset(scene)
      return true
    },
  },
  'reset-after-commit': { after: reset },
  'html-200': {
    before(scene) {
      scene.sendText(200, 'text/html; charset=utf-8', portalPage)
      return true
    },
  },
  'truncated-body': {
    after(scene, reply) {
      const text = jsonText(reply)
      scene.writeHead(reply.status, { 'Content-Type': 'application/json', 'Content-Length': text.length })
      scene.res.write(text.subarray(0, Math.floor(text.length / 2)), () => scene.req.socket.destroy())
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
  'missing-id': changed((body) => eachRecord(body, (record) => void delete record.id)),
  'unknown-values': changed((body) =>
    eachRecord(body, (record) => {
      if ('status' in record) record.status = 'in_review'
      record.extra_field = { nested: [1, 'two', null] }
    }),
  ),
  unauthorized: refuseWith(unauthorized()),
  forbidden: refuseWith(forbidden()),
  'refresh-fails': answerWith(error500),
  'refresh-denied': refuseWith(unauthorized()),
}

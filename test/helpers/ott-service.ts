import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest'
import { dncCache, syncDnc } from './dnc.ts'
import { createFastDayClock } from './fast-clock.ts'
import { testSecret } from './listener.ts'
import { type Rpc, type RunningCore, startCore } from './start-core.ts'
import { connectTo, forgetPeople, startTestCore } from './test-core.ts'

/** The fate of one message. `-after`: sent, then the answer is lost or a failure; `-before`: not sent; `filtered`: accepted as rejected. */
export type OttFate =
  | 'done'
  | 'limited'
  | 'rejected'
  | 'failed-after'
  | 'failed-before'
  | 'reset-after'
  | 'reset-before'
  | 'other-record'
  | 'filtered'

const sending: readonly OttFate[] = ['done', 'failed-after', 'reset-after', 'other-record']
/** Fates after which only the service knows whether it was sent. */
export const ambiguousOttFates: readonly OttFate[] = [
  'failed-after',
  'failed-before',
  'reset-after',
  'reset-before',
  'other-record',
]

export interface OttService {
  baseUrl: string
  /** Requests for messages, oldest first. */
  requests: { to: string; fate: OttFate; variables: Record<string, unknown> }[]
  /** How often each number was really sent to. */
  sent: Map<string, number>
  /** Entries of the DNC list. The service refuses none of them: that is the console's job. */
  dnc: string[]
  /** Subscriptions as listed: at first one that leads to each console with `testSecret`. */
  webhooks: unknown[]
  /** Numbers of contacts that were created. */
  contacts: string[]
  /** Answers everything with 401. */
  isExpired: boolean
  fate: (to: string) => OttFate | Promise<OttFate>
  stop(): Promise<void>
}

/**
 * A messaging service for OTT messages, written from the spec alone. The test decides the fate of each request; the service records the
 * truth.
 */
export async function startOttService(): Promise<OttService> {
  let nextId = 1
  const service: Omit<OttService, 'baseUrl' | 'stop'> = {
    requests: [],
    sent: new Map(),
    dnc: [],
    webhooks: [
      { id: 'w-0', url: 'https://tunnel.example/webhooks', events: ['message.received'], secret: testSecret },
    ],
    contacts: [],
    isExpired: false,
    fate: () => 'done',
  }
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString()
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
      const url = new URL(request.url!, 'http://x')
      const send = (status: number, value: unknown) =>
        void response
          .writeHead(status, {
            'content-type': 'application/json',
            'x-ratelimit-limit': '100000',
            'x-ratelimit-remaining': '99000',
            'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000)),
            ...(status === 429 ? { 'retry-after': '0' } : {}),
          })
          .end(JSON.stringify(value))
      const path = url.pathname.replace('/v1', '')
      if (service.isExpired) return send(401, { error: 'invalid key' })
      if (path === '/dnc') {
        const page = Number(url.searchParams.get('page') ?? 1)
        const size = Number(url.searchParams.get('per_page') ?? 20)
        const data = service.dnc
          .slice((page - 1) * size, page * size)
          .map((phone) => ({ id: `d-${phone}`, phone_number: phone, reason: 'asked' }))
        return send(200, { data, total: service.dnc.length, page, per_page: size })
      }
      if (path === '/dnc/check') {
        const listed = service.dnc.find((phone) => [...url.searchParams.values()].includes(phone))
        if (listed === undefined) return send(200, { is_blocked: false })
        return send(200, {
          is_blocked: true,
          entry: { id: `d-${listed}`, phone_number: listed, reason: 'asked' },
        })
      }
      if (path === '/contacts' && request.method === 'POST') {
        service.contacts.push(String(body['phone']))
        return send(201, { id: `c-${nextId++}`, ...body })
      }
      if (path === '/templates') return send(201, { id: `t-${nextId++}`, status: 'active', ...body })
      if (path === '/webhooks/subscriptions')
        return send(200, { data: service.webhooks, total: service.webhooks.length, page: 1, per_page: 20 })
      if (path !== '/ott/messages')
        return send(200, { data: [], total: 0, page: 1, per_page: 20, messages_today: 1 })

      const to = String(body['to'])
      const fate = await service.fate(to)
      service.requests.push({ to, fate, variables: body['variables'] as Record<string, unknown> })
      if (sending.includes(fate)) service.sent.set(to, (service.sent.get(to) ?? 0) + 1)
      const record = { id: `m-${nextId++}`, to, status: fate === 'filtered' ? 'REJECTED' : 'QUEUED' }
      if (fate === 'limited') return send(429, { error: 'rate limit exceeded' })
      if (fate === 'rejected') return send(400, { error: 'not today' })
      if (fate.startsWith('failed')) return send(500, { error: 'internal' })
      if (fate.startsWith('reset')) return void request.socket.resetAndDestroy()
      return send(201, fate === 'other-record' ? { ...record, to: '+4930901820' } : record)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(service, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

/** Connects to the service, whose subscription leads here. */
async function connectOtt(rpc: Rpc, { baseUrl }: OttService) {
  const { connection } = await connectTo(rpc, baseUrl, 'List')
  await rpc.listener.addSecret({ label: 'Service', value: testSecret })
  return connection
}

/** A console that has synced the DNC list of its own OTT service. Both end with the test. */
export async function openAtOttService({
  dnc = [] as readonly string[],
  /** How much faster its clock is. */
  speed = 50,
  /** The connection's country. */
  country = null as string | null,
  isSynced = true,
} = {}) {
  const service = await startOttService()
  onTestFinished(() => service.stop())
  service.dnc = [...new Set(dnc)]
  const running = await startTestCore({
    clock: createFastDayClock(speed, { keepDeadlines: true }),
    sandbox: null,
  })
  const { rpc } = running
  const connection = await connectOtt(rpc, service)
  if (country !== null) await rpc.connections.update({ ...connection, country })
  if (isSynced) await syncDnc(rpc)
  return { service, running, rpc, connection }
}

/**
 * One core and one service for all tests of a file, without contacts and holds after each. Each test says which numbers the DNC list has;
 * one that pushes contacts needs its own core.
 */
export function shareOttService() {
  let service: OttService
  let running: RunningCore
  beforeAll(async () => {
    service = await startOttService()
    running = await startCore({ clock: createFastDayClock(50, { keepDeadlines: true }), sandbox: null })
    await connectOtt(running.rpc, service)
  })
  afterEach(() => forgetPeople(running.rpc))
  afterAll(async () => {
    await running.stop()
    await service.stop()
  })
  return async (...dnc: string[]) => {
    service.dnc = dnc
    await syncDnc(running.rpc)
    const { kept, asOf } = await dncCache(running.rpc)
    await running.rpc.dnc.useShorterList({ kept, asOf: asOf! })
    return running.rpc
  }
}

import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FaultOptions, faultTable } from './faults/fault-table.ts'
import { type Fields, isObject, onlyFields, optionalText, readJsonObject, text, toId } from './http/checks.ts'
import { type Reply, badRequest, created, notFound, ok, unauthorized } from './http/reply.ts'
import type { Sandbox } from './sandbox.ts'
import { type Service, userNamed } from './service.ts'
import { toTime } from './wire.ts'

interface AdminCall {
  service: Service
  sandbox: Sandbox
  fields: Fields
  query: URLSearchParams
  id: string
}

type AdminHandler = (call: AdminCall) => Reply

/** Longest timer in Node. */
const timerCapMs = 2 ** 31 - 1

/** Minimum and maximum of each number. */
const numberOptions = {
  probability: [0, 1],
  count: [0, Infinity],
  after: [0, Infinity],
  delayMs: [0, timerCapMs],
  resetSeconds: [0, Infinity],
} as const satisfies Partial<Record<keyof FaultOptions, readonly [number, number]>>
const textOptions = ['path', 'method'] as const

/** Fault options from JSON. Throws HttpError 400. */
function readFaultOptions(given: unknown): FaultOptions {
  if (given === undefined) return {}
  if (!isObject(given)) throw badRequest('options must be an object')
  onlyFields(given, [...Object.keys(numberOptions), ...textOptions])
  for (const [name, [least, most]] of Object.entries(numberOptions)) {
    const value = given[name]
    if (value !== undefined && !(typeof value === 'number' && value >= least && value <= most))
      throw badRequest(`options.${name} must be a number from ${least} to ${most}`)
  }
  for (const name of textOptions)
    if (given[name] !== undefined && typeof given[name] !== 'string')
      throw badRequest(`options.${name} must be a string`)
  return given as FaultOptions
}

function numberField(fields: Fields, name: string, most: number): number {
  const value = fields[name]
  if (typeof value !== 'number' || value < 0 || value > most)
    throw badRequest(`${name} must be a number from 0 to ${most}`)
  return value
}

function checkTenant(sandbox: Sandbox, name: string): void {
  if (!sandbox.tenants.some((tenant) => tenant.name === name)) throw notFound('tenant')
}

const inspections = [
  'contacts',
  'campaigns',
  'messages',
  'heldMessageIds',
  'templates',
  'channels',
  'ottMessages',
  'scheduled',
  'dnc',
  'subscriptions',
] as const

/** Sandbox-only calls by method and path below `/sandbox`. */
const calls: Record<string, AdminHandler> = {
  'GET /tenants': ({ sandbox }) =>
    ok(
      sandbox.tenants.map((tenant) => ({
        id: tenant.id,
        name: tenant.name,
        channels: sandbox.tenant(tenant.name).channels(),
        users: tenant.users.map(({ username, role }) => ({ username, role })),
      })),
    ),
  'POST /api-keys': ({ service, fields }) => {
    onlyFields(fields, ['username', 'name'])
    const username = text(fields, 'username')
    const user = userNamed(service.users, username)
    if (!user) throw badRequest('unknown user')
    const name = optionalText(fields, 'name') ?? 'API key'
    return created(service.apiKeys.create(name, user.id, username, toTime(service.clock.now())))
  },
  'GET /api-keys': ({ service }) => ok(service.apiKeys.list()),
  'DELETE /api-keys/{id}': ({ service, id }) => {
    if (!service.apiKeys.revoke(id)) throw notFound('API key')
    return ok({ message: 'the key was revoked' })
  },
  'DELETE /subscriptions/{id}': ({ service, id }) => {
    if (!service.tenants.some(({ subscriptions }) => subscriptions.delete(id))) throw notFound('subscription')
    return ok({ message: 'the subscription was removed' })
  },
  'GET /faults': ({ service }) => ok({ active: service.faults.active(), known: faultTable }),
  'PUT /fault': ({ sandbox, service, fields }) => {
    onlyFields(fields, ['name', 'options'])
    const name = text(fields, 'name')
    if (!faultTable.some((fault) => fault.name === name))
      throw badRequest(`there is no fault "${name.slice(0, 60)}"`)
    sandbox.setFault(name, readFaultOptions(fields.options))
    return ok({ active: service.faults.active() })
  },
  'DELETE /fault': ({ sandbox }) => {
    sandbox.setFault(null)
    return ok({ active: null })
  },
  'GET /stats': ({ sandbox }) => ok(sandbox.stats()),
  'GET /requests': ({ sandbox }) => ok(sandbox.requestLog()),
  'GET /deliveries': ({ sandbox }) => ok(sandbox.deliveries()),
  'GET /inspect': ({ sandbox, query }) => {
    const what = inspections.find((name) => name === query.get('what'))
    if (!what) throw badRequest(`what must be one of ${inspections.join(', ')}`)
    const name = query.get('tenant') ?? sandbox.tenants[0]!.name
    checkTenant(sandbox, name)
    return ok(sandbox.tenant(name)[what]())
  },
  'POST /advance': ({ sandbox, fields }) => {
    onlyFields(fields, ['ms'])
    sandbox.tick(numberField(fields, 'ms', 3_600_000))
    return ok({ message: 'the traffic moved on' })
  },
  'POST /traffic': ({ service, fields }) => {
    onlyFields(fields, ['running', 'ratePerSecond'])
    if (fields.running !== undefined && typeof fields.running !== 'boolean')
      throw badRequest('running must be a boolean')
    if (fields.ratePerSecond !== undefined)
      service.traffic.setRate(numberField(fields, 'ratePerSecond', 20_000))
    if (typeof fields.running === 'boolean') service.traffic.setRunning(fields.running)
    return ok({ message: 'the traffic was set' })
  },
  'POST /events/mo': ({ sandbox, fields }) => {
    onlyFields(fields, ['tenant', 'source', 'content'])
    const tenant = optionalText(fields, 'tenant')
    if (tenant !== undefined) checkTenant(sandbox, tenant)
    const source = optionalText(fields, 'source')
    return created(
      sandbox.emitMo({
        content: text(fields, 'content'),
        ...(tenant === undefined ? {} : { tenant }),
        ...(source === undefined ? {} : { source }),
      }),
    )
  },
}

function isAdmin(req: IncomingMessage, token: string): boolean {
  const given = Buffer.from(String(req.headers['x-sandbox-admin'] ?? ''))
  const expected = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Answers paths under `/sandbox/`. They need `X-Sandbox-Admin`. */
export function createAdmin(
  service: Service,
  sandbox: () => Sandbox,
  adminToken: string,
): (req: IncomingMessage, path: string, query: URLSearchParams, body: Buffer) => Reply {
  return (req, path, query, body) => {
    if (!isAdmin(req, adminToken)) throw unauthorized()
    const method = req.method ?? 'GET'
    const below = path.slice('/sandbox'.length)
    const cut = below.lastIndexOf('/')
    const fixed = calls[`${method} ${below}`]
    const handler = fixed ?? calls[`${method} ${below.slice(0, cut)}/{id}`]
    if (!handler) throw notFound()
    const takesBody = method === 'POST' || method === 'PUT'
    const fields = takesBody ? readJsonObject(req.headers['content-type'], body) : {}
    return handler({
      service,
      sandbox: sandbox(),
      fields,
      query,
      id: fixed ? '' : toId(below.slice(cut + 1)),
    })
  }
}

import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { faultTable } from './faults/fault-table.ts'
import { type Fields, onlyFields, optionalText, readJsonObject, text, toId } from './http/checks.ts'
import { type Reply, badRequest, created, notFound, ok, unauthorized } from './http/reply.ts'
import type { Sandbox } from './sandbox.ts'
import { type Service, userNamed } from './service.ts'

interface AdminCall {
  service: Service
  sandbox: Sandbox
  fields: Fields
  id: string
}

type AdminHandler = (call: AdminCall) => Reply

function checkTenant(sandbox: Sandbox, name: string): void {
  if (!sandbox.tenants.some((tenant) => tenant.name === name)) throw notFound('tenant')
}

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
  'POST /api-keys': ({ sandbox, service, fields }) => {
    onlyFields(fields, ['username'])
    const username = text(fields, 'username')
    if (!userNamed(service.users, username)) throw badRequest('unknown user')
    return created(sandbox.createApiKey(username))
  },
  'DELETE /subscriptions/{id}': ({ service, id }) => {
    if (!service.tenants.some(({ subscriptions }) => subscriptions.delete(id))) throw notFound('subscription')
    return ok({ message: 'the subscription was removed' })
  },
  'PUT /fault': ({ sandbox, service, fields }) => {
    onlyFields(fields, ['name'])
    const name = text(fields, 'name')
    if (!faultTable.some((fault) => fault.name === name))
      throw badRequest(`there is no fault "${name.slice(0, 60)}"`)
    sandbox.setFault(name)
    return ok({ active: service.faults.active() })
  },
  'DELETE /fault': ({ sandbox }) => {
    sandbox.setFault(null)
    return ok({ active: null })
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
): (req: IncomingMessage, path: string, body: Buffer) => Reply {
  return (req, path, body) => {
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
      id: fixed ? '' : toId(below.slice(cut + 1)),
    })
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import type { Permission, User } from '../accounts.ts'
import type { Service } from '../service.ts'
import type { Tenant } from '../tenant.ts'
import type { Fields } from './checks.ts'
import type { Reply } from './reply.ts'

/** A request by a known caller. */
export interface Call {
  service: Service
  tenant: Tenant
  user: User
  /** Null for an API key. */
  sessionId: string | null
  query: URLSearchParams
  /** The JSON body; empty for calls that take none. */
  fields: Fields
  /** The `{id}` of the path, or empty. */
  id: string
  nowMs: number
}

/** A request that brings its own credential: login and refresh. */
export interface OpenCall {
  service: Service
  headers: IncomingHttpHeaders
  /** The JSON body; empty for calls that take none. Throws HttpError 400. */
  readFields(): Fields
}

interface EndpointBase {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL, with `{id}` for the identifier. */
  path: string
  /** `json` requires a JSON object; `none` allows nothing or an empty object. */
  body: 'json' | 'none'
}

/** Needs an access token or API key, and the permission unless null. */
interface GuardedEndpoint extends EndpointBase {
  permission: Permission | null
  handle(call: Call): Reply
}

interface OpenEndpoint extends EndpointBase {
  permission: 'open'
  /** Whose rate window the request counts in, null for the address's. */
  tenantOf(call: OpenCall): Tenant | null
  handleOpen(call: OpenCall): Reply
}

export type Endpoint = GuardedEndpoint | OpenEndpoint

export function get(
  path: string,
  permission: Permission | null,
  handle: (call: Call) => Reply,
): GuardedEndpoint {
  return { method: 'GET', path, permission, body: 'none', handle }
}

export function post(
  path: string,
  permission: Permission | null,
  body: 'json' | 'none',
  handle: (call: Call) => Reply,
): GuardedEndpoint {
  return { method: 'POST', path, permission, body, handle }
}

export function remove(path: string, permission: Permission, handle: (call: Call) => Reply): GuardedEndpoint {
  return { method: 'DELETE', path, permission, body: 'none', handle }
}

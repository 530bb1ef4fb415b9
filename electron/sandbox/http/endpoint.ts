import type { IncomingHttpHeaders } from 'node:http'
import type { Permission, User } from '../accounts.ts'
import type { FaultName } from '../faults/fault-table.ts'
import type { Service } from '../service.ts'
import type { Tenant } from '../tenant.ts'
import type { Fields } from './checks.ts'
import type { Reply } from './reply.ts'

/** A request by a known caller. */
export interface Call {
  service: Service
  tenant: Tenant
  user: User
  /** Null for an API key, which has no session. */
  sessionId: string | null
  query: URLSearchParams
  /** The JSON body; empty for calls that take none. */
  fields: Fields
  /** The `{id}` of the path, or empty. */
  id: string
  nowMs: number
}

/** A request that does not take the usual credential: login and refresh. */
export interface OpenCall {
  service: Service
  headers: IncomingHttpHeaders
  /** The JSON body; empty for calls that take none. HttpError 400 when it is not what the call takes. */
  readFields(): Fields
  /** The fault that bears on this request, for the one that lives in the refresh itself. */
  fault: FaultName | null
}

interface EndpointBase {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL, with `{id}` for the identifier. */
  path: string
  /** `json`: a JSON object is required. `none`: the body must be absent or an empty object. */
  body: 'json' | 'none'
}

/** A call that needs an access token or an API key, and a permission when one is named. */
export interface GuardedEndpoint extends EndpointBase {
  permission: Permission | null
  handle(call: Call): Reply
}

/** A call that brings its own credential. */
export interface OpenEndpoint extends EndpointBase {
  permission: 'open'
  /** The tenant whose window the request counts in, when it can be told. */
  tenantOf(call: OpenCall): Tenant | null
  handleOpen(call: OpenCall): Reply
}

/** A call of the service. */
export type Endpoint = GuardedEndpoint | OpenEndpoint

/** A reading call. */
export function get(
  path: string,
  permission: Permission | null,
  handle: (call: Call) => Reply,
): GuardedEndpoint {
  return { method: 'GET', path, permission, body: 'none', handle }
}

/** A call that creates or changes something. */
export function post(
  path: string,
  permission: Permission | null,
  body: 'json' | 'none',
  handle: (call: Call) => Reply,
): GuardedEndpoint {
  return { method: 'POST', path, permission, body, handle }
}

/** A call that deletes a record. */
export function remove(path: string, permission: Permission, handle: (call: Call) => Reply): GuardedEndpoint {
  return { method: 'DELETE', path, permission, body: 'none', handle }
}

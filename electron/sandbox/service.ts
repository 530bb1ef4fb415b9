import type { Clock } from '../lib/clock.ts'
import type { User } from './accounts.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Faults } from './faults/create-faults.ts'
import type { Sessions } from './sessions.ts'
import type { Tenant } from './tenant.ts'
import type { Traffic } from './traffic.ts'
import type { WebhookDeliveries } from './webhook-deliveries.ts'
import type { ErrorCodeRecord, ServiceEvent } from './wire.ts'

/** What the endpoints work on. */
export interface Service {
  clock: Clock
  tenants: readonly Tenant[]
  users: ReadonlyMap<string, User>
  sessions: Sessions
  apiKeys: ApiKeys
  faults: Faults
  traffic: Traffic
  deliveries: WebhookDeliveries
  errorCodes: readonly ErrorCodeRecord[]
  allowRemoteWebhooks: boolean
  /** Earlier events for a tenant's first subscription, oldest first. */
  recentEvents(tenant: Tenant): ServiceEvent[]
  stats: ServiceStats
}

/** Counts since the start. */
export interface ServiceStats {
  requests: number
  /** By method and path pattern, such as `GET /campaigns/{id}`; unknown paths count as `unknown`. */
  perEndpoint: Record<string, number>
  perStatus: Record<string, number>
  logins: number
  refreshes: number
  dlrEvents: number
  moEvents: number
}

export function userNamed(users: ReadonlyMap<string, User>, username: unknown): User | undefined {
  return [...users.values()].find((user) => user.username === username)
}

export function tenantOf(service: Service, userId: string): Tenant | null {
  const user = service.users.get(userId)
  return user ? (service.tenants[user.tenant] ?? null) : null
}

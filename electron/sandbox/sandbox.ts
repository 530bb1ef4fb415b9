import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Role } from './accounts.ts'
import type { ActiveFault } from './faults/create-faults.ts'
import type { FaultOptions } from './faults/fault-table.ts'
import type { RequestRecord } from './http/server.ts'
import type { ServiceStats } from './service.ts'
import type { TenantView } from './tenant.ts'
import type { DeliveryCounts, DeliveryRecord } from './webhook-deliveries.ts'
import type { DlrEvent, DlrStatus, MoEvent, ServiceEvent } from './wire.ts'

/** All but `clock` and `log` are JSON-safe. */
export interface SandboxOptions {
  /** Default 0: any free port. */
  port?: number
  /** Default 1. Same seed and start time give the same records, ids and traffic. */
  seed?: number
  /** `dlr` and `mo` events per second of the first tenant; default 20. */
  ratePerSecond?: number
  /** DNC entries of the first tenant; default 250. Others have at most 40. */
  dncCount?: number
  /** Contacts of the first tenant; default 500. Others have at most 60. */
  contactsCount?: number
  /** A fault active from the start. */
  fault?: string
  /** Keeps state between runs; default none. */
  stateFile?: string
  clock?: Clock
  /** Requests per minute and tenant; default 200, null for no limit. */
  rateLimitPerMinute?: number | null
  /** Default 900. */
  accessTokenSeconds?: number
  /** Lets webhooks go to other machines; default false. */
  allowRemoteWebhooks?: boolean
  /** Creates new messages; default true. Open and scheduled ones move either way. */
  traffic?: boolean
  /** Sends a tenant's first subscription the events of the last half hour; default false. */
  history?: boolean
  /** Finished messages kept per tenant; default 20000, so that memory levels off. */
  messagesCap?: number
  log?: Log
}

/** `username` and `password` are the operator's. */
export interface SandboxTenant {
  id: string
  name: string
  username: string
  password: string
  users: { username: string; password: string; role: Role }[]
}

/** Counts since the start. */
interface SandboxStats extends ServiceStats {
  webhooks: DeliveryCounts & { open: number }
}

export interface Sandbox {
  /** Ends with `/v1`. */
  baseUrl: string
  port: number
  /** The first is the demo's. */
  tenants: SandboxTenant[]
  /** For the header `X-Sandbox-Admin`. */
  adminToken: string
  /** Replaces the active fault; null clears it. Throws on an unknown name. */
  setFault(name: string | null, options?: FaultOptions): void
  activeFault(): ActiveFault | null
  stats(): SandboxStats
  /** Newest requests, oldest first. */
  requestLog(): RequestRecord[]
  /** Newest webhook deliveries, oldest first. */
  deliveries(): DeliveryRecord[]
  /** A tenant by name, default the first. Throws on an unknown name. */
  tenant(name?: string): TenantView
  /** Sends a report without changing any message. Returns it. */
  emitDlr(given: {
    tenant?: string
    messageId?: string
    status: DlrStatus
    errorCode?: number | null
    destination?: string
  }): DlrEvent
  /** Sends an inbound message. Returns it. */
  emitMo(given: {
    tenant?: string
    messageId?: string
    source?: string
    destination?: string
    content: string
  }): MoEvent
  /** Advances the traffic by `ms` at once, independent of the clock. */
  tick(ms: number): void
  /** Calls `listener` for every event, subscribed or not. Returns its stop. */
  onEvent(listener: (tenantName: string, event: ServiceEvent) => void): () => void
  createApiKey(username: string): { id: string; key: string }
  revokeApiKey(id: string): boolean
  /** Writes the state file now, if there is one. */
  save(): Promise<void>
  stop(): Promise<void>
}

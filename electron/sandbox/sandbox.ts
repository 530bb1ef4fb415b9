import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Role } from './accounts.ts'
import type { ActiveFault } from './faults/create-faults.ts'
import type { FaultOptions } from './faults/fault-table.ts'
import type { RequestRecord } from './http/server.ts'
import type { ServiceStats } from './service.ts'
import type { Channel } from './tenant.ts'
import type { DeliveryCounts, DeliveryRecord } from './webhook-deliveries.ts'
import type {
  CampaignRecord,
  ContactRecord,
  DlrEvent,
  DlrStatus,
  DncEntryRecord,
  MessageRecord,
  MoEvent,
  OttMessageRecord,
  ScheduledMessageRecord,
  ServiceEvent,
  SubscriptionRecord,
  TemplateRecord,
} from './wire.ts'

/** How a sandbox is set up. All but `clock` and `log` are JSON-safe. */
export interface SandboxOptions {
  /** 0, the default, takes any free port. */
  port?: number
  /** Default 1. The same seed and start time give the same records, ids and traffic. */
  seed?: number
  /** `dlr` and `mo` events per second of the first tenant; default 20. */
  ratePerSecond?: number
  /** DNC entries of the first tenant; default 250. The others have at most 40. */
  dncCount?: number
  /** Contacts of the first tenant; default 500. The others have at most 60. */
  contactsCount?: number
  /** A fault scenario in force from the start. */
  fault?: string
  /** Where state is kept between runs. Without it nothing is. */
  stateFile?: string
  clock?: Clock
  /** Requests per minute and tenant; default 200, null for no limit. */
  rateLimitPerMinute?: number | null
  /** Life of an access token in seconds; default 900. */
  accessTokenSeconds?: number
  /** Lets webhooks go to other machines; default false. */
  allowRemoteWebhooks?: boolean
  /** Whether new messages are made; default true. Those on their way and scheduled ones move either way. */
  traffic?: boolean
  /** Whether a tenant's first subscription gets the events of the last half hour; default false. */
  history?: boolean
  /** Messages kept by tenant; default 100000. */
  messagesCap?: number
  log?: Log
}

/** A seeded tenant; `username` and `password` are its operator's. */
export interface SandboxTenant {
  id: string
  name: string
  username: string
  password: string
  users: { username: string; password: string; role: Role }[]
}

/** What a tenant owns, as copies of the wire records. */
export interface TenantView {
  id: string
  name: string
  contacts(): ContactRecord[]
  campaigns(): CampaignRecord[]
  /** Oldest first. */
  messages(): MessageRecord[]
  /** The messages that a release would let go. */
  heldMessageIds(): string[]
  templates(): TemplateRecord[]
  channels(): Channel[]
  ottMessages(): OttMessageRecord[]
  scheduled(): ScheduledMessageRecord[]
  dnc(): DncEntryRecord[]
  subscriptions(): SubscriptionRecord[]
}

/** Counts since the start, those of webhook deliveries included. */
export interface SandboxStats extends ServiceStats {
  webhooks: DeliveryCounts & { open: number }
}

/** A running sandbox. */
export interface Sandbox {
  /** Ends with `/v1`. */
  baseUrl: string
  port: number
  /** The first is the demo's. */
  tenants: SandboxTenant[]
  /** For the header `X-Sandbox-Admin`. */
  adminToken: string
  /** Puts a fault in the place of the one before; null clears. Throws on an unknown name. */
  setFault(name: string | null, options?: FaultOptions): void
  activeFault(): ActiveFault | null
  stats(): SandboxStats
  /** The newest requests, oldest first. */
  requestLog(): RequestRecord[]
  /** The newest webhook deliveries, oldest first. */
  deliveries(): DeliveryRecord[]
  /** A tenant by name; the first without one. Throws on an unknown name. */
  tenant(name?: string): TenantView
  /** Sends a report as it is given, without changing any message. Returns it. */
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
  /** Moves the traffic on by `ms` at once, whatever the clock says. */
  tick(ms: number): void
  /** Hears every event of every tenant as it comes out, subscribed to or not. Returns its stop. */
  onEvent(listener: (tenantName: string, event: ServiceEvent) => void): () => void
  createApiKey(username: string): { id: string; key: string }
  revokeApiKey(id: string): boolean
  /** Writes the state file now, when there is one. */
  save(): Promise<void>
  stop(): Promise<void>
}

import type { Dice } from './dice.ts'
import type { HourlyFigures } from './hourly-figures.ts'
import type { Campaign, MessageStore, StoredMessage } from './message-store.ts'
import {
  type CampaignRecord,
  type ContactRecord,
  type DncEntryRecord,
  type MessageRecord,
  type OttMessageRecord,
  type ScheduledMessageRecord,
  type SubscriptionRecord,
  type TemplateRecord,
  toAmount,
  toTime,
} from './wire.ts'

/** A route to a carrier, with prices per segment in ten-thousandths of the currency's unit. */
interface Connection {
  id: string
  currency: string
  sellPrice: number
  costPrice: number
}

/** An OTT channel. The spec shows no call that lists them. */
export interface Channel {
  id: string
  name: string
}

/** Everything a tenant owns; unreachable from other tenants. */
export interface Tenant {
  id: string
  name: string
  accountId: string
  /** The user in whose name messages are sent. */
  operatorId: string
  /** For ids of clients' calls, so they never shift the traffic's choices. */
  callDice: Dice
  trafficDice: Dice
  /** This tenant's share of the configured rate. */
  trafficShare: number
  senders: string[]
  connections: Connection[]
  channels: Channel[]
  /** Oldest first. */
  campaigns: Map<string, Campaign>
  messages: MessageStore
  /** The seeded templates, unchanged by clients. */
  trafficTemplates: readonly TemplateRecord[]
  templates: Map<string, TemplateRecord>
  ottMessages: Map<string, OttMessageRecord>
  contacts: Map<string, ContactRecord>
  /** For drawing recipients; may still hold deleted contacts. */
  contactIds: string[]
  scheduled: Map<string, ScheduledMessageRecord>
  dnc: Map<string, DncEntryRecord>
  subscriptions: Map<string, SubscriptionRecord>
  figures: HourlyFigures
  /** In ten-thousandths. The balance is `paidIn` less `charged`. */
  paidIn: number
  charged: number
}

/** Older ones are dropped. */
export const ottMessagesCap = 5_000

/**
 * Segments of a text: 160 characters in one or 153 in each of several; 70 and 67 with anything beyond ASCII.
 * GSM 03.38 has more letters, so a client's estimate may differ.
 */
export function partCountOf(body: string): number {
  // eslint-disable-next-line no-control-regex
  const plain = /^[\x00-\x7f]*$/.test(body)
  const [single, multi] = plain ? [160, 153] : [70, 67]
  return body.length <= single ? 1 : Math.ceil(body.length / multi)
}

export function toCampaignRecord(tenant: Tenant, campaign: Campaign): CampaignRecord {
  return {
    id: campaign.id,
    tenant_id: tenant.id,
    account_id: tenant.accountId,
    name: campaign.name,
    template_id: campaign.templateId,
    sender_id: campaign.senderId,
    status: campaign.status,
    total_recipients: campaign.totalRecipients,
    sent_count: campaign.sentCount,
    failed_count: campaign.failedCount,
    ...(campaign.startedMs === null ? {} : { started_at: toTime(campaign.startedMs) }),
    ...(campaign.completedMs === null ? {} : { completed_at: toTime(campaign.completedMs) }),
    created_at: toTime(campaign.createdMs),
    updated_at: toTime(campaign.updatedMs),
  }
}

/** A message in the spec's fields, without times it has not reached. */
export function toMessageRecord(tenant: Tenant, message: StoredMessage): MessageRecord {
  const connection = tenant.connections[message.connection]!
  const parts = partCountOf(message.body)
  return {
    id: message.id,
    tenant_id: tenant.id,
    account_id: tenant.accountId,
    user_id: message.userId,
    batch_id: message.batchId,
    from: message.from,
    to: message.to,
    body: message.body,
    status: message.status,
    part_count: parts,
    sell_price: toAmount(connection.sellPrice * parts),
    cost_price: toAmount(connection.costPrice * parts),
    connection_id: connection.id,
    provider_message_id: message.providerMessageId,
    priority: 'normal',
    is_encrypted: false,
    ...(message.sentMs === null ? {} : { sent_at: toTime(message.sentMs) }),
    ...(message.deliveredMs === null ? {} : { delivered_at: toTime(message.deliveredMs) }),
    created_at: toTime(message.createdMs),
    updated_at: toTime(message.updatedMs),
  }
}

export function addContact(tenant: Tenant, contact: ContactRecord): void {
  tenant.contacts.set(contact.id, contact)
  tenant.contactIds.push(contact.id)
  if (tenant.contactIds.length > 1_000 + tenant.contacts.size * 2)
    tenant.contactIds = [...tenant.contacts.keys()]
}

/** A read-only view of a tenant; every answer is a copy. */
export function viewOf(tenant: Tenant) {
  const copies = <T>(records: Iterable<T>): T[] => structuredClone([...records])
  return {
    id: tenant.id,
    name: tenant.name,
    contacts: () => copies(tenant.contacts.values()),
    campaigns: () => [...tenant.campaigns.values()].map((campaign) => toCampaignRecord(tenant, campaign)),
    messages: () => tenant.messages.all().map((message) => toMessageRecord(tenant, message)),
    heldMessageIds: () =>
      tenant.messages
        .all()
        .filter((message) => message.held)
        .map((message) => message.id),
    templates: () => copies(tenant.templates.values()),
    channels: () => copies(tenant.channels),
    ottMessages: () => copies(tenant.ottMessages.values()),
    scheduled: () => copies(tenant.scheduled.values()),
    dnc: () => copies(tenant.dnc.values()),
    subscriptions: () => copies(tenant.subscriptions.values()),
  }
}

export type TenantView = ReturnType<typeof viewOf>

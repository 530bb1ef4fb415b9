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

/** A route to a carrier, with its prices for one message part in ten-thousandths of the currency's unit. */
export interface Connection {
  id: string
  currency: string
  sellPrice: number
  costPrice: number
}

/** An OTT channel. The spec shows no call that lists them; their ids are in the README. */
export interface Channel {
  id: string
  name: string
}

/** One tenant: everything it owns. Nothing in here is reachable from another tenant. */
export interface Tenant {
  id: string
  name: string
  accountId: string
  /** Calls of clients draw their ids from here, so that they never shift the traffic's choices. */
  callDice: Dice
  /** The traffic engine's choices. */
  trafficDice: Dice
  /** Traffic of this tenant as a share of the rate set. */
  trafficShare: number
  senders: string[]
  connections: Connection[]
  channels: Channel[]
  /** Oldest first. */
  campaigns: Map<string, Campaign>
  messages: MessageStore
  /** What the traffic's texts are made from: the seeded templates, whatever clients create or delete. */
  trafficTemplates: readonly TemplateRecord[]
  templates: Map<string, TemplateRecord>
  ottMessages: Map<string, OttMessageRecord>
  contacts: Map<string, ContactRecord>
  /** Contact ids for drawing recipients; may hold ids of deleted contacts until the next tidy. */
  contactIds: string[]
  scheduled: Map<string, ScheduledMessageRecord>
  dnc: Map<string, DncEntryRecord>
  subscriptions: Map<string, SubscriptionRecord>
  figures: HourlyFigures
  /** What the tenant paid in, in ten-thousandths. The balance is this less what its messages cost it. */
  paidIn: number
  charged: number
}

/** How many OTT messages a tenant keeps; older ones are dropped. */
export const ottMessagesCap = 5_000

/**
 * Parts of a text: 160 characters in one or 153 in each of several, 70 and 67 with anything beyond ASCII. The real
 * alphabet (GSM 03.38) has more letters; an estimate made with it may differ, as with a real service.
 */
export function partCountOf(body: string): number {
  // eslint-disable-next-line no-control-regex
  const plain = /^[\x00-\x7f]*$/.test(body)
  const [single, multi] = plain ? [160, 153] : [70, 67]
  return body.length <= single ? 1 : Math.ceil(body.length / multi)
}

/** A campaign in the spec's fields. */
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

/** A message in the spec's fields. Times that have not come yet are absent. */
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

/** Adds a contact to the tenant, drawable as a recipient. */
export function addContact(tenant: Tenant, contact: ContactRecord): void {
  tenant.contacts.set(contact.id, contact)
  tenant.contactIds.push(contact.id)
  if (tenant.contactIds.length > 1_000 + tenant.contacts.size * 2)
    tenant.contactIds = [...tenant.contacts.keys()]
}

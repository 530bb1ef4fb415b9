/**
 * The service's records as they travel: the field names and types of the spec's "Resources and their fields"
 * and "Events". Identifiers are UUID-shaped, times are ISO 8601 in UTC.
 */

/** Campaign states, in the spec's order. */
export const campaignStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
/** One of the campaign states. */
export type CampaignStatus = (typeof campaignStatuses)[number]

/** Message states, in the spec's order. */
export const messageStatuses = [
  'pending',
  'queued',
  'submitted',
  'delivered',
  'failed',
  'rejected',
  'expired',
] as const
/** One of the message states. */
export type MessageStatus = (typeof messageStatuses)[number]

/** Delivery report states. */
export const dlrStatuses = ['submitted', 'delivered', 'failed', 'expired'] as const
/** One of the delivery report states. */
export type DlrStatus = (typeof dlrStatuses)[number]

/** A campaign. Its two optional times are absent until it started or ended. */
export interface CampaignRecord {
  id: string
  tenant_id: string
  account_id: string
  name: string
  template_id: string
  sender_id: string
  status: CampaignStatus
  total_recipients: number
  sent_count: number
  failed_count: number
  started_at?: string
  completed_at?: string
  created_at: string
  updated_at: string
}

/** A message in detail. Prices are for all its parts; `sent_at` and `delivered_at` are absent until they have come. */
export interface MessageRecord {
  id: string
  tenant_id: string
  account_id: string
  user_id: string
  batch_id: string
  from: string
  to: string
  body: string
  status: MessageStatus
  part_count: number
  sell_price: number
  cost_price: number
  connection_id: string
  provider_message_id: string
  priority: string
  is_encrypted: boolean
  sent_at?: string
  delivered_at?: string
  created_at: string
  updated_at: string
}

/** The types a template variable may have. */
export type VariableType = 'string' | 'number'

/** A template, with the type of every variable by its name. */
export interface TemplateRecord {
  id: string
  tenant_id: string
  name: string
  body: string
  variables: Record<string, VariableType>
  status: string
  created_at: string
  updated_at: string
}

/** A sent OTT message, with the rendered text as its `body`. */
export interface OttMessageRecord {
  id: string
  tenant_id: string
  channel_id: string
  template_id: string
  to: string
  body: string
  status: string
  provider_message_id: string
  created_at: string
}

/** A contact. */
export interface ContactRecord {
  id: string
  tenant_id: string
  name: string
  phone: string
  email?: string
  tags: Record<string, string>
  created_at: string
  updated_at: string
}

/** A scheduled message: `pending`, then `sent` or `failed`. */
export interface ScheduledMessageRecord {
  id: string
  tenant_id: string
  account_id: string
  from_number: string
  to_number: string
  body: string
  status: string
  scheduled_at: string
  created_at: string
}

/** A number that must not be contacted. */
export interface DncEntryRecord {
  id: string
  tenant_id: string
  phone_number: string
  reason: string
  created_at: string
}

/** A webhook subscription. `events` are dotted names; `secret` is absent when none was given. */
export interface SubscriptionRecord {
  id: string
  tenant_id: string
  url: string
  events: string[]
  secret?: string
  status: string
  created_at: string
}

/** A record of the error-code lookup. Of no tenant: the spec's table has no `tenant_id`. */
export interface ErrorCodeRecord {
  id: string
  code: string
  description: string
  category: string
  resolution: string
  created_at: string
}

/** The body of a `dlr` webhook. */
export interface DlrEvent {
  event: 'dlr'
  message_id: string
  status: DlrStatus
  /** 1 to 4 when the report is of a failure, else null. */
  error_code: number | null
  destination: string
  delivered_at: string
}

/** The body of an `mo` webhook. */
export interface MoEvent {
  event: 'mo'
  message_id: string
  source: string
  destination: string
  content: string
  received_at: string
}

/** What a webhook carries. */
export type ServiceEvent = DlrEvent | MoEvent

/** Milliseconds since the epoch as the service writes a time. */
export function toTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** Prices are kept as whole ten-thousandths so that sums never drift; this is how they travel. */
export function toAmount(tenThousandths: number): number {
  return tenThousandths / 10_000
}

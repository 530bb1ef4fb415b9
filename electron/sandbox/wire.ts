/** The service's records, with the names and types of the spec's "Resources and their fields" and "Events". */

/** In the spec's order. */
export const campaignStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** In the spec's order. */
export const messageStatuses = [
  'pending',
  'queued',
  'submitted',
  'delivered',
  'failed',
  'rejected',
  'expired',
] as const
export type MessageStatus = (typeof messageStatuses)[number]

export const dlrStatuses = ['submitted', 'delivered', 'failed', 'expired'] as const
export type DlrStatus = (typeof dlrStatuses)[number]

/** `started_at` and `completed_at` are absent until then. */
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

/** Prices are for all segments; `sent_at` and `delivered_at` are absent until then. */
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

export type VariableType = 'string' | 'number'

/** `variables`: type by name. */
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

/** `body` is the rendered text. */
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

/** `pending`, then `sent` or `failed`. */
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

export interface DncEntryRecord {
  id: string
  tenant_id: string
  phone_number: string
  reason: string
  created_at: string
}

/** `events` are dotted names; `secret` is absent when none was given. */
export interface SubscriptionRecord {
  id: string
  tenant_id: string
  url: string
  events: string[]
  secret?: string
  status: string
  created_at: string
}

/** Without `tenant_id`, as in the spec's table. */
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
  /** 1 to 4 for failures, else null. */
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

export type ServiceEvent = DlrEvent | MoEvent

/** Epoch milliseconds as the service writes a time. */
export function toTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** Prices are kept as whole ten-thousandths, so sums never drift. */
export function toAmount(tenThousandths: number): number {
  return tenThousandths / 10_000
}

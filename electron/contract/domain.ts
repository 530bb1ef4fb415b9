import * as z from 'zod'

/**
 * The service's records as the console speaks of them. Every value survives JSON unchanged.
 * What the service left out, or sent in a form that cannot be read, is `null`: never a made-up value.
 * `status` and other word lists stay plain strings, because the spec does not show all their values.
 */

/** ISO 8601 date-time in UTC, or null when the service gave none. */
const instant = z.string().nullable()
const text = z.string().nullable()
const number = z.number().nullable()

const tenantId = z.string().brand<'TenantId'>()
const accountId = z.string().brand<'AccountId'>()
const campaignId = z.string().brand<'CampaignId'>()
const messageId = z.string().brand<'MessageId'>()
const templateId = z.string().brand<'TemplateId'>()
const channelId = z.string().brand<'ChannelId'>()
const ottMessageId = z.string().brand<'OttMessageId'>()
const contactId = z.string().brand<'ContactId'>()
const scheduledMessageId = z.string().brand<'ScheduledMessageId'>()
const dncEntryId = z.string().brand<'DncEntryId'>()
const webhookId = z.string().brand<'WebhookId'>()
const errorCodeId = z.string().brand<'ErrorCodeId'>()

export type TenantId = z.infer<typeof tenantId>
export type AccountId = z.infer<typeof accountId>
export type CampaignId = z.infer<typeof campaignId>
export type MessageId = z.infer<typeof messageId>
export type TemplateId = z.infer<typeof templateId>
export type ChannelId = z.infer<typeof channelId>
export type OttMessageId = z.infer<typeof ottMessageId>
export type ContactId = z.infer<typeof contactId>
export type ScheduledMessageId = z.infer<typeof scheduledMessageId>
export type DncEntryId = z.infer<typeof dncEntryId>
export type WebhookId = z.infer<typeof webhookId>
export type ErrorCodeId = z.infer<typeof errorCodeId>

/** One page of a paginated list (spec, "Pagination envelope"). Pages count from 1. */
export interface Page<T> {
  items: T[]
  /** Records in the whole list at the time of the answer. */
  total: number
  page: number
  perPage: number
}

export const campaignSchema = z.object({
  id: campaignId,
  tenantId: tenantId.nullable(),
  accountId: accountId.nullable(),
  name: text,
  templateId: templateId.nullable(),
  /** A sender number in the spec's sample. */
  senderId: text,
  /** draft, running, paused, completed, cancelled, or a word the spec does not list. */
  status: text,
  totalRecipients: number,
  sentCount: number,
  failedCount: number,
  startedAt: instant,
  completedAt: instant,
  createdAt: instant,
  updatedAt: instant,
})
export type Campaign = z.infer<typeof campaignSchema>

/** A message. In the list, whose item shape the spec does not show, any field but the id may be null. */
export const messageSchema = z.object({
  id: messageId,
  tenantId: tenantId.nullable(),
  accountId: accountId.nullable(),
  userId: text,
  batchId: text,
  from: text,
  to: text,
  body: text,
  /** pending, queued, submitted, delivered, failed, rejected, expired, or a word the spec does not list. */
  status: text,
  partCount: number,
  /** Plain numbers: the spec gives no currency. */
  sellPrice: number,
  costPrice: number,
  connectionId: text,
  providerMessageId: text,
  priority: text,
  isEncrypted: z.boolean().nullable(),
  sentAt: instant,
  deliveredAt: instant,
  createdAt: instant,
  updatedAt: instant,
})
export type Message = z.infer<typeof messageSchema>

/** True for an object whose values are all texts; a key named `__proto__` is a key like any other. */
const isTextMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((item) => typeof item === 'string')

/** An object of texts, whatever its keys are. */
export const textMap = z.custom<Record<string, string>>(isTextMap, 'expected an object of texts')

export const templateSchema = z.object({
  id: templateId,
  tenantId: tenantId.nullable(),
  name: text,
  body: text,
  /** Variable name → type name, `string` or `number`. */
  variables: textMap,
  status: text,
  createdAt: instant,
  updatedAt: instant,
})
export type Template = z.infer<typeof templateSchema>

export const ottMessageSchema = z.object({
  id: ottMessageId,
  tenantId: tenantId.nullable(),
  channelId: channelId.nullable(),
  templateId: templateId.nullable(),
  to: text,
  /** The text as rendered by the service. */
  body: text,
  status: text,
  providerMessageId: text,
  createdAt: instant,
})
export type OttMessage = z.infer<typeof ottMessageSchema>

export const contactSchema = z.object({
  id: contactId,
  tenantId: tenantId.nullable(),
  name: text,
  phone: text,
  email: text,
  tags: textMap,
  createdAt: instant,
  updatedAt: instant,
})
export type Contact = z.infer<typeof contactSchema>

export const scheduledMessageSchema = z.object({
  id: scheduledMessageId,
  tenantId: tenantId.nullable(),
  accountId: accountId.nullable(),
  fromNumber: text,
  toNumber: text,
  body: text,
  status: text,
  scheduledAt: instant,
  createdAt: instant,
})
export type ScheduledMessage = z.infer<typeof scheduledMessageSchema>

export const dncEntrySchema = z.object({
  /** Null where the service gives none: the number is what counts. */
  id: dncEntryId.nullable(),
  tenantId: tenantId.nullable(),
  /** As the service wrote it; not normalised. */
  phoneNumber: z.string(),
  reason: text,
  createdAt: instant,
})
export type DncEntry = z.infer<typeof dncEntrySchema>

/**
 * The answer about one number. `not-proven` stands for "the service says it is not blocked, but it is not proven that it
 * understood which number was meant": it must not be shown as clear.
 */
export const dncCheckSchema = z.object({
  verdict: z.enum(['blocked', 'clear', 'not-proven']),
  entry: dncEntrySchema.nullable(),
})
export type DncCheck = z.infer<typeof dncCheckSchema>

/** A webhook subscription. Its signing secret is no part of it. */
export const webhookSubscriptionSchema = z.object({
  id: webhookId,
  tenantId: tenantId.nullable(),
  url: text,
  /** Event names as the service writes them. */
  events: z.array(z.string()),
  hasSecret: z.boolean(),
  status: text,
  createdAt: instant,
})
export type WebhookSubscription = z.infer<typeof webhookSubscriptionSchema>

export const errorCodeRecordSchema = z.object({
  /** Null for a record that came without one. */
  id: errorCodeId.nullable(),
  code: z.string(),
  description: text,
  category: text,
  resolution: text,
  createdAt: instant,
})
export type ErrorCodeRecord = z.infer<typeof errorCodeRecordSchema>

export const billingSummarySchema = z.object({
  totalRevenue: number,
  totalCost: number,
  totalMargin: number,
  /** Never to be added up: each row is in its own currency. */
  byCurrency: z.array(z.object({ currency: text, revenue: number, cost: number })),
})
export type BillingSummary = z.infer<typeof billingSummarySchema>

export const analyticsOverviewSchema = z.object({
  totalMessages: number,
  delivered: number,
  failed: number,
  revenue: number,
  cost: number,
  margin: number,
})
export type AnalyticsOverview = z.infer<typeof analyticsOverviewSchema>

export const dashboardSchema = z.object({
  messagesToday: number,
  messagesWeek: number,
  /** A plain number: the spec gives no currency. */
  balance: number,
  activeCampaigns: number,
  /** JSON as it came: the spec does not show the shape of these items. */
  recentMessages: z.array(z.unknown()),
})
export type Dashboard = z.infer<typeof dashboardSchema>

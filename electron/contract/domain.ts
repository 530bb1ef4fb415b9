import * as z from 'zod'

/** Records of the service. What is missing or unreadable is null. Statuses are texts: the spec doesn't list all. */

/** ISO 8601 date-time in UTC; null if the service gave none. */
const instant = z.string().nullable()
const text = z.string().nullable()
const number = z.number().nullable()
const count = z.int().nullable()

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
export type CampaignId = z.infer<typeof campaignId>
export type MessageId = z.infer<typeof messageId>
export type ScheduledMessageId = z.infer<typeof scheduledMessageId>
export type DncEntryId = z.infer<typeof dncEntryId>
export type WebhookId = z.infer<typeof webhookId>

/** One page of a list (spec, "Pagination envelope"). Pages start at 1. */
export interface Page<T> {
  items: T[]
  /** Records of this page that can't be read, if any; not among the items. */
  unreadable?: number
  /** Records in the whole list. */
  total: number
  /** There may be more than `total`: the service gives none. */
  atLeast?: boolean
  page: number
  /** Records per page, as the service pages: it may return fewer than asked. */
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
  /** draft, running, paused, completed, cancelled, or one the spec doesn't list. */
  status: text,
  totalRecipients: count,
  sentCount: count,
  failedCount: count,
  startedAt: instant,
  completedAt: instant,
  createdAt: instant,
  updatedAt: instant,
})
export type Campaign = z.infer<typeof campaignSchema>

/** In lists, whose item shape the spec doesn't show, every field but the id may be null. */
export const messageSchema = z.object({
  id: messageId,
  tenantId: tenantId.nullable(),
  accountId: accountId.nullable(),
  userId: text,
  batchId: text,
  from: text,
  to: text,
  body: text,
  /** pending, queued, submitted, delivered, failed, rejected, expired, or one the spec doesn't list. */
  status: text,
  partCount: count,
  /** Without currency: the spec gives none. */
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

/** True for an object with only string values. Accepts the key `__proto__`. */
const isTextMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((item) => typeof item === 'string')

/** Object of strings with any keys. */
export const textMap = z.custom<Record<string, string>>(isTextMap, 'input.texts')

export const templateSchema = z.object({
  id: templateId,
  tenantId: tenantId.nullable(),
  name: text,
  body: text,
  /** Placeholder → `string` or `number`. */
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
  /** As the service rendered it. */
  body: text,
  status: text,
  providerMessageId: text,
  createdAt: instant,
})

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
  /** Null if the service gave none; the number identifies the entry. */
  id: dncEntryId.nullable(),
  tenantId: tenantId.nullable(),
  /** As the service sent it; not normalised. */
  phoneNumber: z.string(),
  reason: text,
  createdAt: instant,
})
export type DncEntry = z.infer<typeof dncEntrySchema>

/** `not-proven`: the service says "not blocked", but may not have understood the number. Don't show it as clear. */
export const dncCheckSchema = z.object({
  verdict: z.enum(['blocked', 'clear', 'not-proven']),
  entry: dncEntrySchema.nullable(),
})
export type DncCheck = z.infer<typeof dncCheckSchema>

/** Without its signing secret. */
export const webhookSubscriptionSchema = z.object({
  id: webhookId,
  tenantId: tenantId.nullable(),
  url: text,
  /** As the service names them. */
  events: z.array(z.string()),
  hasSecret: z.boolean(),
  status: text,
  createdAt: instant,
})
export type WebhookSubscription = z.infer<typeof webhookSubscriptionSchema>

export const errorCodeRecordSchema = z.object({
  /** Null if the service gave none. */
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
  /** Don't add up: currencies differ. */
  byCurrency: z.array(z.object({ currency: text, revenue: number, cost: number })),
})
export type BillingSummary = z.infer<typeof billingSummarySchema>

export const analyticsOverviewSchema = z.object({
  totalMessages: count,
  delivered: count,
  failed: count,
  revenue: number,
  cost: number,
  margin: number,
})
export type AnalyticsOverview = z.infer<typeof analyticsOverviewSchema>

export const dashboardSchema = z.object({
  messagesToday: count,
  messagesWeek: count,
  /** Without currency: the spec gives none. */
  balance: number,
})
export type Dashboard = z.infer<typeof dashboardSchema>

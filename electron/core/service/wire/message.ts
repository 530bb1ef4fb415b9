import * as z from 'zod'
import type {
  AccountId,
  ChannelId,
  Message,
  MessageId,
  OttMessage,
  OttMessageId,
  ScheduledMessage,
  ScheduledMessageId,
  TemplateId,
  TenantId,
} from '../../../contract/domain.ts'
import { flag, id, instant, number, reference, statusWord, text } from './fields.ts'

/** Spec, "Message (detail)"; also for GET /messages, whose items the spec doesn't show. */
export const messageWire = z
  .object({
    id: id<MessageId>(),
    tenant_id: reference<TenantId>(),
    account_id: reference<AccountId>(),
    user_id: text,
    batch_id: text,
    from: text,
    to: text,
    body: text,
    status: statusWord,
    part_count: number,
    sell_price: number,
    cost_price: number,
    connection_id: text,
    provider_message_id: text,
    priority: text,
    is_encrypted: flag,
    sent_at: instant,
    delivered_at: instant,
    created_at: instant,
    updated_at: instant,
  })
  .transform((wire): Message => ({
    id: wire.id,
    tenantId: wire.tenant_id,
    accountId: wire.account_id,
    userId: wire.user_id,
    batchId: wire.batch_id,
    from: wire.from,
    to: wire.to,
    body: wire.body,
    status: wire.status,
    partCount: wire.part_count,
    sellPrice: wire.sell_price,
    costPrice: wire.cost_price,
    connectionId: wire.connection_id,
    providerMessageId: wire.provider_message_id,
    priority: wire.priority,
    isEncrypted: wire.is_encrypted,
    sentAt: wire.sent_at,
    deliveredAt: wire.delivered_at,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))

/** Spec, "OTT message". */
export const ottMessageWire = z
  .object({
    id: id<OttMessageId>(),
    tenant_id: reference<TenantId>(),
    channel_id: reference<ChannelId>(),
    template_id: reference<TemplateId>(),
    to: text,
    body: text,
    status: statusWord,
    provider_message_id: text,
    created_at: instant,
  })
  .transform((wire): OttMessage => ({
    id: wire.id,
    tenantId: wire.tenant_id,
    channelId: wire.channel_id,
    templateId: wire.template_id,
    to: wire.to,
    body: wire.body,
    status: wire.status,
    providerMessageId: wire.provider_message_id,
    createdAt: wire.created_at,
  }))

/** Spec, "Scheduled message". */
export const scheduledMessageWire = z
  .object({
    id: id<ScheduledMessageId>(),
    tenant_id: reference<TenantId>(),
    account_id: reference<AccountId>(),
    from_number: text,
    to_number: text,
    body: text,
    status: statusWord,
    scheduled_at: instant,
    created_at: instant,
  })
  .transform((wire): ScheduledMessage => ({
    id: wire.id,
    tenantId: wire.tenant_id,
    accountId: wire.account_id,
    fromNumber: wire.from_number,
    toNumber: wire.to_number,
    body: wire.body,
    status: wire.status,
    scheduledAt: wire.scheduled_at,
    createdAt: wire.created_at,
  }))

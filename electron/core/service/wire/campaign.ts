import * as z from 'zod'
import type { AccountId, Campaign, CampaignId, TemplateId, TenantId } from '../../../contract/domain.ts'
import { id, instant, number, reference, statusWord, text } from './fields.ts'

/** Spec, "Campaign". */
export const campaignWire = z
  .object({
    id: id<CampaignId>(),
    tenant_id: reference<TenantId>(),
    account_id: reference<AccountId>(),
    name: text,
    template_id: reference<TemplateId>(),
    sender_id: text,
    status: statusWord,
    total_recipients: number,
    sent_count: number,
    failed_count: number,
    started_at: instant,
    completed_at: instant,
    created_at: instant,
    updated_at: instant,
  })
  .transform((wire): Campaign => ({
    id: wire.id,
    tenantId: wire.tenant_id,
    accountId: wire.account_id,
    name: wire.name,
    templateId: wire.template_id,
    senderId: wire.sender_id,
    status: wire.status,
    totalRecipients: wire.total_recipients,
    sentCount: wire.sent_count,
    failedCount: wire.failed_count,
    startedAt: wire.started_at,
    completedAt: wire.completed_at,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))

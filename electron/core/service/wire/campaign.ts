import type * as z from 'zod'
import type { AccountId, Campaign, CampaignId, TemplateId, TenantId } from '../../../contract/domain.ts'
import { id, instant, number, reference, statusWord, text, recordOf } from './fields.ts'

/** Spec, "Campaign". */
export const campaignWire: z.ZodType<Campaign> = recordOf({
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

import type * as z from 'zod'
import type { AccountId, Campaign, CampaignId, TemplateId, TenantId } from '../../../contract/domain.ts'
import { count, id, instant, reference, statusWord, text, recordOf } from './fields.ts'

/** Spec, "Campaign". */
export const campaignWire: z.ZodType<Campaign> = recordOf({
  id: id<CampaignId>(),
  tenant_id: reference<TenantId>(),
  account_id: reference<AccountId>(),
  name: text,
  template_id: reference<TemplateId>(),
  sender_id: text,
  status: statusWord,
  total_recipients: count,
  sent_count: count,
  failed_count: count,
  started_at: instant,
  completed_at: instant,
  created_at: instant,
  updated_at: instant,
})

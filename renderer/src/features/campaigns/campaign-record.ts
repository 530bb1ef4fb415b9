import type { Campaign } from '#contract/domain.ts'
import type { Freshness } from '#contract/define.ts'
import type { ApiField } from '../../shared/ui/api-field.ts'

/** A record with its age. */
export interface AgedCampaign {
  campaign: Campaign
  freshness: Freshness
}

/** The record that was read later; the first if neither was. */
export function newerOf(a: AgedCampaign | null, b: AgedCampaign | null): AgedCampaign | null {
  if (a === null || b === null) return a ?? b
  return Date.parse(b.freshness.asOf) > Date.parse(a.freshness.asOf) ? b : a
}

/** A record's fields under their API names. */
export const campaignFields = (of: Campaign): ApiField[] => [
  ['status', of.status],
  ['total_recipients', of.totalRecipients],
  ['sent_count', of.sentCount],
  ['failed_count', of.failedCount],
  ['sender_id', of.senderId],
  ['created_at', of.createdAt, 'time'],
  ['started_at', of.startedAt, 'time'],
  ['completed_at', of.completedAt, 'time'],
  ['updated_at', of.updatedAt, 'time'],
  ['template_id', of.templateId, 'id'],
  ['account_id', of.accountId, 'id'],
  ['tenant_id', of.tenantId, 'id'],
]

import type { Campaign } from '#contract/domain.ts'
import type { Freshness } from '#contract/define.ts'
import { formatTime, formatUtc } from '../../shared/format/time.ts'

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

/** A record's fields under their API names, so that they can be quoted to the service. */
export function campaignFields(of: Campaign) {
  const all: [name: string, value: string | number | null, isTime?: true][] = [
    ['status', of.status],
    ['total_recipients', of.totalRecipients],
    ['sent_count', of.sentCount],
    ['failed_count', of.failedCount],
    ['sender_id', of.senderId],
    ['created_at', of.createdAt, true],
    ['started_at', of.startedAt, true],
    ['completed_at', of.completedAt, true],
    ['updated_at', of.updatedAt, true],
    ['template_id', of.templateId],
    ['account_id', of.accountId],
    ['tenant_id', of.tenantId],
  ]
  return {
    given: all
      .filter(([, value]) => value !== null)
      .map(([name, value, isTime]) => {
        const text = String(value)
        return isTime
          ? { name, text: formatTime(text), utc: formatUtc(text) }
          : { name, text, utc: undefined }
      }),
    missing: all.filter(([, value]) => value === null).map(([name]) => name),
  }
}

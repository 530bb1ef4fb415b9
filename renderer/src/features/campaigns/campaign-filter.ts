import type { OpenCount } from '#contract/define.ts'
import { type CampaignStatus, campaignStatuses } from '#contract/words.ts'
import * as z from 'zod'
import type { Campaign } from '#contract/domain.ts'
import { formatCount, formatOpenCount } from '../../shared/format/numbers.ts'
import { t } from './campaigns.texts.ts'

/** Page sizes on offer; the service takes 1 to 100. */
export const pageSizes = [20, 50, 100] as const

const optional = z.string().max(200).nullable().catch(null)

/** The page’s address: page and filter of the list, and what is open beside it. */
export const campaignFilterSchema = z.object({
  status: optional,
  page: z.coerce.number().int().min(1).max(9_999_999).catch(1),
  per_page: z.coerce.number().pipe(z.literal(pageSizes)).catch(20),
  id: optional,
  /** Present while the alert rules are open. */
  alertRules: optional,
})

/** A status the service can filter by; undefined for all. */
export const knownStatus = (status: string | null): CampaignStatus | undefined =>
  campaignStatuses.find((word) => word === status)

/** `21–40 of 57`, or `0 of 0` without rows. */
export function pageText(page: number, perPage: number, shown: number, all: OpenCount): string {
  const total = formatOpenCount(all)
  if (shown === 0) return t('paging.none', { total })
  const first = (page - 1) * perPage + 1
  return t('paging.range', { first: formatCount(first), last: formatCount(first + shown - 1), total })
}

export function pageCount(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage))
}

/** Those to act on first: running, then paused, then the others as the service lists them. */
export function actFirst<C extends Pick<Campaign, 'status'>>(campaigns: readonly C[]): C[] {
  const rank = ({ status }: C) => (status === 'running' ? 0 : status === 'paused' ? 1 : 2)
  return campaigns.toSorted((one, other) => rank(one) - rank(other))
}

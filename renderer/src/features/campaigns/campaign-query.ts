import { type CampaignStatus, campaignStatuses } from '#contract/words.ts'
import type { CampaignQuery } from '../../shared/campaigns/campaign-answers.ts'

/** Page sizes on offer; the service takes 1 to 100. */
export const pageSizes = [20, 50, 100] as const

/** The list's page as the page's address carries it; what is usual is left out. */
export function queryToAddress({ page, perPage, status }: CampaignQuery): Record<string, string> {
  return {
    ...(status === undefined ? {} : { status }),
    ...(page === 1 ? {} : { page: String(page) }),
    ...(perPage === 20 ? {} : { per_page: String(perPage) }),
  }
}

/** The page that an address asks for. Anyone may have typed it: what cannot be one is the usual. */
export function addressToQuery(address: Record<string, unknown>): CampaignQuery {
  const status = campaignStatuses.find((word) => word === address['status']) as CampaignStatus | undefined
  const perPage = Number(address['per_page'])
  return {
    page: wholeFrom(address['page'], 1),
    perPage: pageSizes.find((size) => size === perPage) ?? 20,
    ...(status === undefined ? {} : { status }),
  }
}

/** A status of the address that is none, which the list then does not filter by; null when there is none such. */
export function unreadStatus(address: Record<string, unknown>): string | null {
  const asked = address['status']
  return typeof asked === 'string' && asked !== '' && !campaignStatuses.some((word) => word === asked)
    ? asked
    : null
}

/** `21–40 of 57` for a page, `0 of 0` for an empty list. */
export function pageText(page: number, perPage: number, shown: number, total: number): string {
  if (shown === 0) return `0 of ${total.toLocaleString('en')}`
  const first = (page - 1) * perPage + 1
  return `${first.toLocaleString('en')}–${(first + shown - 1).toLocaleString('en')} of ${total.toLocaleString('en')}`
}

/** How many pages `total` takes, at least one. */
export function pageCount(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage))
}

function wholeFrom(value: unknown, least: number): number {
  const number = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : least
  return Math.max(least, number)
}

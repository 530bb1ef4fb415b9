import type { Freshness } from '#contract/define.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import type { CampaignStatus } from '#contract/words.ts'

/** Which page of the service's list is wanted. */
export interface CampaignQuery {
  page: number
  perPage: number
  status?: CampaignStatus
}

/** One page as it is shown. */
export interface CampaignPage {
  items: readonly Campaign[]
  total: number
  query: CampaignQuery
  freshness: Freshness
}

/** The newest that this window knows of campaigns, for all who show them: an older answer never stands beside a newer one. */
export interface CampaignAnswers {
  /** The newest answer to `query`, its campaigns as they are known now; null when none was given. */
  last(query: CampaignQuery): CampaignPage | null
  /**
   * Takes an answer in and gives what to show for its query: this answer, or a newer one where an older was kept somewhere,
   * with the reason why the service was not asked.
   */
  take(answer: CampaignPage): CampaignPage
  /** Takes in one campaign as it was at `atMs`, milliseconds since the Unix epoch. */
  note(campaign: Campaign, atMs: number): void
}

/** Pages and campaigns kept; those heard of longest ago go first. */
const keptPages = 50
const keptCampaigns = 2_000

/** Begins knowing nothing. */
export function createCampaignAnswers(): CampaignAnswers {
  const pages = new Map<string, CampaignPage>()
  const records = new Map<CampaignId, { campaign: Campaign; atMs: number }>()

  function note(campaign: Campaign, atMs: number): void {
    const known = records.get(campaign.id)
    if (known && known.atMs > atMs) return
    records.delete(campaign.id)
    records.set(campaign.id, { campaign, atMs })
    dropOldest(records, keptCampaigns)
  }

  function asKnown(page: CampaignPage): CampaignPage {
    return { ...page, items: page.items.map((campaign) => records.get(campaign.id)?.campaign ?? campaign) }
  }

  function last(query: CampaignQuery): CampaignPage | null {
    const page = pages.get(keyOf(query))
    return page ? asKnown(page) : null
  }

  return {
    last,
    note,
    take(answer) {
      const atMs = timeOf(answer)
      for (const campaign of answer.items) note(campaign, atMs)
      const key = keyOf(answer.query)
      const known = pages.get(key)
      if (known && timeOf(known) > atMs) {
        const { source, error } = answer.freshness
        return asKnown({ ...known, freshness: { asOf: known.freshness.asOf, source, error } })
      }
      pages.delete(key)
      pages.set(key, answer)
      dropOldest(pages, keptPages)
      return asKnown(answer)
    },
  }
}

function keyOf({ page, perPage, status }: CampaignQuery): string {
  return `${page} ${perPage} ${status ?? ''}`
}

/** When the service gave an answer; one without a readable time is older than any other. */
function timeOf({ freshness }: CampaignPage): number {
  const ms = Date.parse(freshness.asOf)
  return Number.isNaN(ms) ? 0 : ms
}

function dropOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}

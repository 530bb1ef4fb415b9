import type { CampaignChanges } from '../../../contract/campaigns.ts'
import type { Campaign } from '../../../contract/domain.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import { isOvertaken } from './reading-order.ts'

/** Campaigns whose status is remembered; those read longest ago go first. */
const rememberedMax = 5_000
/** Milliseconds between two answers of one stream, and until one comes though nothing changed. */
const gaps = { minGapMs: 50, maxGapMs: 60_000 }

/** What of the campaigns is news to a page at once: another status than the one read before, and what guards do. */
export interface CampaignNews {
  /** Records that were read, asked for at `askedMs`, at `atMs`. One that a newer answer has overtaken tells nothing. */
  read(campaigns: readonly Campaign[], askedMs: number, atMs: number): void
  /** Something that is kept of campaigns changed: a trip, a guard, what came of a pause. */
  touch(): void
  /** Begins with nothing, then each time with the campaigns that changed since. */
  watch(signal: AbortSignal): AsyncGenerator<CampaignChanges>
}

export function createCampaignNews(clock: Clock): CampaignNews {
  const known = new Map<string, { campaign: Campaign; askedMs: number; atMs: number; version: number }>()
  const pulse = createPulse()
  let version = 0

  return {
    read(campaigns, askedMs, atMs) {
      const before = version
      for (const campaign of campaigns) {
        const last = known.get(campaign.id)
        const reading = { status: campaign.status, askedMs, atMs }
        if (last && isOvertaken(reading, { ...last, status: last.campaign.status })) continue
        const isNews = last !== undefined && last.campaign.status !== campaign.status
        if (isNews) version++
        known.delete(campaign.id)
        known.set(campaign.id, { campaign, askedMs, atMs, version: isNews ? version : (last?.version ?? 0) })
      }
      for (const id of known.keys()) {
        if (known.size <= rememberedMax) break
        known.delete(id)
      }
      if (version !== before) pulse.fire()
    },
    touch: () => pulse.fire(),
    async *watch(signal) {
      let seen = version
      for await (const _beat of beats(pulse, clock, gaps, signal)) {
        const changed = [...known.values()].filter((one) => one.version > seen)
        seen = version
        yield { items: changed.map(({ campaign, atMs }) => ({ campaign, readAt: isoTime(atMs) })) }
      }
    },
  }
}

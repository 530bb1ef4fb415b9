import type { Campaign } from '../../../contract/domain.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import { type Motion, motionOf, motionSpanMs, watchGapMs } from './campaign-motion.ts'
import type { PauseReceipts } from './pause-receipts.ts'
import type { KnownCampaign, SnapshotsRepository } from './snapshots.repository.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Records in memory; the one read longest ago goes first and is then read from the database. */
const rememberedMax = 5_000
/** Milliseconds between two answers of one stream; one comes after the longer time even without a change. */
const gaps = { minGapMs: 50, maxGapMs: 60_000 }

/** A reading requested at `askedMs` and answered at `atMs`, milliseconds since 1970. */
interface Reading {
  campaign: Campaign
  askedMs: number
  atMs: number
}

export type CampaignRecords = ReturnType<typeof createCampaignRecords>

/** One record per campaign. Every answer of the service updates it, and every page is answered from it. */
export function createCampaignRecords(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    snapshots: SnapshotsRepository
    receipts: Pick<PauseReceipts, 'read'>
  },
) {
  const { snapshots, receipts, clock, log } = parts
  const remembered = new Map<string, Reading & { version: number }>()
  const pulse = createPulse()
  let version = 0

  /** Stores a record. False if a newer one is known. */
  function remember(campaign: Campaign, askedMs: number, atMs: number): boolean {
    const next = { campaign, askedMs, atMs }
    const last = remembered.get(campaign.id)
    if (last && isOvertaken(next, last)) return false
    const isNews = last !== undefined && last.campaign.status !== campaign.status
    remembered.delete(campaign.id)
    remembered.set(campaign.id, { ...next, version: isNews ? ++version : (last?.version ?? 0) })
    if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value!)
    return true
  }

  function get(id: string): KnownCampaign | null {
    const known = remembered.get(id)
    return known ? { campaign: known.campaign, readMs: known.atMs } : snapshots.record(id)
  }

  return {
    get,
    /** Takes records requested at `askedMs`; ignores those older than the known ones. Updates readings and open receipts. */
    note(campaigns: readonly Campaign[], askedMs: number) {
      const atMs = clock.now()
      const before = version
      const taken = campaigns.filter((campaign) => remember(campaign, askedMs, atMs))
      try {
        snapshots.note(taken, atMs)
        for (const campaign of taken) receipts.read(campaign, askedMs, atMs)
      } catch (error) {
        log.warn('Could not store campaign readings', { error })
      }
      if (version !== before) pulse.fire()
    },
    /** The same campaigns, each replaced by its record if that was read at `sinceMs` or later. */
    latest: (campaigns: readonly Campaign[], sinceMs: number) =>
      campaigns.map((campaign) => {
        const known = get(campaign.id)
        return known && known.readMs >= sinceMs ? known.campaign : campaign
      }),
    /** `leastMs`: the stall is measured at least this far back. */
    motion(id: string, leastMs = 0): Motion {
      const nowMs = clock.now()
      return motionOf(snapshots.since(id, nowMs - Math.max(motionSpanMs, leastMs + watchGapMs)), nowMs)
    },
    /** Tells pages that an alert rule or pause of this campaign changed; null: of all running ones. */
    touch(id: string | null) {
      for (const one of remembered.values())
        if (id === null ? one.campaign.status === 'running' : one.campaign.id === id) one.version = ++version
      pulse.fire()
    },
    /** Yields an empty list first, then the campaigns with a new status and those touched. */
    async *watch(signal: AbortSignal): AsyncGenerator<KnownCampaign[]> {
      let seen = version
      for await (const _beat of beats(pulse, clock, gaps, signal)) {
        const changed = [...remembered.values()].filter((one) => one.version > seen)
        seen = version
        yield changed.map(({ campaign, atMs }) => ({ campaign, readMs: atMs }))
      }
    },
  }
}

/**
 * Whether `known` is newer than a reading that arrived after it. A reading requested earlier is older. A campaign already seen paused or
 * ended isn't restarted by a reading that was in progress then, nor by an older copy. A known time in the future is from before the clock
 * was set back.
 */
function isOvertaken(next: Reading, known: Reading): boolean {
  if (known.atMs > next.atMs) return false
  if (next.askedMs < known.askedMs) return true
  if (next.campaign.status !== 'running' || known.campaign.status === 'running') return false
  const mayLag = next.askedMs < known.atMs + lagMs && isOlderCopy(next.campaign, known.campaign)
  return next.askedMs < known.atMs || mayLag
}

/** A copy of the service's database may lag so long. */
const lagMs = 60_000

/** Whether the service says that a record is from before another one. */
export const isOlderCopy = (record: Campaign, other: Campaign): boolean =>
  record.updatedAt !== null && other.updatedAt !== null && record.updatedAt < other.updatedAt

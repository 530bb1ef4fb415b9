import { randomUUID } from 'node:crypto'
import { checkConfirmed } from '../../platform/confirm.ts'
import type {
  CampaignChanges,
  CampaignMotion,
  campaignsContract,
  HistorySpan,
  CampaignPoint,
} from '../../../contract/views/campaigns.ts'
import { failureLimitOf } from '../../../contract/views/campaign-alert-rules.ts'
import type { Freshness, InputOf, OutputOf } from '../../../contract/define.ts'
import type { Campaign, CampaignId, Page } from '../../../contract/domain.ts'
import { type AppError, isAppError } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import type { CampaignRecords } from './campaign-records.ts'
import type { CampaignWatch, RunningList } from './campaign-watch.ts'
import type { AlertRulesService } from './alert-rules.service.ts'
import type { PauseAll } from './pause-all.ts'
import { mayStillRun, type PauseCampaign, type Paused } from './pause-campaign.ts'
import type { PauseReceipts } from './pause-receipts.ts'
import type { KnownCampaign, SnapshotsRepository } from './snapshots.repository.ts'
import { type Snapshot, watchGapMs } from './campaign-motion.ts'
import type { ServiceParts } from '../../service/parts.ts'

/** Most points of one history; a chart has fewer pixels. */
export const pointsMax = 600
/** Points further apart than this many median distances are not joined. */
const gapFactor = 4

/** Snapshots, oldest first, as at most `pointsMax` points, with breaks where readings are missing. */
export function pointsOf(snapshots: readonly Snapshot[]): CampaignPoint[] {
  const step = Math.max(1, Math.ceil(snapshots.length / pointsMax))
  // Counted from the end, to keep the newest.
  const shown = snapshots.filter((_one, at) => (snapshots.length - 1 - at) % step === 0)
  const usualMs = medianDistanceMs(shown)
  return shown.map(({ atMs, untilMs, sent, failed, status }, at) => {
    const before = shown[at - 1]
    const distanceMs = before ? atMs - before.untilMs : 0
    return {
      at: isoTime(atMs),
      until: isoTime(untilMs),
      sent,
      failed,
      status,
      afterGap: distanceMs > Math.max(watchGapMs, usualMs * gapFactor),
    }
  })
}

function medianDistanceMs(snapshots: readonly Snapshot[]): number {
  const distances = snapshots.slice(1).map(({ atMs }, at) => atMs - snapshots[at]!.untilMs)
  return distances.sort((a, b) => a - b)[distances.length >> 1] ?? 0
}

type Contract = typeof campaignsContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Most receipts, and alerts, of one detail. */
const detailListMax = 20
const spanMs: Record<HistorySpan, number> = { '1h': 3_600_000, '24h': 86_400_000, '30d': 30 * 86_400_000 }

export type CampaignsService = ReturnType<typeof createCampaignsService>

/**
 * The campaigns of one open connection; shapes and errors as in the contract. Polls are answered from the
 * campaigns' records while those are recent; the service answers everything else.
 */
export function createCampaignsService(
  parts: Pick<ServiceParts, 'client' | 'connection' | 'notify' | 'clock' | 'log'> & {
    answers: AnswersService
    watch: CampaignWatch
    records: CampaignRecords
    snapshots: SnapshotsRepository
    receipts: PauseReceipts
    alertRules: AlertRulesService
    pause: PauseCampaign
    pauseAll: PauseAll
  },
) {
  const { client, watch, records, snapshots, receipts, alertRules, clock } = parts
  const { liveOrLast, repository: answers } = parts.answers

  const isInPeriod = (readMs: number) => {
    const ageMs = clock.now() - readMs
    return ageMs >= 0 && ageMs < watch.state().periodMs
  }

  const motionOfOne = (id: string): CampaignMotion => {
    const { readAtMs, lately: _, ...motion } = records.motion(id)
    return { id, readAt: isoTime(readAtMs), ...motion, alertRule: alertRules.mark(id) }
  }

  const withMotions = <P extends Page<Campaign>>(page: P) => ({
    ...page,
    motions: page.items.flatMap(({ id, status }) => (status === 'running' ? [motionOfOne(id)] : [])),
    watch: watch.state(),
  })

  const aged = (
    { campaign, readMs }: KnownCampaign,
    source: Freshness['source'] = 'live',
    error: Freshness['error'] = null,
  ) => ({ campaign, freshness: { asOf: isoTime(readMs), source, error } })

  /** Reads one campaign, or returns the newer of its kept answer and its record. */
  async function readOne(id: string): Promise<{ campaign: Campaign; freshness: Freshness }> {
    try {
      const { value, freshness } = await liveOrLast(`campaigns/${id}`, async () => {
        const askedMs = clock.now()
        const campaign = await client.campaigns.get(id, { lane: 'live' })
        records.note([campaign], askedMs)
        return campaign
      })
      const known = records.get(id)
      // A later request may have been answered first.
      if (freshness.source === 'live') return { campaign: known?.campaign ?? value, freshness }
      return known && known.readMs > Date.parse(freshness.asOf)
        ? aged(known, 'cache', freshness.error)
        : { campaign: value, freshness }
    } catch (error) {
      const known = records.get(id)
      // A campaign missing at the service is not shown as current.
      if (!known || !isAppError(error) || error.code === 'SERVICE_NOT_FOUND') throw error
      return aged(known, 'cache', viewOf(error))
    }
  }

  /** Its record, if read within the current period. */
  function recentRecord(id: string) {
    const known = records.get(id)
    return known && isInPeriod(known.readMs) ? aged(known) : null
  }

  /** One try, then the last reading: an emergency stop must not wait for a list. */
  async function readRunningOrLast(): Promise<RunningList> {
    try {
      return await watch.readRunning({ lane: 'operator', tries: 1 })
    } catch (error) {
      const last = watch.last()
      if (!last) throw error
      return { ...last, complete: false }
    }
  }

  function tellFailure(id: CampaignId, error: AppError): void {
    parts.notify({
      kind: 'alert-rule',
      key: `pause/${parts.connection().id}/${randomUUID()}`,
      text: 'pauseFailed',
      values: { campaign: records.get(id)?.campaign.name?.trim() || id },
      problem: viewOf(error),
      link: { path: `/campaigns?id=${encodeURIComponent(id)}` },
    })
  }

  return {
    alertRules,
    async list({ page, perPage, status, poll }: Input<'list'>): Promise<Output<'list'>> {
      watch.pageAsked()
      const key = `campaigns?page=${page}&per_page=${perPage}&status=${status ?? ''}`
      const kept = answers.get(key)
      const keptPage = kept ? (JSON.parse(kept.bodyJson) as Page<Campaign>) : null
      /** The newest that is known of running campaigns without asking. */
      const read = () => (status === 'running' ? watch.lastEver() : null)
      /** Without any answer for all campaigns, the running ones are known. */
      const lastKnown = () => {
        const running = status === undefined ? watch.lastEver() : read()
        return running && { ...running, complete: running.complete && status === 'running' }
      }
      const pageOf = (list: RunningList, freshness: Freshness) => {
        // Pages as the service cut them, so that an open page keeps its rows.
        const size = keptPage?.perPage ?? perPage
        const items = list.items.slice((page - 1) * size, page * size)
        const asOf = isoTime(list.atMs)
        return withMotions({
          items,
          total: list.items.length,
          atLeast: !list.complete,
          page,
          perPage,
          freshness: { ...freshness, asOf },
        })
      }
      const answered = (answer: Page<Campaign>, freshness: Freshness) =>
        withMotions({
          ...answer,
          items: records.latest(answer.items, Date.parse(freshness.asOf)),
          freshness,
        })
      const fresh = poll && status === 'running' ? watch.fresh() : null
      if (fresh?.complete) return pageOf(fresh, liveAt(isoTime(fresh.atMs)))
      if (poll && kept && keptPage && isInPeriod(kept.asOfMs) && kept.asOfMs >= (read()?.atMs ?? 0))
        return answered(keptPage, liveAt(isoTime(kept.asOfMs)))
      const { value, freshness } = await liveOrLast(key, async () => {
        const askedMs = clock.now()
        const answer = await client.campaigns.list(
          { page, perPage, ...(status === undefined ? {} : { status }) },
          // The next poll is the next try.
          { lane: 'live', ...(poll && { tries: 2 }) },
        )
        records.note(answer.items, askedMs)
        return { ...answer, items: records.latest(answer.items, askedMs) }
      }).catch((error: unknown) => {
        if (lastKnown() === null || !isAppError(error)) throw error
        return {
          value: null,
          freshness: { asOf: isoTime(0), source: 'cache', error: viewOf(error) } as const,
        }
      })
      const list = value === null ? lastKnown() : read()
      // The kept answer may be older than the reading that the page showed before.
      if (list && freshness.source === 'cache' && list.atMs > Date.parse(freshness.asOf))
        return pageOf(list, freshness)
      return answered(value!, freshness)
    },

    async *watch(signal: AbortSignal): AsyncGenerator<CampaignChanges> {
      for await (const changed of records.watch(signal))
        yield {
          items: changed.map(({ campaign, readMs }) => ({
            campaign,
            readAt: isoTime(readMs),
            motion: motionOfOne(campaign.id),
          })),
        }
    },

    motion({ ids }: Input<'motion'>): Output<'motion'> {
      watch.pageAsked()
      return { items: ids.map(motionOfOne), watch: watch.state() }
    },

    async detail({ id, span, poll }: Input<'detail'>): Promise<Output<'detail'>> {
      watch.pageAsked()
      const read = (poll ? recentRecord(id) : null) ?? (await readOne(id))
      return {
        ...read,
        motion: motionOfOne(id),
        points: pointsOf(snapshots.since(id, clock.now() - spanMs[span])),
        receipts: receipts.of(id, detailListMax),
        alertRule: alertRules.of(id),
        defaultAlertRule: alertRules.of(null),
        trips: alertRules.trips({ campaignId: id, limit: detailListMax }),
        pausedBy: alertRules.pausedBy(id),
        watch: watch.state(),
      }
    },

    /** Notifies of a failure if the page was `left` meanwhile; otherwise the page shows it. */
    async pause({ id, confirmName }: Input<'pause'>, left?: AbortSignal): Promise<Paused> {
      checkConfirmed(parts.connection(), confirmName)
      try {
        return await parts.pause(id as CampaignId, 'operator')
      } catch (error) {
        if (left?.aborted && mayStillRun(error)) tellFailure(id as CampaignId, toAppError(error, parts.log))
        throw error
      }
    },

    async running(): Promise<Output<'running'>> {
      const { items, complete, atMs } = watch.fresh() ?? (await readRunningOrLast())
      return { items, complete, asOf: isoTime(atMs) }
    },

    failureLimit: () => failureLimitOf(alertRules.of(null)),
    /** A campaign as last read; null if unknown. Sends no request. */
    known: (id: string) => records.get(id)?.campaign ?? null,
    /** Running campaigns at the last reading; null before it. Sends no request. */
    lastRunning: () => watch.state().running,
    /** The running campaigns as last read; null before the first reading. */
    lastReading: watch.last,

    pauseAll({ ids, confirmName }: Input<'pauseAll'>): Output<'pauseAll'> {
      checkConfirmed(parts.connection(), confirmName)
      return parts.pauseAll.start(ids)
    },
    pauseAllRun: () => ({ run: parts.pauseAll.last() }),
    namedAlertRules: () => ({
      alertRules: alertRules.list().map((alertRule) => ({
        ...alertRule,
        title:
          alertRule.campaignId === null ? null : (records.get(alertRule.campaignId)?.campaign.name ?? null),
      })),
      watch: watch.state(),
      resumed: receipts
        .resumed(clock.now())
        .filter(({ campaignId }) => records.get(campaignId)?.campaign.status === 'running'),
    }),
  }
}

const liveAt = (asOf: string): Freshness => ({ asOf, source: 'live', error: null })

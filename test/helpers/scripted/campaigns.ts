import type { TriggeredAlert } from '#contract/views/campaign-alert-rules.ts'
import type {
  CampaignChanges,
  CampaignMotion,
  CampaignPoint,
  CampaignWatchState,
  PauseReceipt,
} from '#contract/views/campaigns.ts'
import type { Campaign } from '#contract/domain.ts'
import { AppError } from '#contract/errors.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, live, minuteMs } from './broadcast.ts'

/** Reading every ten seconds, three campaigns running. */
export const ordinaryWatch = (): CampaignWatchState => ({
  periodMs: 10_000,
  because: 'looked-at',
  readAt: ago(4_000),
  problem: null,
  running: { value: 3, atLeast: false },
})

/** A campaign at 640 a minute, or without a rate if it does not run. */
export function motionFor({ id, status, totalRecipients, sentCount }: Campaign): CampaignMotion {
  const runs = status === 'running'
  const left = (totalRecipients ?? 0) - (sentCount ?? 0)
  return {
    id,
    readAt: ago(4_000),
    ratePerMinute: runs ? 640 : null,
    etaMs: runs ? (left / 640) * minuteMs : null,
    stillMs: null,
    stalled: false,
    spark: Array.from({ length: 30 }, (_item, at) =>
      !runs || at < 4 ? null : Math.round(560 + 160 * Math.sin(at / 3)),
    ),
    alertRule: { mode: 'off', own: false, tripped: false },
  }
}

/** A receipt of a pause that let 214 more out within 40 s. */
export function aReceipt(of: Partial<PauseReceipt> & Pick<PauseReceipt, 'campaignId'>): PauseReceipt {
  return {
    id: 1,
    title: 'Password reset wave',
    by: 'operator',
    state: 'settled',
    sentAt: ago(60 * minuteMs),
    pausedAt: ago(60 * minuteMs - 400),
    sentBefore: 4_270,
    sentAtPause: 4_286,
    sentLast: 4_500,
    movedAfter: ago(60 * minuteMs - 35_000),
    movedUntil: ago(60 * minuteMs - 40_000),
    readAt: ago(56 * minuteMs),
    reads: 44,
    longestGapMs: 5_200,
    endedAt: ago(56 * minuteMs),
    status: 'paused',
    ...of,
  }
}

/** An alert of the failure rate that only notified. */
export function aTrip(of: Partial<TriggeredAlert> & Pick<TriggeredAlert, 'campaignId'>): TriggeredAlert {
  return {
    id: 1,
    title: 'Delivery notices, north depots',
    rule: 'failed-share',
    own: true,
    mode: 'notify',
    reading: '17.6% failed (1,430 of 8,120 sent); limit 10% after 500 sent',
    firstAt: ago(12 * minuteMs),
    lastAt: ago(4_000),
    times: 72,
    clearedAt: null,
    pause: null,
    ...of,
  }
}

/** An hour of readings, one a minute. */
function pointsFor({ sentCount, failedCount, status }: Campaign): CampaignPoint[] {
  return Array.from({ length: 60 }, (_item, at) => ({
    at: ago((60 - at) * minuteMs),
    until: ago((60 - at) * minuteMs),
    sent: Math.max(0, (sentCount ?? 0) - (59 - at) * 600),
    failed: Math.max(0, (failedCount ?? 0) - (59 - at) * 5),
    status,
    afterGap: at === 30,
  }))
}

/** The answers about these campaigns, all on every page. */
export function scriptedCampaigns(
  campaigns: Campaign[],
  changes = createBroadcast<CampaignChanges>({ items: [] }),
): Script['campaigns'] {
  const byId = (id: string): Campaign => {
    const found = campaigns.find((one) => one.id === id)
    if (!found) throw new AppError('SERVICE_NOT_FOUND', { serviceText: 'campaign not found' })
    return found
  }
  const running = campaigns.filter(({ status }) => status === 'running')

  return {
    list: ({ page = 1, perPage = 20, status }) => {
      const items = status === 'running' ? running : campaigns
      const motions = running.map(motionFor)
      const watch = ordinaryWatch()
      return { items, motions, watch, total: items.length, page, perPage, freshness: live() }
    },
    watch: (_input, signal) => changes.watch(signal),
    motion: ({ ids }) => ({ items: ids.map((id) => motionFor(byId(id))), watch: ordinaryWatch() }),
    detail: ({ id }) => ({
      campaign: byId(id),
      freshness: live(),
      motion: motionFor(byId(id)),
      points: pointsFor(byId(id)),
      receipts: byId(id).status === 'paused' ? [aReceipt({ campaignId: id })] : [],
      alertRule: null,
      defaultAlertRule: null,
      trips: [],
      pausedBy: byId(id).status === 'paused' ? { name: 'Ben', at: ago(20 * minuteMs) } : null,
      watch: ordinaryWatch(),
    }),
    pause: ({ id }) => {
      const { sentCount } = byId(id)
      const receipt = aReceipt({
        campaignId: id,
        state: 'reading',
        pausedAt: ago(0),
        sentBefore: sentCount,
        sentAtPause: sentCount,
      })
      return { campaign: { ...byId(id), status: 'paused' }, receipt }
    },
    running: () => ({ items: running, complete: true, asOf: ago(0) }),
    pauseAll: () => ({
      id: 'run-1',
      startedAt: ago(0),
      endedAt: ago(0),
      items: [],
      newOnes: [],
      problem: null,
    }),
    pauseAllRun: () => ({ run: null }),
    alertRules: () => ({ alertRules: [], watch: ordinaryWatch(), resumed: [] }),
    setAlertRule: ({ campaignId, mode, rules }) => ({
      campaignId,
      mode,
      rules,
      disarmedAt: null,
      armedBy: null,
    }),
    tryAlertRule: () => ({ judged: 3, readAt: ago(4_000), trips: [], tripped: 0 }),
    removeAlertRule: () => {},
    trips: () => ({ items: [] }),
  }
}

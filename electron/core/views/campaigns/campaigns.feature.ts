import { campaignsContract } from '../../../contract/views/campaigns.ts'
import type { EventsFeature } from '../../live/events/events.feature.ts'
import { createReportShare } from '../../live/events/report-share.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import type { TeamService } from '../../live/team/team.service.ts'
import type { NetworkWatch } from '../../service/client/network-watch.ts'
import { createCampaignRecords } from './campaign-records.ts'
import { createCampaignWatch } from './campaign-watch.ts'
import { type CampaignsService, createCampaignsService } from './campaigns.service.ts'
import { createAlertRulesRepository } from './alert-rules.repository.ts'
import { createAlertRulesService } from './alert-rules.service.ts'
import { createPauseAll } from './pause-all.ts'
import { createPauseCampaign } from './pause-campaign.ts'
import { createPauseReceipts } from './pause-receipts.ts'
import { createReceiptsRepository } from './receipts.repository.ts'
import { createSnapshotsRepository } from './snapshots.repository.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const campaignsHandlers = handlersOf(
  campaignsContract,
  ({ campaigns }: { campaigns: CampaignsService }) => ({
    ...campaigns,
    alertRules: campaigns.namedAlertRules,
    setAlertRule: campaigns.alertRules.set,
    tryAlertRule: campaigns.alertRules.tryOut,
    removeAlertRule: ({ campaignId }) => campaigns.alertRules.remove(campaignId),
    trips: (page) => ({ items: campaigns.alertRules.trips(page) }),
  }),
)

/** How long reports are collected before rules that pause are checked. */
const reportsTogetherMs = 1_000

/** The campaigns of the open connection: lists, pausing, and alert rules that judge running ones. */
export function createCampaignsFeature(
  parts: ServiceParts & {
    answers: AnswersService
    team: Pick<TeamService, 'act'>
    shared: SharedValues
    events: Pick<EventsFeature, 'projector'>
    network: Pick<NetworkWatch, 'onReached'>
  },
) {
  const { client, connection, stateDb, clock, log } = parts
  const snapshots = createSnapshotsRepository(stateDb)
  const receipts = createPauseReceipts(createReceiptsRepository(stateDb), ({ id, campaignId, title }) =>
    parts.notify({
      kind: 'alert-rule',
      key: `resumed/${connection().id}/${id}`,
      text: 'resumed',
      values: { campaign: title },
      link: { path: `/campaigns?id=${encodeURIComponent(campaignId)}` },
    }),
  )
  const records = createCampaignRecords({ snapshots, receipts, clock, log })
  const watch = createCampaignWatch({
    client,
    snapshots,
    receipts,
    records,
    guarded: () => alertRules.active(),
    onRound: (running, atMs) => alertRules.judge(running, atMs),
    clock,
    log,
  })
  const pausing = createPauseCampaign({
    client,
    receipts,
    records,
    onPaused: () => watch.pollNow(),
    clock,
  })
  const alertRules = createAlertRulesService({
    repository: createAlertRulesRepository(stateDb),
    shared: parts.shared,
    connection,
    motion: records.motion,
    lastRunning: watch.last,
    freshRunning: watch.fresh,
    reportShare: createReportShare(stateDb),
    pause: pausing.pause,
    async read(id) {
      const askedMs = clock.now()
      const campaign = await client.campaigns.get(id, { lane: 'live' })
      records.note([campaign], askedMs)
      return campaign
    },
    onSet: watch.readNow,
    onChange: records.touch,
    act: parts.team.act,
    notify: parts.notify,
    clock,
    log,
  })
  const pauseAll = createPauseAll({
    readRunning: () => watch.readRunning({ lane: 'operator' }),
    known: (id) => records.get(id)?.campaign ?? null,
    pause: pausing.pause,
    notify: parts.notify,
    clock,
    log,
  })
  let cancelReports: (() => void) | null = null
  function judgeReportsSoon(): void {
    cancelReports ??= clock.after(reportsTogetherMs, () => {
      cancelReports = null
      try {
        alertRules.judgeReports()
      } catch (error) {
        log.error('Could not check alert rules by delivery reports', { error })
      }
    })
  }
  let stopWatch = () => Promise.resolve()
  let unwatch: (() => void)[] = []
  /** Whether the session ended since campaigns were last read. */
  let hadEnded = parts.credentials.state().problem !== null
  return {
    service: {
      ...createCampaignsService({
        client,
        connection,
        answers: parts.answers,
        watch,
        records,
        snapshots,
        receipts,
        alertRules,
        pause: pausing.pause,
        pauseAll,
        notify: parts.notify,
        clock,
        log,
      }),
      /** Fetches running campaigns now. Rejects with the errors of a call. */
      async pollNow(): Promise<void> {
        await watch.readRunning({ lane: 'live' })
      },
    },
    start() {
      stopWatch = watch.start()
      unwatch = [
        parts.network.onReached(watch.forgetProblem),
        parts.events.projector.onProjected(({ added }) => added > 0 && judgeReportsSoon()),
        parts.credentials.onChange(({ status, problem }) => {
          // A renewal also ends signed in, whether it succeeded or not.
          if (status === 'signed-in' && hadEnded) watch.forgetProblem()
          hadEnded = problem !== null || (hadEnded && status !== 'signed-in')
        }),
      ]
    },
    stop() {
      for (const stop of unwatch) stop()
      cancelReports?.()
      return stopWatch()
    },
    /** Waits for pauses in progress, which store their outcome. */
    async close() {
      await pausing.settled()
      await pauseAll.settled()
      await alertRules.settled()
    },
  }
}

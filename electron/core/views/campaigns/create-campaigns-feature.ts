import type { Connection } from '../../../contract/connections.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { LiveOrLast } from '../../platform/answers/live-or-last.ts'
import type { Notify } from '../../platform/notifications/notifications.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { createCampaignNews } from './campaign-news.ts'
import { createCampaignWatch } from './campaign-watch.ts'
import { type CampaignsService, createCampaignsService } from './campaigns.service.ts'
import { createGuardsRepository } from './guards.repository.ts'
import { createGuardsService } from './guards.service.ts'
import { createPauseAll } from './pause-all.ts'
import { createPauseCampaign } from './pause-campaign.ts'
import { createPauseReceipts } from './pause-receipts.ts'
import { createReceiptsRepository } from './receipts.repository.ts'
import { createReportShare } from '../../live/events/report-share.ts'
import { createSnapshotsRepository } from './snapshots.repository.ts'

/** The campaigns of one open connection. */
export interface CampaignsFeature {
  service: CampaignsService
  /** Begins to read running campaigns and to judge them. */
  start(): void
  /** Fetches running campaigns from the service now. Rejects with the errors of a call. */
  pollNow(): Promise<void>
  /** Before the client is closed: nothing more is begun. */
  stop(): Promise<void>
  /** After it: resolves when what was under way has noted its end. */
  settled(): Promise<void>
}

export function createCampaignsFeature(parts: {
  client: ServiceClient
  connection: () => Connection
  liveOrLast: LiveOrLast
  stateDb: Database
  notify: Notify
  clock: Clock
  log: Log
}): CampaignsFeature {
  const { client, connection, stateDb, clock, log } = parts
  const snapshots = createSnapshotsRepository(stateDb)
  const receipts = createPauseReceipts(createReceiptsRepository(stateDb))
  const news = createCampaignNews(clock)
  const watch = createCampaignWatch({
    client,
    snapshots,
    receipts,
    news,
    guarded: () => guards.active(),
    onRound: (running, atMs) => guards.judge(running, atMs),
    clock,
    log,
  })
  const pausing = createPauseCampaign({
    client,
    receipts,
    onRead: (campaign, askedMs) => watch.note([campaign], askedMs),
    onPaused: () => watch.hurry(),
    clock,
  })
  const guards = createGuardsService({
    repository: createGuardsRepository(stateDb),
    connection,
    motion: watch.motion,
    lastRunning: watch.last,
    reportShare: createReportShare(stateDb),
    pause: pausing.pause,
    async read(id) {
      const askedMs = clock.now()
      const campaign = await client.campaigns.get(id, { lane: 'live' })
      watch.note([campaign], askedMs)
      return campaign
    },
    onSet: () => watch.hurry(),
    onChange: news.touch,
    notify: parts.notify,
    clock,
    log,
  })
  const pauseAll = createPauseAll({
    readRunning: () => watch.readRunning({ lane: 'operator' }),
    known: (id) => watch.known(id)?.campaign ?? null,
    pause: pausing.pause,
    clock,
    log,
  })
  let stopWatch = () => Promise.resolve()
  return {
    service: createCampaignsService({
      client,
      connection,
      liveOrLast: parts.liveOrLast,
      watch,
      news,
      snapshots,
      receipts,
      guards,
      pause: pausing.pause,
      pauseAll,
      clock,
    }),
    start() {
      stopWatch = watch.start()
    },
    async pollNow() {
      await watch.readRunning({ lane: 'live' })
    },
    stop: () => stopWatch(),
    async settled() {
      await pausing.settled()
      await pauseAll.settled()
      await guards.settled()
    },
  }
}

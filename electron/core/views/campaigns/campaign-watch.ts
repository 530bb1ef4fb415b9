import type { CampaignWatchState } from '../../../contract/campaigns.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import { type ErrorCode, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { CallOptions, ServiceClient } from '../../service/client/service-client.ts'
import { motionOf, motionSpanMs, type Motion, watchGapMs } from './campaign-motion.ts'
import { paceOf, watchedMs } from './campaign-pace.ts'
import type { CampaignNews } from './campaign-news.ts'
import type { PauseReceipts } from './pause-receipts.ts'
import type { KnownCampaign, SnapshotsRepository } from './snapshots.repository.ts'

/** Records per page, the service's most, and pages read at most: a thousand running campaigns. */
const perPage = 100
const pagesMax = 10
/** A page that asked is taken to be looked at for so long. */
const lookMs = 30_000
/** Records read one by one in a round, for receipts and for campaigns that left the running ones. */
const singlesMax = 4
const thinEveryMs = 300_000

/** Troubles of reading one campaign, which say nothing of the others. */
export const ofOneCampaign = [
  'SERVICE_NOT_FOUND',
  'SERVICE_REJECTED',
  'SERVICE_FAILED',
  'FORBIDDEN',
  'BAD_ANSWER',
  'ANSWER_TOO_LARGE',
] as const satisfies readonly ErrorCode[]

/** Every running campaign as read at one time. `complete` is false when there are more than are read, or the list moved while it was read. */
export interface RunningList {
  items: Campaign[]
  /** When it was asked for and answered, milliseconds since 1970. */
  askedMs: number
  atMs: number
  complete: boolean
}

/** Told of each round's running campaigns, with the time they were read. */
export type OnRound = (running: readonly Campaign[], atMs: number) => Promise<void>

/** The one poller of campaigns: reads the running ones, keeps what it read, and goes on with the receipts of pauses. */
export interface CampaignWatch {
  /** Begins to read. Its stop resolves when nothing is under way any more. */
  start(): () => Promise<void>
  /** A page is looked at: reads at the pace for that, at once when the last reading is older. */
  looked(): void
  /** The pace may have changed: a pause is to be watched, a guard was set. */
  hurry(): void
  /** Records that were read elsewhere, at the service; `askedMs` is when they were asked for (wall clock). */
  note(campaigns: readonly Campaign[], askedMs: number): void
  /** The running campaigns as last read, when that is within the present period; else null. */
  fresh(): RunningList | null
  /** The running campaigns as last read in this run of the console, however long ago; null before. */
  last(): RunningList | null
  /** Reads every running campaign now. Rejects with the errors of a call. */
  readRunning(options: CallOptions): Promise<RunningList>
  known(id: string): KnownCampaign | null
  /** Records that were asked for at `askedMs`, each as it is known by now: a later reading may have come sooner. */
  asKnown(campaigns: readonly Campaign[], askedMs: number): Campaign[]
  /** How it moves. `leastMs`: how far back its standing still is to be told at least. */
  motion(id: string, leastMs?: number): Motion
  state(): CampaignWatchState
}

export function createCampaignWatch(parts: {
  client: Pick<ServiceClient, 'campaigns' | 'budget'>
  snapshots: SnapshotsRepository
  receipts: PauseReceipts
  news: Pick<CampaignNews, 'read'>
  guarded: () => boolean
  onRound: OnRound
  clock: Clock
  log: Log
}): CampaignWatch {
  const { client, snapshots, receipts, clock, log } = parts
  let lookedMs = -Infinity
  let readMonoMs = -Infinity
  let thinnedMs = -Infinity
  let running: RunningList | null = null
  let problem: CampaignWatchState['problem'] = null
  let wake = () => {}
  /** Ids that ran at the last reading: one that is missing from the next is read once more, for how it ended. */
  let ranBefore = new Set<string>()
  let leaving: string[] = []
  let listRequests = 1
  /** When a receipt's campaign was tried last: one that cannot be read lets the others go first. */
  const tried = new Map<string, number>()

  const pace = () =>
    paceOf({
      lookedAt: clock.monotonic() - lookedMs < lookMs,
      guarded: parts.guarded(),
      receiptOpen: receipts.open().length > 0,
      listRequests,
      budget: client.budget.snapshot(),
    })

  function note(campaigns: readonly Campaign[], askedMs: number): void {
    const atMs = clock.now()
    const newest = new Map(campaigns.map((campaign) => [campaign.id, campaign]))
    if (running && running.askedMs <= askedMs)
      running = {
        ...running,
        items: running.items
          .map((campaign) => newest.get(campaign.id) ?? campaign)
          .filter(({ status }) => status === 'running'),
      }
    parts.news.read(campaigns, askedMs, atMs)
    try {
      snapshots.note(campaigns, askedMs, atMs)
      for (const campaign of campaigns) receipts.read(campaign, askedMs, atMs)
    } catch (error) {
      log.warn('what was read of campaigns could not be kept', { error })
    }
  }

  /** Records as they are known: by a reading that was asked for after this one, where there is one. */
  function asKnown(campaigns: readonly Campaign[], askedMs: number): Campaign[] {
    return campaigns.map((campaign) => {
      const known = snapshots.record(campaign.id)
      return known && known.readMs >= askedMs && known.readMs <= clock.now() ? known.campaign : campaign
    })
  }

  async function readRunning(options: CallOptions): Promise<RunningList> {
    const found = new Map<string, Campaign>()
    let seen = 0
    let total: number | null = null
    let hasMoved = false
    let requests = 0
    const askedMs = clock.now()
    for (let page = 1; page <= pagesMax; page++) {
      const answer = await client.campaigns.list({ page, perPage, status: 'running' }, options)
      requests++
      hasMoved ||= total !== null && total !== answer.total
      total = answer.total
      seen += answer.items.length
      // A service that passes over the filter answers with all of them.
      for (const campaign of answer.items) if (campaign.status === 'running') found.set(campaign.id, campaign)
      if (answer.items.length === 0 || seen >= total) break
    }
    listRequests = requests
    note([...found.values()], askedMs)
    const items = asKnown([...found.values()], askedMs).filter(({ status }) => status === 'running')
    const ids = new Set<string>(items.map(({ id }) => id))
    running = { items, askedMs, atMs: clock.now(), complete: seen >= (total ?? 0) && !hasMoved }
    readMonoMs = clock.monotonic()
    leaving = [...new Set([...leaving, ...ranBefore])].filter((id) => !ids.has(id)).slice(-50)
    ranBefore = ids
    try {
      snapshots.noteReading(items.length, running.atMs)
    } catch (error) {
      log.warn('the time of a reading could not be kept', { error })
    }
    return running
  }

  async function readSingles(signal: AbortSignal): Promise<void> {
    const open = receipts.open()
    for (const id of tried.keys()) if (!open.includes(id)) tried.delete(id)
    const longestAgo = open.toSorted((a, b) => (tried.get(a) ?? -Infinity) - (tried.get(b) ?? -Infinity))
    const due = [...new Set([...longestAgo, ...leaving])].slice(0, singlesMax)
    for (const id of due) {
      leaving = leaving.filter((other) => other !== id)
      tried.set(id, clock.monotonic())
      try {
        const askedMs = clock.now()
        note([await client.campaigns.get(id as CampaignId, { lane: 'live', signal })], askedMs)
      } catch (error) {
        if (!isAppError(error, ...ofOneCampaign)) throw error
        log.info('a campaign could not be read', { campaignId: id, error })
        receipts.unread(id, error.code === 'SERVICE_NOT_FOUND', clock.now())
      }
    }
  }

  async function round(signal: AbortSignal): Promise<void> {
    try {
      const { items, atMs } = await readRunning({ lane: 'live', signal })
      await parts.onRound(items, atMs)
      await readSingles(signal)
      problem = null
    } catch (error) {
      if (signal.aborted) return
      if (!isAppError(error)) log.error('a reading of campaigns failed', { error })
      else problem = viewOf(error)
    }
    if (clock.monotonic() - thinnedMs < thinEveryMs) return
    thinnedMs = clock.monotonic()
    try {
      snapshots.thin(clock.now())
    } catch (error) {
      log.warn('old readings of campaigns could not be dropped', { error })
    }
  }

  /** Waits out the present period, which may change meanwhile: somebody looks, a pause is watched. */
  async function untilDue(beganMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = beganMs + pace().periodMs - clock.monotonic()
      if (leftMs <= 0 || signal.aborted) return
      await new Promise<void>((resolve) => {
        const cancel = clock.after(leftMs, () => resolve())
        wake = () => {
          cancel()
          resolve()
        }
      })
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    // At once where somebody looks or a guard is set; else the start of the console has better things to do.
    let beganMs = clock.monotonic() - watchedMs
    for (;;) {
      await untilDue(beganMs, signal)
      if (signal.aborted) return
      beganMs = clock.monotonic()
      await round(signal)
    }
  }

  return {
    start() {
      const stopping = new AbortController()
      const running = run(stopping.signal)
      return async () => {
        stopping.abort()
        wake()
        await running
      }
    },
    looked() {
      const wasLooked = clock.monotonic() - lookedMs < lookMs
      lookedMs = clock.monotonic()
      if (!wasLooked) wake()
    },
    hurry: () => wake(),
    note,
    fresh: () =>
      running !== null && problem === null && clock.monotonic() - readMonoMs < pace().periodMs
        ? running
        : null,
    last: () => running,
    readRunning,
    known: (id) => snapshots.record(id),
    asKnown,
    motion(id, leastMs = 0) {
      const nowMs = clock.now()
      return motionOf(snapshots.since(id, nowMs - Math.max(motionSpanMs, leastMs + watchGapMs)), nowMs)
    },
    state() {
      const last = snapshots.lastReading()
      return {
        ...pace(),
        readAt: isoTime(last?.readMs ?? null),
        problem,
        running: last?.running ?? null,
      }
    },
  }
}

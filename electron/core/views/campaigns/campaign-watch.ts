import type { CampaignWatchState } from '../../../contract/views/campaigns.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import { type AppError, isAppError, isOfItem } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createPulse, nextPulse } from '../../../lib/pulse.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { CallOptions } from '../../service/client/call.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { readWholeList } from '../../service/read-whole-list.ts'
import { perPageMax } from '../../service/wire/page.ts'
import { paceOf, watchedMs } from './campaign-pace.ts'
import type { CampaignRecords } from './campaign-records.ts'
import type { PauseReceipts } from './pause-receipts.ts'
import type { SnapshotsRepository } from './snapshots.repository.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Most running campaigns read. */
const runningMax = 1_000
/** A page counts as open for this long after it asked. */
const pageOpenMs = 30_000
/** Single records per round, for open receipts and for campaigns that stopped running. */
const singlesMax = 4
const thinEveryMs = 300_000

/** An error of reading one campaign that says nothing about the others. */
export const isOfOneCampaign = (error: unknown): error is AppError =>
  isOfItem(error) || isAppError(error, 'FORBIDDEN')

/** The running campaigns. `complete` is false if there are more than are read, or if the list changed while it was read. */
export interface RunningList {
  items: Campaign[]
  /** When it was answered, milliseconds since 1970. */
  atMs: number
  complete: boolean
}

/** Called with the running campaigns of each round and the time they were read. */
type OnRound = (running: readonly Campaign[], atMs: number) => Promise<void>

export type CampaignWatch = ReturnType<typeof createCampaignWatch>

/** The only poller of campaigns: reads the running ones and those with an open pause receipt. */
export function createCampaignWatch(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    client: Pick<ServiceClient, 'campaigns' | 'budget'>
    snapshots: SnapshotsRepository
    receipts: PauseReceipts
    records: CampaignRecords
    guarded: () => boolean
    onRound: OnRound
  },
) {
  const { client, snapshots, receipts, records, clock, log } = parts
  let pageAskedMs = -Infinity
  let readMonoMs = -Infinity
  let thinnedMs = -Infinity
  let running: { ids: ReadonlySet<string>; atMs: number; complete: boolean } | null = null
  let problem: CampaignWatchState['problem'] = null
  const woken = createPulse()
  /** The next reading doesn't wait for its period. */
  let isDue = false
  /** IDs running at the last reading. One missing from the next reading is read again, to see how it ended. */
  let ranBefore = new Set<string>()
  let leaving: string[] = []
  let listRequests = 1
  /** When a receipt's campaign was last tried: an unreadable one doesn't hold up the others. */
  const tried = new Map<string, number>()

  const isPageOpen = () => clock.monotonic() - pageAskedMs < pageOpenMs

  const pace = () =>
    paceOf({
      pageOpen: isPageOpen(),
      guarded: parts.guarded(),
      receiptOpen: receipts.open().length > 0,
      listRequests,
      budget: client.budget.snapshot(),
    })

  function last(of = running): RunningList | null {
    if (!of) return null
    const { ids, atMs, complete } = of
    const items = [...ids].flatMap((id) => records.get(id)?.campaign ?? [])
    return { items: items.filter(({ status }) => status === 'running'), atMs, complete }
  }

  async function readRunning(options: CallOptions): Promise<RunningList> {
    const askedMs = clock.now()
    const { unreadable, ...read } = await readWholeList(
      (page) => client.campaigns.list({ page, perPage: perPageMax, status: 'running' }, options),
      ({ id }) => id,
      runningMax,
    )
    // A service that ignores the filter answers with all campaigns.
    const found = read.items.filter(({ status }) => status === 'running')
    listRequests = read.requests
    records.note(found, askedMs)
    const items = records.latest(found, askedMs).filter(({ status }) => status === 'running')
    const ids = new Set<string>(items.map(({ id }) => id))
    const list = { items, atMs: clock.now(), complete: read.complete && unreadable === 0 }
    running = { ids, atMs: list.atMs, complete: list.complete }
    readMonoMs = clock.monotonic()
    leaving = [...new Set([...leaving, ...ranBefore])].filter((id) => !ids.has(id)).slice(-50)
    ranBefore = ids
    try {
      snapshots.noteReading([...ids], list.atMs, list.complete)
    } catch (error) {
      log.warn('Could not store when a campaign was read', { error })
    }
    return list
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
        records.note([await client.campaigns.get(id as CampaignId, { lane: 'live', signal })], askedMs)
      } catch (error) {
        if (!isOfOneCampaign(error)) throw error
        log.info('Could not read a campaign', { campaignId: id, error })
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
      if (!isAppError(error)) log.error('Could not read the campaigns', { error })
      else problem = viewOf(error)
    }
    if (clock.monotonic() - thinnedMs < thinEveryMs) return
    thinnedMs = clock.monotonic()
    try {
      snapshots.thin(clock.now())
    } catch (error) {
      log.warn('Could not delete old campaign readings', { error })
    }
  }

  /** Waits for the end of the period, which may change while waiting. */
  async function untilDue(beganMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = beganMs + pace().periodMs - clock.monotonic()
      if (leftMs <= 0 || isDue || signal.aborted) return
      await nextPulse(woken, clock, leftMs)
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    // The first reading waits, unless a page is open or an alert rule is set: start-up has other work.
    let beganMs = clock.monotonic() - watchedMs
    for (;;) {
      await untilDue(beganMs, signal)
      if (signal.aborted) return
      beganMs = clock.monotonic()
      isDue = false
      await round(signal)
    }
  }

  return {
    /** Starts reading. The returned stop resolves when no reading is in progress. */
    start(): () => Promise<void> {
      const stopping = new AbortController()
      const polling = run(stopping.signal)
      return async () => {
        stopping.abort()
        woken.fire()
        await polling
      }
    },
    /** A page asked: reads more often while it is open, and at once if the last reading is too old for that. */
    pageAsked() {
      const wasOpen = isPageOpen()
      pageAskedMs = clock.monotonic()
      if (!wasOpen) woken.fire()
    },
    /** The service answers again, or you are signed in again: what failed before is over. */
    forgetProblem: () => void (problem = null),
    /** The period may be shorter now, as a pause is watched. */
    pollNow: woken.fire,
    /** Reads at once: an alert rule was set, which the last reading may not show. */
    readNow() {
      isDue = true
      woken.fire()
    },
    /** The running campaigns, if read within the current period; else null. */
    fresh: () => (problem === null && clock.monotonic() - readMonoMs < pace().periodMs ? last() : null),
    /** The running campaigns as last read since the start; null before the first reading. */
    last: () => last(),
    /** The same, also from before the start. */
    lastEver(): RunningList | null {
      const reading = running === null ? snapshots.lastReading() : null
      return reading
        ? last({ ids: new Set(snapshots.lastIds()), atMs: reading.readMs, complete: reading.complete === 1 })
        : last()
    },
    /** Reads every running campaign now. Rejects with the errors of a call. */
    readRunning,
    state(): CampaignWatchState {
      const reading = snapshots.lastReading()
      return {
        ...pace(),
        readAt: isoTime(reading?.readMs ?? null),
        problem,
        running: reading && { value: reading.running, atLeast: reading.complete === 0 },
      }
    },
  }
}

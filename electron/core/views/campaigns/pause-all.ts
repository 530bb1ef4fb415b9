import { randomUUID } from 'node:crypto'
import type { PauseAllRun } from '../../../contract/views/campaigns.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import type { RunningList } from './campaign-watch.ts'
import type { PauseCampaign } from './pause-campaign.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type Item = PauseAllRun['items'][number]

/** Refusals of a campaign that had stopped already. */
const stoppedBefore: Partial<Record<ErrorCode, Item['state']>> = {
  CAMPAIGN_ALREADY_PAUSED: 'already-paused',
  CAMPAIGN_NOT_RUNNING: 'not-running',
}

export type PauseAll = ReturnType<typeof createPauseAll>

/** Pausing every running campaign, once each. */
export function createPauseAll(
  parts: Pick<PlatformParts, 'notify' | 'clock' | 'log'> & {
    readRunning: () => Promise<RunningList>
    known: (id: string) => Campaign | null
    pause: PauseCampaign
  },
) {
  const { clock } = parts
  let run: PauseAllRun | null = null
  /** Whether the service answered any request to pause. */
  let hasAnswered = false
  let working: Promise<void> = Promise.resolve()

  function change(id: string, changes: Partial<Item>): void {
    if (!run) return
    run = { ...run, items: run.items.map((item) => (item.id === id ? { ...item, ...changes } : item)) }
  }

  async function pauseOne(id: string): Promise<void> {
    try {
      const { receipt } = await parts.pause(id as CampaignId, 'all')
      change(id, { state: 'paused', receipt })
      hasAnswered = true
    } catch (thrown) {
      const error = toAppError(thrown, parts.log)
      if (error.scope !== 'network') hasAnswered = true
      const state = stoppedBefore[error.code] ?? (error.acted === 'no' ? 'refused' : 'unknown')
      change(id, { state, error: viewOf(error) })
    }
  }

  async function work(asked: ReadonlySet<string>): Promise<void> {
    hasAnswered = false
    // All at once: every request to pause is queued before the first reading that follows one.
    await Promise.all([...asked].map(pauseOne))
    // A service that answered nothing would only let the operator wait for the list.
    if (asked.size > 0 && !hasAnswered) return end()
    try {
      nameNew((await parts.readRunning()).items, asked)
    } catch (error) {
      run = { ...run!, problem: viewOf(toAppError(error, parts.log)) }
    }
    end()
  }

  function end(): void {
    run = { ...run!, endedAt: isoTime(clock.now()) }
    const count = run.items.filter(({ state }) => state === 'refused' || state === 'unknown').length
    if (count > 0)
      parts.notify({
        kind: 'alert-rule',
        key: `pause-all/${run.id}`,
        text: 'pausesFailed',
        count,
        link: { path: '/campaigns?status=running' },
      })
  }

  /** Running campaigns that the operator was not shown are named, never paused. */
  function nameNew(running: readonly Campaign[], asked: ReadonlySet<string>): void {
    const newOnes = running
      .filter(({ id }) => !asked.has(id))
      .map(({ id, name }) => ({ id, title: name?.trim() || id }))
    run = { ...run!, newOnes }
  }

  function begin(ids: readonly string[]): PauseAllRun {
    const asked = new Set(ids)
    run = {
      id: randomUUID(),
      startedAt: isoTime(clock.now()),
      endedAt: null,
      items: [...asked].map((id) => ({
        id,
        title: parts.known(id)?.name?.trim() || id,
        state: 'pausing',
        receipt: null,
        error: null,
      })),
      newOnes: [],
      problem: null,
    }
    working = work(asked)
    return run
  }

  return {
    /** Starts at once, or returns the run in progress. */
    start: (ids: readonly string[]): PauseAllRun => (run && run.endedAt === null ? run : begin(ids)),
    /** The last run since the start. */
    last: () => run,
    settled: () => working,
  }
}

import { randomUUID } from 'node:crypto'
import type { PauseAllRun } from '../../../contract/views/campaigns.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import { isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import type { RunningList } from './campaign-watch.ts'
import { isNotDone, type PauseCampaign } from './pause-campaign.ts'

/** Concurrent pauses: each takes three requests. */
const atOnce = 4

type Item = PauseAllRun['items'][number]

export type PauseAll = ReturnType<typeof createPauseAll>

/** Pausing every running campaign, once each. */
export function createPauseAll(parts: {
  readRunning: () => Promise<RunningList>
  known: (id: string) => Campaign | null
  pause: PauseCampaign
  clock: Clock
  log: Log
}) {
  const { clock } = parts
  let run: PauseAllRun | null = null
  let beginning: Promise<PauseAllRun> | null = null
  let working: Promise<void> = Promise.resolve()

  function change(id: string, changes: Partial<Item>): void {
    if (!run) return
    run = { ...run, items: run.items.map((item) => (item.id === id ? { ...item, ...changes } : item)) }
  }

  async function pauseOne(id: string): Promise<void> {
    change(id, { state: 'pausing' })
    try {
      const { receipt } = await parts.pause(id as CampaignId, 'all')
      change(id, { state: 'paused', receipt })
    } catch (error) {
      const state = isAppError(error, 'CAMPAIGN_ALREADY_PAUSED')
        ? 'already-paused'
        : isAppError(error, 'CAMPAIGN_NOT_RUNNING')
          ? 'not-running'
          : isNotDone(error)
            ? 'refused'
            : 'unknown'
      change(id, { state, error: viewOf(toAppError(error, parts.log)) })
    }
  }

  async function work(asked: ReadonlySet<string>): Promise<void> {
    const waiting = run!.items.filter(({ state }) => state === 'waiting').map(({ id }) => id)
    const lanes = Array.from({ length: atOnce }, async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await pauseOne(id)
    })
    await Promise.all(lanes)
    try {
      nameNew((await parts.readRunning()).items, asked)
    } catch (error) {
      run = { ...run!, problem: viewOf(toAppError(error, parts.log)) }
    }
    run = { ...run!, endedAt: isoTime(clock.now()) }
  }

  /** Running campaigns that the operator was not shown are named, never paused. */
  function nameNew(running: readonly Campaign[], asked: ReadonlySet<string>): void {
    const named = new Map(run!.newOnes.map((one) => [one.id, one]))
    for (const { id, name } of running) if (!asked.has(id)) named.set(id, { id, title: name?.trim() || id })
    run = { ...run!, newOnes: [...named.values()] }
  }

  async function begin(ids: readonly string[]): Promise<PauseAllRun> {
    const { items: running } = await parts.readRunning()
    const asked = new Set(ids)
    const runs = new Map<string, Campaign>(running.map((campaign) => [campaign.id, campaign]))
    run = {
      id: randomUUID(),
      startedAt: isoTime(clock.now()),
      endedAt: null,
      items: [...asked].map((id) => {
        const campaign = runs.get(id) ?? parts.known(id)
        return {
          id,
          title: campaign?.name?.trim() || id,
          // One missing from the list is still tried: lists change while they are read.
          state: 'waiting',
          receipt: null,
          error: null,
        }
      }),
      newOnes: [],
      problem: null,
    }
    nameNew(running, asked)
    working = work(asked)
    return run
  }

  return {
    /** Starts, or returns the run in progress. Rejects with the errors of a call if the list can't be read. */
    start(ids: readonly string[]): Promise<PauseAllRun> {
      if (run && run.endedAt === null) return Promise.resolve(run)
      return (beginning ??= begin(ids).finally(() => (beginning = null)))
    },
    /** The last run since the start. */
    last: () => run,
    settled: async () => {
      await beginning?.catch(() => {})
      await working
    },
  }
}

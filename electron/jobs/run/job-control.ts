import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Language } from '../../contract/texts.ts'

/** What most jobs need: the connection's databases, which they read beside their writers, and the language of what they write. */
export interface JobFiles {
  contactsFile: string
  searchFile: string
  cacheFile: string
  stateFile: string
  /** Default English. */
  language?: Language
}

export interface JobProgress {
  done: number
  total: number | null
  counts: Record<string, number>
}

/** Thrown inside a job that was cancelled. */
export class JobCancelled extends Error {}

const reportEveryMs = 100

export type JobControl = ReturnType<typeof createJobControl>['control']

/** How a job reports progress and obeys pause and cancel; `hold` and `cancel` are for the core. */
export function createJobControl(report: (progress: JobProgress) => void) {
  let paused = false
  let isCancelled = false
  const cancelled = Promise.withResolvers<undefined>()
  let wake = () => {}
  let reportedAtMs = -Infinity
  let last: { done: number; total: number | null } = { done: 0, total: null }
  async function yieldToMessages(): Promise<void> {
    await nextTurn()
    if (isCancelled) throw new JobCancelled()
  }

  const control = {
    /** Resolves when the operator cancels or the app closes. */
    cancelled: cancelled.promise,
    /** True when the next checkpoint would wait. */
    get isPaused() {
      return paused && !isCancelled
    },
    /** Handles waiting messages. Throws `JobCancelled`. */
    yieldToMessages,
    /** Handles waiting messages and waits while the job is paused. Throws `JobCancelled`. */
    async checkpoint(): Promise<void> {
      await yieldToMessages()
      while (paused && !isCancelled) await new Promise<void>((resolve) => (wake = resolve))
      if (isCancelled) throw new JobCancelled()
    },
    progress(done: number, total: number | null, counts: Record<string, number> = {}) {
      last = { done, total }
      const nowMs = performance.now()
      if (nowMs - reportedAtMs < reportEveryMs && done !== total) return
      reportedAtMs = nowMs
      report({ done, total, counts })
    },
    /** Reports counts at once, without the rate limit of `progress`; no more is done than `most`. */
    tell(most: number, counts: Record<string, number>) {
      last = { ...last, done: Math.min(last.done, most) }
      report({ ...last, counts })
    },
  }
  return {
    control,
    hold(isPaused: boolean) {
      paused = isPaused
      wake()
    },
    cancel() {
      isCancelled = true
      cancelled.resolve(undefined)
      wake()
    },
  }
}

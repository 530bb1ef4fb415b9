import type { MessagePort } from 'node:worker_threads'
import type { FromJob, ToJob } from './protocol.ts'

/** Thrown where a job is told to end. */
export class JobCancelled extends Error {}

/** How a job hears of the operator and is heard. */
export interface JobControl {
  /** Whether the next checkpoint would wait. */
  readonly isPaused: boolean
  /** Resolves when the operator, or the end of the console, cancels. */
  readonly cancelled: Promise<unknown>
  /** Lets messages in. Throws `JobCancelled`. */
  heed(): Promise<void>
  /** Lets messages in; waits while the job is paused. Throws `JobCancelled`. */
  checkpoint(): Promise<void>
  progress(done: number, total: number | null, counts?: Record<string, number>): void
  /** Tells counts at once, whenever the last were told. */
  tell(counts: Record<string, number>): void
}

const tellEveryMs = 100

export function createJobControl(port: MessagePort): JobControl {
  let paused = false
  let isCancelled = false
  const cancelled = Promise.withResolvers<undefined>()
  let wake = () => {}
  let toldAtMs = -Infinity
  let last: { done: number; total: number | null } = { done: 0, total: null }
  port.on('message', (message: ToJob) => {
    paused = message === 'pause' ? true : message === 'resume' ? false : paused
    if (message === 'cancel') {
      isCancelled = true
      cancelled.resolve(undefined)
    }
    wake()
  })
  async function heed(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (isCancelled) throw new JobCancelled()
  }

  return {
    cancelled: cancelled.promise,
    get isPaused() {
      return paused && !isCancelled
    },
    heed,
    async checkpoint() {
      await heed()
      while (paused && !isCancelled) await new Promise<void>((resolve) => (wake = resolve))
      if (isCancelled) throw new JobCancelled()
    },
    progress(done, total, counts = {}) {
      last = { done, total }
      const nowMs = performance.now()
      if (nowMs - toldAtMs < tellEveryMs && done !== total) return
      toldAtMs = nowMs
      port.postMessage({ kind: 'progress', done, total, counts } satisfies FromJob)
    },
    tell: (counts) => port.postMessage({ kind: 'progress', ...last, counts } satisfies FromJob),
  }
}

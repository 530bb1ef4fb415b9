import type { MessagePort } from 'node:worker_threads'
import type { JobProgress } from '../../../jobs/run/job-control.ts'
import type { JobEvents, JobFunctions, JobOrder, JobResults } from '../../../jobs/thread/jobs.ts'
import { takeThread } from '../../../threads/kept-threads.ts'
import { startThread, workLimits } from '../../../threads/own-thread.ts'
import { stepsOf } from '../../../lib/steps-of.ts'
import type { TaskContext } from './tasks.service.ts'

interface JobOptions {
  signal?: AbortSignal | undefined
  /** Port to the contact store, for jobs that write rows. */
  contactsPort?: MessagePort | undefined
  onProgress?: (progress: JobProgress) => void
  /** Connects the task's pause. Returns its removal. */
  onPause?: TaskContext<unknown>['onPause']
}

/** An operator waits for these. At low priority on a busy machine, a check took ten times as long. */
const waitedFor: readonly JobOrder['job'][] = [
  'signed-export-verify',
  'import-preview',
  'open-table',
  'inspect-table',
  'find-requests',
]

/**
 * Runs one job in a thread of its own. Rejects with the job's error, the signal's reason, or what ended the thread without
 * a result. Only a thread whose job succeeded runs another.
 */
export async function runJob<Order extends JobOrder>(
  order: Order,
  { signal, contactsPort, onProgress = () => {}, onPause }: JobOptions = {},
): Promise<JobResults[Order['job']]> {
  const isWaitedFor = waitedFor.includes(order.job)
  const thread = takeThread<JobFunctions, JobEvents>(
    // A lower priority can't be raised again.
    isWaitedFor ? 'job' : 'job of low priority',
    (events) =>
      startThread('job-thread', events, { name: 'job', limits: workLimits, tells: ['hold', 'cancel'] }),
    { progress: onProgress },
  )
  if (contactsPort) thread.hand({ port: contactsPort })
  // First, because it forgets the pause and the cancel of an earlier job.
  const running = thread.calls.run(order, isWaitedFor)
  const onAbort = () => void thread.calls.cancel()
  const stopPausing = onPause?.((isPaused) => void thread.calls.hold(isPaused))
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  let isReusable = false
  try {
    const outcome = await running
    if (!outcome) throw signal?.reason ?? new Error('cancelled')
    // The contact store sees the end of an import by the end of its thread.
    isReusable = !signal?.aborted && !contactsPort
    return outcome.result as JobResults[Order['job']]
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stopPausing?.()
    await (isReusable ? thread.leave() : thread.end())
  }
}

/** Runs a job as a task, with its progress, pause and cancel. */
export const runTaskJob = <Order extends JobOrder>(
  order: Order,
  task: TaskContext<unknown>,
  options: Pick<JobOptions, 'contactsPort'> = {},
): Promise<JobResults[Order['job']]> =>
  runJob(order, { ...options, signal: task.signal, onProgress: task.report, onPause: task.onPause })

/** How much of a file was read. */
export interface ReadingStep {
  kind: 'reading'
  doneBytes: number
  totalBytes: number
}

/** Runs a job that reads a file, and yields its progress. Returns its result, or null when `signal` aborted. */
export const readInSteps = <Order extends JobOrder>(order: Order, signal: AbortSignal) =>
  stepsOf(
    (onStep: (step: ReadingStep) => void) =>
      runJob(order, {
        signal,
        onProgress: ({ done, total }) =>
          onStep({ kind: 'reading', doneBytes: done, totalBytes: total ?? done }),
      }),
    signal,
  )

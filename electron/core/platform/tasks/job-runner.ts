import type { MessagePort } from 'node:worker_threads'
import type { JobProgress } from '../../../jobs/run/job-control.ts'
import type { JobEvents, JobFunctions, JobOrder, JobResults } from '../../../jobs/thread/jobs.ts'
import { startThread, workLimits } from '../../../threads/own-thread.ts'
import type { TaskContext } from './tasks.service.ts'

interface JobOptions {
  signal?: AbortSignal | undefined
  /** Port to the contact store, for jobs that write rows. */
  contactsPort?: MessagePort | undefined
  onProgress?: (progress: JobProgress) => void
  /** Connects the task's pause. Returns its removal. */
  onPause?: TaskContext<unknown>['onPause']
}

/**
 * Runs one job in its own thread. Rejects with the job's error, the signal's reason, or what ended the thread without a
 * result.
 */
export async function runJob<Order extends JobOrder>(
  order: Order,
  { signal, contactsPort, onProgress = () => {}, onPause }: JobOptions = {},
): Promise<JobResults[Order['job']]> {
  const { calls, hand, end } = startThread<JobFunctions, JobEvents>(
    'job-thread',
    { progress: onProgress },
    { name: order.job, limits: workLimits, tells: ['hold', 'cancel'] },
  )
  const onAbort = () => void calls.cancel()
  const stopPausing = onPause?.((isPaused) => void calls.hold(isPaused))
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  try {
    if (contactsPort) hand({ port: contactsPort })
    const outcome = await calls.run(order)
    if (outcome) return outcome.result as JobResults[Order['job']]
    throw signal?.reason ?? new Error('cancelled')
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stopPausing?.()
    await end()
  }
}

/** Runs a job as a task, with its progress, pause and cancel. */
export const runTaskJob = <Order extends JobOrder>(
  order: Order,
  task: TaskContext<unknown>,
  options: Pick<JobOptions, 'contactsPort'> = {},
): Promise<JobResults[Order['job']]> =>
  runJob(order, { ...options, signal: task.signal, onProgress: task.report, onPause: task.onPause })

import type { MessagePort } from 'node:worker_threads'
import type { JobProgress } from '../../../jobs/run/job-control.ts'
import type { JobEvents, JobFunctions, JobOrder, JobResults } from '../../../jobs/thread/jobs.ts'
import { type OwnThread, startThread, workLimits } from '../../../threads/own-thread.ts'
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
]

interface JobThread extends OwnThread<JobFunctions> {
  onProgress: (progress: JobProgress) => void
  ending?: NodeJS.Timeout
}

/** How long a thread waits for its next job: a start costs more than most jobs. */
const idleMs = 5_000
/** Threads without a job, by whether an operator waits for theirs: a lower priority can't be raised again. */
const idleThreads = new Map<boolean, JobThread>()

function takeThread(isWaitedFor: boolean): JobThread {
  const idle = idleThreads.get(isWaitedFor)
  if (idle) {
    idleThreads.delete(isWaitedFor)
    clearTimeout(idle.ending)
    idle.setNeeded(true)
    return idle
  }
  const thread: JobThread = {
    ...startThread<JobFunctions, JobEvents>(
      'job-thread',
      { progress: (progress) => thread.onProgress(progress) },
      { name: 'job', limits: workLimits, tells: ['hold', 'cancel'] },
    ),
    onProgress: () => {},
  }
  void thread.ended.then(() => {
    if (idleThreads.get(isWaitedFor) === thread) idleThreads.delete(isWaitedFor)
  })
  return thread
}

function keepThread(isWaitedFor: boolean, thread: JobThread): void {
  idleThreads.set(isWaitedFor, thread)
  thread.setNeeded(false)
  thread.ending = setTimeout(() => {
    idleThreads.delete(isWaitedFor)
    void thread.end()
  }, idleMs).unref()
}

/**
 * Runs one job in a thread of its own. Rejects with the job's error, the signal's reason, or what ended the thread without
 * a result. Only a thread whose job succeeded runs another.
 */
export async function runJob<Order extends JobOrder>(
  order: Order,
  { signal, contactsPort, onProgress = () => {}, onPause }: JobOptions = {},
): Promise<JobResults[Order['job']]> {
  const isWaitedFor = waitedFor.includes(order.job)
  const thread = takeThread(isWaitedFor)
  thread.onProgress = onProgress
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
    isReusable = !signal?.aborted && !contactsPort && !idleThreads.has(isWaitedFor)
    return outcome.result as JobResults[Order['job']]
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stopPausing?.()
    if (isReusable) keepThread(isWaitedFor, thread)
    else await thread.end()
  }
}

/** Runs a job as a task, with its progress, pause and cancel. */
export const runTaskJob = <Order extends JobOrder>(
  order: Order,
  task: TaskContext<unknown>,
  options: Pick<JobOptions, 'contactsPort'> = {},
): Promise<JobResults[Order['job']]> =>
  runJob(order, { ...options, signal: task.signal, onProgress: task.report, onPause: task.onPause })

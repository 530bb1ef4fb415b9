import { type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../../contract/errors.ts'
import type { FromJob, ToJob } from '../../../jobs/run/job-control.ts'
import type { JobOrder, JobResults } from '../../../jobs/thread/jobs.ts'
import { entryUrl } from '../../../lib/entry-url.ts'
import type { TaskContext } from './tasks.service.ts'

interface JobOptions {
  signal?: AbortSignal | undefined
  /** Port to the contact store, for jobs that write rows. */
  contactsPort?: MessagePort | undefined
  onProgress?: (progress: { done: number; total: number | null; counts: Record<string, number> }) => void
  /** Connects the task's pause and resume. Returns its removal. */
  control?: (send: (message: ToJob) => void) => () => void
}

/** For threads with much short-lived data: an import of a million rows takes a third less memory. */
export const heapLimits = { maxYoungGenerationSizeMb: 24 }

/**
 * Runs one job in its own thread. Rejects with the job's `AppError`, the signal's reason, or INTERNAL when the thread
 * ends without a result.
 */
export function runJob<Order extends JobOrder>(
  order: Order,
  { signal, contactsPort, onProgress, control }: JobOptions = {},
): Promise<JobResults[Order['job']]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entryUrl('job-thread'), {
      resourceLimits: heapLimits,
      name: order.job,
      workerData: { order, contactsPort: contactsPort ?? null },
      transferList: contactsPort ? [contactsPort] : [],
    })
    const send = (message: ToJob) => worker.postMessage(message)
    const onAbort = () => send('cancel')
    const stopControl = control?.(send)
    let failure: unknown = null
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) onAbort()
    worker.on('message', (message: FromJob) => {
      if (message.kind === 'progress') onProgress?.(message)
      else if (message.kind === 'result') resolve(message.result as JobResults[Order['job']])
      else if (message.kind === 'failed') reject(new AppError(message.code, message.data))
      else reject((signal?.reason as Error | undefined) ?? new Error('cancelled'))
    })
    worker.on('error', (error) => (failure = error))
    worker.on('exit', () => {
      signal?.removeEventListener('abort', onAbort)
      stopControl?.()
      // No effect after a result.
      reject(failure instanceof Error ? failure : new AppError('INTERNAL', { correlationId: order.job }))
    })
  })
}

/** Runs a job as a task, with its progress, pause and cancel. */
export function runTaskJob<Order extends JobOrder>(
  order: Order,
  task: TaskContext<unknown>,
  options: Pick<JobOptions, 'contactsPort'> = {},
): Promise<JobResults[Order['job']]> {
  return runJob(order, {
    signal: task.signal,
    contactsPort: options.contactsPort,
    onProgress: ({ done, total, counts }) => task.report({ done, total, counts }),
    control: (send) => task.onPause((paused) => send(paused ? 'pause' : 'resume')),
  })
}

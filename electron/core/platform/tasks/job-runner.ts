import { type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../../contract/errors.ts'
import type { FromJob, ToJob } from '../../../jobs/work/job-control.ts'
import type { JobOrder, JobResults } from '../../../jobs/work/protocol.ts'
import { entryUrl } from '../../../lib/entry-url.ts'
import type { TaskContext } from './tasks.service.ts'

/** What a job is run under. */
export interface JobOptions {
  signal?: AbortSignal | undefined
  /** A port to the book, for a job that writes rows. */
  bookPort?: MessagePort | undefined
  onProgress?: (progress: { done: number; total: number | null; counts: Record<string, number> }) => void
  /** Tells the job's pause and end; given the way to send them. */
  control?: (send: (message: ToJob) => void) => () => void
}

/**
 * Runs one job in a thread of its own and answers its result. Rejects with the job's `AppError`, with the signal's reason when it was
 * aborted, and with INTERNAL when its thread ended without a word.
 */
export function runJob<Order extends JobOrder>(
  order: Order,
  { signal, bookPort, onProgress, control }: JobOptions = {},
): Promise<JobResults[Order['job']]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entryUrl('job-thread'), {
      name: order.job,
      workerData: { order, bookPort: bookPort ?? null },
      transferList: bookPort ? [bookPort] : [],
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
      // Nothing happens where an answer came before.
      reject(failure instanceof Error ? failure : new AppError('INTERNAL', { correlationId: order.job }))
    })
  })
}

/** Runs a job as the work of a task: its progress is the task's, and so are pause and cancel. */
export function runTaskJob<Order extends JobOrder>(
  order: Order,
  task: TaskContext<unknown>,
  options: Pick<JobOptions, 'bookPort'> = {},
): Promise<JobResults[Order['job']]> {
  return runJob(order, {
    signal: task.signal,
    bookPort: options.bookPort,
    onProgress: ({ done, total, counts }) => task.report({ done, total, counts }),
    control: (send) => task.onPause((paused) => send(paused ? 'pause' : 'resume')),
  })
}

import type { JobFiles } from '../../../jobs/run/job-control.ts'
import type { JobOrder } from '../../../jobs/thread/jobs.ts'
import type { FileStore } from '../files/file-store.ts'
import { runTaskJob } from '../tasks/job-runner.ts'
import type { TasksService } from '../tasks/tasks.service.ts'

type FileJob = 'export' | 'rejected' | 'events'

/** A job's own part of its order. */
type FileOrder<Job extends FileJob> = Omit<Extract<JobOrder, { job: Job }>, keyof JobFiles | 'target' | 'job'>

type Payload = { job: FileJob; name: string; fileId: string } & Record<string, unknown>

export type FileTasks = ReturnType<typeof createFileTasks>

/**
 * Tasks that write one file in a job thread; `refId` is the file. They are stored and resumed after a restart, so the
 * kind `export`, the job names and the inputs must stay readable.
 */
function createFileTasks(parts: { store: FileStore; tasks: TasksService; jobFiles: JobFiles }) {
  const { store, tasks, jobFiles } = parts
  type ToOrder = (input: Payload, signal: AbortSignal) => FileOrder<FileJob> | Promise<FileOrder<FileJob>>
  const orders = new Map<FileJob, ToOrder>()

  tasks.define<Payload>('export', {
    unit: 'rows',
    canPause: true,
    resumable: true,
    async run(context) {
      const { payload, signal } = context
      const order = await orders.get(payload.job)!(payload, signal)
      const target = store.path(payload.fileId)
      const { rows } = await runTaskJob(
        { ...jobFiles, ...order, job: payload.job, target } as Extract<JobOrder, { job: FileJob }>,
        context,
      )
      store.finish(payload.fileId)
      context.report({ done: rows, total: rows, counts: { rows } })
    },
  })

  return {
    /**
     * Defines how a job's input becomes its order, and returns the function that starts one. Call it once per job,
     * before stored tasks resume.
     */
    define<Job extends FileJob, Input extends object>(
      job: Job,
      toOrder: (input: Input, signal: AbortSignal) => FileOrder<Job> | Promise<FileOrder<Job>>,
    ) {
      orders.set(job, toOrder as unknown as ToOrder)
      return (name: string, input: Input): { taskId: string } => {
        const { fileId } = store.create(name)
        const payload = { job, name, fileId, ...input }
        return { taskId: tasks.start('export', { subject: name, payload, refId: fileId }).id }
      }
    },
  }
}

export const createFileTasksFeature = (parts: {
  files: FileStore
  tasks: TasksService
  jobFiles: JobFiles
}) => ({ service: createFileTasks({ ...parts, store: parts.files }) })

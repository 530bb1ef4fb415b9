import type { JobFiles } from '../../../jobs/work/job-control.ts'
import type { FileStore } from '../files/file-store.ts'
import type { TasksService } from '../tasks/tasks.service.ts'
import { createFileTasks } from './file-tasks.ts'

/** Tasks that write one file. */
export function createFileTasksFeature(parts: { files: FileStore; tasks: TasksService; jobFiles: JobFiles }) {
  return { service: createFileTasks({ ...parts, store: parts.files }) }
}

import { tasksContract } from '../../../contract/platform/tasks.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { createTasksRepository } from './tasks.repository.ts'
import { createTasksService, type TasksService } from './tasks.service.ts'
import { handlersOf } from '../rpc/handlers.ts'

export const tasksHandlers = handlersOf(tasksContract, ({ tasks }: { tasks: TasksService }) => tasks)

export function createTasksFeature(parts: { stateDb: Database; clock: Clock; log: Log }) {
  const service = createTasksService({ ...parts, repository: createTasksRepository(parts.stateDb) })
  return { service, stop: service.stop }
}

import { implement } from '@orpc/server'
import { tasksContract } from '../../../contract/platform/tasks.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { createTasksRepository } from './tasks.repository.ts'
import { createTasksService, type TasksService } from './tasks.service.ts'

const os = implement(tasksContract).$context<{ tasks: TasksService }>()

export const tasksHandlers = {
  watch: os.watch.handler(({ context, signal }) => context.tasks.watch(signal!)),
  get: os.get.handler(({ context, input }) => context.tasks.get(input.id)),
  pause: os.pause.handler(({ context, input }) => context.tasks.pause(input.id)),
  resume: os.resume.handler(({ context, input }) => context.tasks.resume(input.id)),
  cancel: os.cancel.handler(({ context, input }) => context.tasks.cancel(input.id)),
  dismiss: os.dismiss.handler(({ context, input }) => ({ dismissed: context.tasks.dismiss(input.id) })),
}

export function createTasksFeature(parts: { stateDb: Database; clock: Clock; log: Log }) {
  const service = createTasksService({ ...parts, repository: createTasksRepository(parts.stateDb) })
  return { service, stop: service.stop }
}

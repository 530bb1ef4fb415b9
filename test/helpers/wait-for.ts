import type { Status } from '#contract/connection/status.ts'
import type { Task } from '#contract/platform/tasks.ts'
import type { Rpc } from './start-core.ts'

/** The first status that `holds`. */
export async function statusWhere(
  rpc: Pick<Rpc, 'status'>,
  holds: (status: Status) => boolean,
): Promise<Status> {
  for await (const status of await rpc.status.watch()) if (holds(status)) return status
  throw new Error('the status stream ended')
}

/** Waits until this many events are stored and shown. */
export const eventsStored = (rpc: Pick<Rpc, 'status'>, count: number): Promise<Status> =>
  statusWhere(rpc, ({ storedEvents, projectionLag }) => storedEvents >= count && projectionLag === 0)

/** The first state of a task that `holds`. */
export async function taskWhere(
  rpc: Pick<Rpc, 'tasks'>,
  taskId: string,
  holds: (task: Task) => boolean,
): Promise<Task> {
  for await (const { tasks } of await rpc.tasks.watch()) {
    const task = tasks.find(({ id }) => id === taskId)
    if (task && holds(task)) return task
  }
  throw new Error('the task stream ended')
}

/** The task once it is done, failed or cancelled. */
export const taskEnd = (rpc: Pick<Rpc, 'tasks'>, taskId: string): Promise<Task> =>
  taskWhere(rpc, taskId, ({ state }) => ['done', 'failed', 'cancelled'].includes(state))

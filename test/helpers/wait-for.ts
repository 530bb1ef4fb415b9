import type { ConnectionActivity } from '#contract/connection/connections.ts'
import type { Status } from '#contract/connection/status.ts'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import type { Phrase } from '#contract/phrases.ts'
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

/** The connection in front. */
export const frontConnection = async (rpc: Pick<Rpc, 'status'>) =>
  (await statusWhere(rpc, () => true)).connection

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

/** The first state of the outbox that `holds`. */
export async function outboxWhere(
  rpc: Pick<Rpc, 'outbox'>,
  holds: (drain: OutboxDrain) => boolean | Promise<boolean>,
): Promise<OutboxDrain> {
  for await (const drain of await rpc.outbox.watch()) if (await holds(drain)) return drain
  throw new Error('the outbox stream ended')
}

export const outboxIs = (rpc: Pick<Rpc, 'outbox'>, state: OutboxDrain['state']): Promise<OutboxDrain> =>
  outboxWhere(rpc, (drain) => drain.state === state)

/** Waits until no request is queued, held back or in flight. */
export const outboxOver = (rpc: Pick<Rpc, 'outbox'>): Promise<OutboxDrain> =>
  outboxWhere(rpc, ({ counts }) => counts.queued + counts.undoable + counts['in-flight'] === 0)

/** Waits until queued messages wait for this problem with inbound messages. */
export async function messagesWait(rpc: Pick<Rpc, 'outbox'>, key: string): Promise<void> {
  for await (const { problem } of await rpc.outbox.watch())
    if (problem?.code === 'SENDS_WAIT_FOR_INBOUND' && (problem.data['state'] as Phrase).key === key) return
}

/** Fails a wait for a state that never comes, long before the test's own limit. */
const activityPatienceMs = 20_000

/** The first state of a connection that `holds`. Rejects with the last one when none does. */
export async function activityWhere(
  rpc: Pick<Rpc, 'connections'>,
  id: string,
  holds: (activity: ConnectionActivity) => boolean,
): Promise<ConnectionActivity> {
  const signal = AbortSignal.timeout(activityPatienceMs)
  let last: ConnectionActivity | undefined
  try {
    for await (const { connections } of await rpc.connections.watch(undefined, { signal })) {
      last = connections.find(({ connection }) => connection.id === id)
      if (last && holds(last)) return last
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  throw new Error(`the connection did not get there: ${JSON.stringify(last)}`)
}

export const isLive = ({ state, listener }: ConnectionActivity) =>
  state === 'live' && listener.state === 'listening'

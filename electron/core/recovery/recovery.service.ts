import { randomUUID } from 'node:crypto'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { Hole } from '../../contract/events.ts'
import type { HoleRecovery } from '../../contract/recovery.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { isFinal, rankOf } from '../events/message-status.ts'
import type { EventsService } from '../events/events.service.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import type { TasksService } from '../tasks/tasks.service.ts'
import type { OpenMessage, RecoveryRepository, StoredRun } from './recovery.repository.ts'

/** Open messages read from the database at once. */
const pieceSize = 200
/** A hole says "at least" beyond this. */
const countedMost = 10_000

export interface RecoveryService {
  get(days: number): { holes: HoleRecovery[]; asOf: string }
  start(from: string): { taskId: string }
}

/**
 * Reads at the service what a hole in the record may have swallowed: the messages that were heard of before its end and have no final
 * status since. Messages of which nothing was ever heard cannot be found so: the service lists none by time.
 */
export function createRecoveryService(parts: {
  repository: RecoveryRepository
  events: Pick<EventsService, 'holes'>
  client: Pick<ServiceClient, 'messages'>
  tasks: TasksService
  clock: Clock
}): RecoveryService {
  const { repository, client, tasks, clock } = parts

  parts.tasks.define<StoredRun>('recovery', {
    unit: 'messages',
    canPause: true,
    resumable: true,
    async run({ id: taskId, payload: run, signal, report, pausePoint }) {
      repository.begin({ ...run, taskId, nowMs: clock.now() })
      const total = repository.countOpen(run.toMs, Number.MAX_SAFE_INTEGER)
      const counts = { settled: 0, stillOpen: 0, notFound: 0 }
      let done = 0
      report({ done, total, counts })
      for (let after: OpenMessage | null = null; ;) {
        const piece: OpenMessage[] = repository.open(run.toMs, after, pieceSize, run.id)
        for (const message of piece) {
          await pausePoint()
          const status = await read(message.messageId, signal)
          const settled = status !== null && isFinal(rankOf(status))
          repository.keep(run.id, { messageId: message.messageId, status, isFinal: settled }, clock.now())
          counts[status === null ? 'notFound' : settled ? 'settled' : 'stillOpen']++
          report({ done: ++done, counts })
        }
        after = piece.at(-1) ?? null
        if (after === null) break
      }
      repository.end(run.id, clock.now())
      report({ done, total: done, counts })
    },
  })

  /** The service's word for its status; null when it does not know the message. */
  async function read(messageId: string, signal: AbortSignal): Promise<string | null> {
    try {
      const message = await client.messages.get(messageId, { lane: 'bulk', signal })
      return message.status ?? 'not said'
    } catch (error) {
      if (isAppError(error, 'SERVICE_NOT_FOUND')) return null
      throw error
    }
  }

  const overHoles = (days: number): (Hole & { to: string })[] =>
    parts.events
      .holes(days)
      .holes.flatMap((hole) => (hole.proven && hole.to !== null ? [{ ...hole, to: hole.to }] : []))

  return {
    get: (days) => ({
      holes: overHoles(days).map(({ from, to }) => {
        const value = repository.countOpen(Date.parse(to), countedMost + 1)
        return {
          from,
          open: { value: Math.min(value, countedMost), atLeast: value > countedMost },
          run: repository.latest(Date.parse(from)),
        }
      }),
      asOf: isoTime(clock.now()),
    }),
    start(from) {
      const hole = overHoles(400).find((each) => each.from === from)
      if (!hole) throw new AppError('NOT_FOUND', { what: 'This hole, or its end,' })
      const running = tasks
        .list()
        .find(({ kind, refId, endedAt }) => kind === 'recovery' && refId === from && endedAt === null)
      if (running) return { taskId: running.can.resume ? tasks.resume(running.id).id : running.id }
      const run: StoredRun = { id: randomUUID(), fromMs: Date.parse(from), toMs: Date.parse(hole.to) }
      return { taskId: tasks.start('recovery', { subject: `hole of ${from}`, payload: run, refId: from }).id }
    },
  }
}

import { randomUUID } from 'node:crypto'
import { AppError, isAppError, isOfItem, isRefusal } from '../../../contract/errors.ts'
import { type Gap, isOfAlarm } from '../../../contract/live/events.ts'
import type { GapRecovery } from '../../../contract/live/recovery.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { isFinal, rankOf } from '../events/message-status.ts'
import type { EventsService } from '../events/events.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { OpenMessage, ReadMessage, RecoveryRepository, StoredRun } from './recovery.repository.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Open messages read per query. */
const pieceSize = 200
/** Above this, a gap shows "at least". */
const countedMost = 10_000
/** Most messages counted when a task starts; above this, its total is unknown. */
const countedAtStart = 200_000

/** Failures in a row after which the service itself is in doubt. */
const failuresInARowMax = 5

const countNames = {
  final: 'settled',
  open: 'stillOpen',
  'not-found': 'notFound',
  unreadable: 'notReadable',
} as const

export type RecoveryService = ReturnType<typeof createRecoveryService>

/**
 * Repairs a gap: reads the status of messages that were reported before its end and have no final status since.
 * Messages without any report can't be found, because the API lists none by time.
 */
export function createRecoveryService(
  parts: Pick<PlatformParts, 'tasks' | 'clock'> & {
    repository: RecoveryRepository
    events: Pick<EventsService, 'gaps'>
    client: Pick<ServiceClient, 'messages'>
  },
) {
  const { repository, client, tasks, clock } = parts

  tasks.define<StoredRun>('recovery', {
    unit: 'messages',
    canPause: true,
    resumable: true,
    async run({ id: taskId, payload: run, signal, report, pausePoint }) {
      repository.begin({ ...run, taskId, nowMs: clock.now() })
      const counted = repository.countOpen(run.toMs, countedAtStart + 1, run.id)
      // A resumed run continues where it stopped.
      const before = repository.readBy(run.id)
      let done = Object.values(before).reduce((all, count) => all + count, 0)
      const counts = {
        settled: before.final,
        stillOpen: before.open,
        notFound: before['not-found'],
        notReadable: before.unreadable,
      }
      report({ done, total: counted > countedAtStart ? null : done + counted, counts })
      let failures = 0
      for (let after: OpenMessage | null = null; ;) {
        const piece: OpenMessage[] = repository.open(run.toMs, after, pieceSize, run.id)
        for (const { messageId } of piece) {
          await pausePoint()
          const { failure, ...found } = await read(messageId, signal)
          // Also after a failure, so that a resumed run goes on after this message.
          repository.store(run.id, { messageId, ...found }, clock.now())
          counts[countNames[found.outcome]]++
          report({ done: ++done, counts })
          if (found.outcome !== 'unreadable') failures = 0
          if (failure && ++failures === failuresInARowMax) throw failure
        }
        after = piece.at(-1) ?? null
        if (after === null) break
      }
      repository.end(run.id, clock.now())
      report({ done, total: done, counts })
    },
  })

  async function read(
    messageId: string,
    signal: AbortSignal,
  ): Promise<Omit<ReadMessage, 'messageId'> & { failure?: AppError }> {
    try {
      const { status } = await client.messages.get(messageId, { lane: 'bulk', signal })
      return { outcome: status !== null && isFinal(rankOf(status)) ? 'final' : 'open', status }
    } catch (error) {
      if (isAppError(error, 'SERVICE_NOT_FOUND')) return { outcome: 'not-found', status: null }
      if (isRefusal(error)) return { outcome: 'unreadable', status: null }
      // About this message, or the service itself.
      if (isOfItem(error) || isAppError(error, 'FORBIDDEN'))
        return { outcome: 'unreadable', status: null, failure: error }
      throw error
    }
  }

  const overGaps = (days: number): (Gap & { to: string })[] =>
    parts.events
      .gaps({ days })
      .gaps.flatMap((gap) =>
        (gap.proven || isOfAlarm(gap.reason)) && gap.to !== null ? [{ ...gap, to: gap.to }] : [],
      )

  return {
    get: ({ days }: { days: number }): { gaps: GapRecovery[]; asOf: string } => ({
      gaps: overGaps(days).map(({ from, to }) => {
        const value = repository.countOpen(Date.parse(to), countedMost + 1, '')
        return {
          from,
          open: { value: Math.min(value, countedMost), atLeast: value > countedMost },
          run: repository.latest(Date.parse(from)),
        }
      }),
      asOf: isoTime(clock.now()),
    }),
    start({ from }: { from: string }): { taskId: string } {
      const gap = overGaps(400).find((each) => each.from === from)
      if (!gap) throw new AppError('NOT_FOUND', { what: { key: 'what.gap' } })
      const running = tasks
        .list()
        .find(({ kind, refId, endedAt }) => kind === 'recovery' && refId === from && endedAt === null)
      if (running) return { taskId: running.can.resume ? tasks.resume(running).id : running.id }
      const run: StoredRun = { id: randomUUID(), fromMs: Date.parse(from), toMs: Date.parse(gap.to) }
      return {
        taskId: tasks.start('recovery', {
          subject: { key: 'subject.gapFrom', from: { time: from } },
          payload: run,
          refId: from,
        }).id,
      }
    },
  }
}

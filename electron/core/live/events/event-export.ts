import type { EventFilter, EventFormat } from '../../../contract/live/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'
import { compileFilter } from './event-filter.ts'
import type { Projector } from './projector.ts'

/**
 * Exports the events that match a filter, oldest first, up to the newest one when the task starts. Waits while
 * events are rebuilt.
 */
export function createEventExport(parts: {
  fileTasks: FileTasks
  journalFile: string
  projector: Pick<Projector, 'highestSeq' | 'whenComplete'>
  clock: Clock
}) {
  const { fileTasks, journalFile, projector, clock } = parts
  const start = fileTasks.define<'events', { filter: EventFilter; format: EventFormat }>(
    'events',
    async ({ filter, format }, signal) => {
      await projector.whenComplete(signal)
      const { access, terms, params } = compileFilter(filter)
      const condition = { access, terms, params }
      return { format, journalFile, condition, afterSeq: 0, upToSeq: projector.highestSeq() }
    },
  )
  return (filter: EventFilter, format: EventFormat) => {
    // Rejects an invalid filter before the task starts.
    compileFilter(filter)
    return start(`events-${utcDay(clock.now())}.${format}`, { filter, format })
  }
}

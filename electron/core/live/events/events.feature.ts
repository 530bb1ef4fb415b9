import {
  eventsContract,
  savedFiltersMax,
  type EventFilter,
  type EventFormat,
} from '../../../contract/live/events.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import { createNamedList } from '../../people/team/named-list.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import { createEventsRepository } from './events.repository.ts'
import { createEventsService } from './events.service.ts'
import type { FirstFailure, Listening } from './gaps.ts'
import type { JournalFile } from './journal-reader.ts'
import { createMissedTimes } from './missed-times.ts'
import { createProjector, type Projector } from './projector.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import { compileFilter } from './event-filter.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

/** Exports the events of a filter, oldest first, up to the newest at the start. Waits while events are rebuilt. */
function createEventExport(
  parts: PlatformParts & {
    journalFile: string
    projector: Pick<Projector, 'highestSeq' | 'whenComplete'>
  },
) {
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
  return ({ filter, format }: { filter: EventFilter; format: EventFormat }) => {
    // Rejects an invalid filter before the task starts.
    compileFilter(filter)
    return start(`events-${utcDay(clock.now())}.${format}`, { filter, format })
  }
}

export const eventsHandlers = handlersOf(eventsContract, ({ events }: { events: EventsFeature }) => ({
  ...events,
  series: events.filteredSeries,
}))

/** The state of the listener, which opens after the events. */
interface ListenerState {
  listening: () => Listening
  firstFailure: () => FirstFailure | null
  readsRelay: () => boolean
}

export type EventsFeature = ReturnType<typeof createEventsFeature>['service']

/** Delivery reports and inbound messages: projector, search, live watch, series and gaps. */
export function createEventsFeature(
  parts: PlatformParts & {
    journal: JournalFile
    journalFile: string
    shared: SharedValues
    dnc: Pick<DncService, 'optOutSign'>
  },
) {
  let listener: ListenerState = { listening: () => 'no', firstFailure: () => null, readsRelay: () => false }
  const projector = createProjector({ ...parts, optOutSign: parts.dnc.optOutSign })
  const repository = createEventsRepository(parts.stateDb)
  const missed = createMissedTimes(parts.stateDb)
  const service = createEventsService({
    ...parts,
    repository,
    projector,
    missed,
    listening: () => listener.listening(),
    firstFailure: () => listener.firstFailure(),
    readsRelay: () => listener.readsRelay(),
  })
  let stop = (): void | Promise<void> => {}
  return {
    service: {
      ...service,
      repository,
      projector,
      missed,
      export: createEventExport({ ...parts, projector }),
      ...createNamedList(parts.shared, 'event-filter', savedFiltersMax),
      /** Called once, by the listener. */
      setListener: (state: ListenerState) => void (listener = state),
    },
    start() {
      stop = projector.start()
    },
    stop: () => stop(),
  }
}

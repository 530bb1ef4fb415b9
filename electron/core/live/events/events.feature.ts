import { implement } from '@orpc/server'
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
  return (filter: EventFilter, format: EventFormat) => {
    // Rejects an invalid filter before the task starts.
    compileFilter(filter)
    return start(`events-${utcDay(clock.now())}.${format}`, { filter, format })
  }
}

const os = implement(eventsContract).$context<{ events: EventsFeature }>()

const saved = ({ filters, ...rest }: ReturnType<EventsFeature['savedFilters']['list']>) => ({
  filters: filters.map(({ value: query, ...one }) => ({ ...one, query })),
  ...rest,
})

export const eventsHandlers = os.router({
  search: os.search.handler(({ input, context, signal }) => context.events.search(input, signal)),
  watch: os.watch.handler(({ input, context, signal }) => context.events.watch(input, signal!)),
  get: os.get.handler(({ input, context }) => context.events.get(input.seq)),
  savedFilters: os.savedFilters.handler(({ context }) => saved(context.events.savedFilters.list())),
  saveFilter: os.saveFilter.handler(({ input, context }) =>
    saved(context.events.savedFilters.save(input.name, input.query)),
  ),
  removeFilter: os.removeFilter.handler(({ input, context }) =>
    saved(context.events.savedFilters.remove(input.name)),
  ),
  export: os.export.handler(({ input, context }) => context.events.export(input.filter, input.format)),
  series: os.series.handler(({ input, context, signal }) => context.events.filteredSeries(input, signal)),
  gaps: os.gaps.handler(({ input, context }) => context.events.gaps(input.days)),
})

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
      savedFilters: createNamedList(parts.shared, 'event-filter', savedFiltersMax),
      /** Called once, by the listener. */
      setListener: (state: ListenerState) => void (listener = state),
    },
    start() {
      stop = projector.start()
    },
    stop: () => stop(),
  }
}

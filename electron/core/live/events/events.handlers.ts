import { implement } from '@orpc/server'
import { eventsContract } from '../../../contract/events.ts'
import type { createEventExport } from './event-export.ts'
import type { EventsService } from './events.service.ts'
import type { SavedFilters } from './saved-filters.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
export interface EventsSlice {
  events: EventsService
  exportEvents: ReturnType<typeof createEventExport>
  savedFilters: SavedFilters
}

const os = implement(eventsContract).$context<EventsSlice>()

/** The handlers of `eventsContract`. */
export const eventsHandlers = os.router({
  search: os.search.handler(({ input, context, signal }) => context.events.search(input, signal)),
  watch: os.watch.handler(({ input, context, signal }) =>
    context.events.watch(input, signal ?? new AbortController().signal),
  ),
  get: os.get.handler(({ input, context }) => context.events.get(input.seq)),
  savedFilters: os.savedFilters.handler(({ context }) => ({
    filters: context.savedFilters.list(),
  })),
  saveFilter: os.saveFilter.handler(({ input, context }) => ({
    filters: context.savedFilters.save(input),
  })),
  removeFilter: os.removeFilter.handler(({ input, context }) => ({
    filters: context.savedFilters.remove(input.name),
  })),
  export: os.export.handler(({ input, context }) => context.exportEvents(input.filter, input.format)),
  series: os.series.handler(({ input, context }) => context.events.series(input)),
  holes: os.holes.handler(({ input, context }) => context.events.holes(input.days)),
})

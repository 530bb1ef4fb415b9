import { implement } from '@orpc/server'
import { type EventFilter, type EventFormat, eventsContract } from '../../contract/events.ts'
import type { SavedFilters } from './saved-filters.ts'
import type { EventsService } from './events.service.ts'

/** What the handlers need of a call's context. `events` throws `NO_CONNECTION` while no connection is open. */
export interface EventsContext {
  events: () => EventsService
  workspace: () => {
    exportEvents: (filter: EventFilter, format: EventFormat) => { taskId: string }
    savedFilters: SavedFilters
  }
}

const os = implement(eventsContract).$context<EventsContext>()

/** The handlers of `eventsContract`. */
export const eventsHandlers = os.router({
  search: os.search.handler(({ input, context, signal }) => context.events().search(input, signal)),
  watch: os.watch.handler(({ input, context, signal }) =>
    context.events().watch(input, signal ?? new AbortController().signal),
  ),
  get: os.get.handler(({ input, context }) => context.events().get(input.seq)),
  savedFilters: os.savedFilters.handler(({ context }) => ({
    filters: context.workspace().savedFilters.list(),
  })),
  saveFilter: os.saveFilter.handler(({ input, context }) => ({
    filters: context.workspace().savedFilters.save(input),
  })),
  removeFilter: os.removeFilter.handler(({ input, context }) => ({
    filters: context.workspace().savedFilters.remove(input.name),
  })),
  export: os.export.handler(({ input, context }) =>
    context.workspace().exportEvents(input.filter, input.format),
  ),
  series: os.series.handler(({ input, context }) => context.events().series(input)),
  holes: os.holes.handler(({ input, context }) => context.events().holes(input.days)),
})

import { createEventsRepository } from '#electron/core/live/events/events.repository.ts'
import { createEventsService } from '#electron/core/live/events/events.service.ts'
import type { Listening } from '#electron/core/live/events/gaps.ts'
import { createMissedTimes } from '#electron/core/live/events/missed-times.ts'
import { createProjector } from '#electron/core/live/events/projector.ts'

/** The events of a connection without its other features. */
export function createEvents(
  parts: Omit<Parameters<typeof createProjector>[0], 'journal'> & {
    journal: Parameters<typeof createProjector>[0]['journal'] &
      Parameters<typeof createEventsService>[0]['journal']
    listening: () => Listening
  },
) {
  const projector = createProjector(parts)
  const repository = createEventsRepository(parts.stateDb)
  const service = createEventsService({
    ...parts,
    repository,
    projector,
    missed: createMissedTimes(parts.stateDb),
    firstFailure: () => null,
    readsRelay: () => false,
  })
  return { service, repository, projector }
}

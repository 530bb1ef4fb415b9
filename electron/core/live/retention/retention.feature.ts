import { join } from 'node:path'
import { retentionContract } from '../../../contract/live/retention.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import type { JournalFile } from '../events/journal-reader.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import { createRetentionService, type RetentionService } from './retention.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const retentionHandlers = handlersOf(
  retentionContract,
  ({ retention }: { retention: RetentionService }) => retention,
)

/** Deletes events older than the operator wants to keep. */
export function createRetentionFeature(
  parts: PlatformParts & {
    dir: string
    journal: JournalFile
    journalFile: string
    events: Pick<EventsFeature, 'repository' | 'projector'>
    listener: ListenerService
  },
) {
  const service = createRetentionService({
    ...parts,
    connectionId: parts.connection().id,
    stateFile: join(parts.dir, 'state.db'),
    events: parts.events.repository,
    projector: parts.events.projector,
  })
  let stop = (): void | Promise<void> => {}
  return {
    service,
    start() {
      stop = service.start()
    },
    stop: () => stop(),
  }
}

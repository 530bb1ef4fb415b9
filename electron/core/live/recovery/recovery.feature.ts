import { recoveryContract } from '../../../contract/live/recovery.ts'
import type { EventsService } from '../events/events.service.ts'
import { createRecoveryRepository } from './recovery.repository.ts'
import { createRecoveryService, type RecoveryService } from './recovery.service.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const recoveryHandlers = handlersOf(
  recoveryContract,
  ({ recovery }: { recovery: RecoveryService }) => recovery,
)

/** Re-reads messages whose reports may be lost in a gap. */
export function createRecoveryFeature(
  parts: ServiceParts & {
    events: EventsService
  },
) {
  return { service: createRecoveryService({ ...parts, repository: createRecoveryRepository(parts.stateDb) }) }
}

import { implement } from '@orpc/server'
import { recoveryContract } from '../../../contract/live/recovery.ts'
import type { EventsService } from '../events/events.service.ts'
import { createRecoveryRepository } from './recovery.repository.ts'
import { createRecoveryService, type RecoveryService } from './recovery.service.ts'
import type { ServiceParts } from '../../service/parts.ts'

const os = implement(recoveryContract).$context<{ recovery: RecoveryService }>()

export const recoveryHandlers = {
  get: os.get.handler(({ context, input }) => context.recovery.get(input.days)),
  start: os.start.handler(({ context, input }) => context.recovery.start(input.from)),
}

/** Re-reads messages whose reports may be lost in a gap. */
export function createRecoveryFeature(
  parts: ServiceParts & {
    events: EventsService
  },
) {
  return { service: createRecoveryService({ ...parts, repository: createRecoveryRepository(parts.stateDb) }) }
}

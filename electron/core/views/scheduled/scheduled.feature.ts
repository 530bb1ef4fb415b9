import { scheduledContract } from '../../../contract/views/scheduled.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import { createScheduledService, type ScheduledService } from './scheduled.service.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const scheduledHandlers = handlersOf(
  scheduledContract,
  ({ scheduled }: { scheduled: ScheduledService }) => scheduled,
)

/** The service's scheduled messages, read completely and cached. */
export function createScheduledFeature(
  parts: ServiceParts & {
    answers: AnswersService
  },
) {
  return {
    service: createScheduledService({ ...parts, answers: parts.answers.repository, store: parts.files }),
  }
}

import { implement } from '@orpc/server'
import { scheduledContract } from '../../../contract/views/scheduled.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import { createScheduledService, type ScheduledService } from './scheduled.service.ts'
import type { ServiceParts } from '../../service/parts.ts'

const os = implement(scheduledContract).$context<{ scheduled: ScheduledService }>()

export const scheduledHandlers = {
  read: os.read.handler(({ context, input, signal }) => context.scheduled.read(input, signal!)),
  exportCsv: os.exportCsv.handler(({ context, input }) => context.scheduled.exportCsv(input.ids)),
}

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

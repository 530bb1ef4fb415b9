import { implement } from '@orpc/server'
import { scheduledContract } from '../../../contract/views/scheduled.ts'
import type { Language } from '../../../contract/texts.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { createScheduledService, type ScheduledService } from './scheduled.service.ts'

const os = implement(scheduledContract).$context<{ scheduled: ScheduledService }>()

export const scheduledHandlers = {
  read: os.read.handler(({ context, input, signal }) => context.scheduled.read(input, signal!)),
  exportCsv: os.exportCsv.handler(({ context, input }) => context.scheduled.exportCsv(input.ids)),
}

/** The service's scheduled messages, read completely and cached. */
export function createScheduledFeature(parts: {
  client: ServiceClient
  answers: AnswersService
  files: FileStore
  clock: Clock
  language: () => Language
  log: Log
}) {
  return {
    service: createScheduledService({ ...parts, answers: parts.answers.repository, store: parts.files }),
  }
}

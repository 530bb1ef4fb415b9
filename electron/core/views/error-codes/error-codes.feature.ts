import { implement } from '@orpc/server'
import { errorCodesContract } from '../../../contract/views/error-codes.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { createErrorCodesRepository } from './error-codes.repository.ts'
import { createErrorCodesService, type ErrorCodesService } from './error-codes.service.ts'

const os = implement(errorCodesContract).$context<{ errorCodes: ErrorCodesService }>()

export const errorCodesHandlers = {
  search: os.search.handler(({ context, input }) => context.errorCodes.search(input)),
  searchOnline: os.searchOnline.handler(({ context, input }) => context.errorCodes.searchOnline(input.text)),
  get: os.get.handler(({ context, input }) => context.errorCodes.get(input.code)),
  setNote: os.setNote.handler(({ context, input }) => context.errorCodes.setNote(input.code, input.note)),
  fill: os.fill.handler(({ context }) => context.errorCodes.fill()),
}

/** Meanings of error codes, stored for offline use, with notes. */
export function createErrorCodesFeature(parts: {
  cacheDb: Database
  stateDb: Database
  client: ServiceClient
  tasks: TasksService
  clock: Clock
}) {
  const repository = createErrorCodesRepository(parts.cacheDb, parts.stateDb)
  return { service: createErrorCodesService({ ...parts, repository }) }
}

import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { messagesContract } from '../../../contract/views/messages.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { EventsService } from '../../live/events/events.service.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { createMessagesService, type MessagesService } from './messages.service.ts'

const os = implement(messagesContract).$context<{ messages: MessagesService }>()

export const messagesHandlers = {
  list: os.list.handler(({ context, input }) => context.messages.list(input)),
  get: os.get.handler(({ context, input }) => context.messages.get(input)),
  reportedHere: os.reportedHere.handler(({ context, input }) => ({
    reports: context.messages.reportedHere(input.answers),
  })),
  recent: os.recent.handler(({ context }) => ({ lookups: context.messages.recent() })),
  forget: os.forget.handler(({ context, input }) => ({ forgotten: context.messages.forget(input.id) })),
  release: os.release.handler(({ context, input }) => context.messages.releases.one(input)),
  planRelease: os.planRelease.handler(({ context, input }) => context.messages.releases.plan(input)),
  releaseMany: os.releaseMany.handler(({ context, input }) => context.messages.releases.many(input)),
  run: os.run.handler(({ context, input }) => context.messages.releases.run(input.runId)),
}

/** Single messages with their reports, the list, and releases of held messages. */
export function createMessagesFeature(parts: {
  stateDb: Database
  client: ServiceClient
  connection: () => Connection
  answers: AnswersService
  dnc: DncService
  events: EventsService
  tasks: TasksService
  clock: Clock
  log: Log
}) {
  return { service: createMessagesService({ ...parts, liveOrLast: parts.answers.liveOrLast }) }
}

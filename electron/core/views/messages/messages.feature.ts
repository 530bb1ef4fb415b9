import { implement } from '@orpc/server'
import { messagesContract } from '../../../contract/views/messages.ts'
import { createMessagesService, type MessagesService } from './messages.service.ts'

const os = implement(messagesContract).$context<{ messages: MessagesService }>()

export const messagesHandlers = {
  list: os.list.handler(({ context, input }) => context.messages.list(input)),
  get: os.get.handler(({ context, input }) => context.messages.get(input)),
  reportedHere: os.reportedHere.handler(({ context, input }) => ({
    reports: context.messages.reportedHere(input.answers),
  })),
  release: os.release.handler(({ context, input }) => context.messages.releases.one(input)),
  planRelease: os.planRelease.handler(({ context, input }) => context.messages.releases.plan(input)),
  releaseMany: os.releaseMany.handler(({ context, input }) => context.messages.releases.many(input)),
  run: os.run.handler(({ context, input }) => context.messages.releases.run(input.runId)),
}

/** Single messages with their reports, the list, and releases of held messages. */
export function createMessagesFeature(parts: Parameters<typeof createMessagesService>[0]) {
  return { service: createMessagesService(parts) }
}

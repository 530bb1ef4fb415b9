import { implement } from '@orpc/server'
import { messagesContract } from '../../../contract/messages.ts'
import type { MessagesService } from './messages.service.ts'

const os = implement(messagesContract).$context<{ messages: MessagesService }>()

/** Joins the contract of messages to what answers it. */
export const messagesHandlers = {
  list: os.list.handler(({ context, input }) => context.messages.list(input)),
  get: os.get.handler(({ context, input }) => context.messages.get(input)),
  reportedHere: os.reportedHere.handler(({ context, input }) => ({
    reports: context.messages.reportedHere(input.answers),
  })),
  recent: os.recent.handler(({ context }) => ({ lookups: context.messages.recent() })),
  forget: os.forget.handler(({ context, input }) => ({
    forgotten: context.messages.forget(input.id),
  })),
  release: os.release.handler(({ context, input }) => context.messages.releases.one(input)),
  planRelease: os.planRelease.handler(({ context, input }) => context.messages.releases.plan(input.ids)),
  releaseMany: os.releaseMany.handler(({ context, input }) => context.messages.releases.many(input)),
  run: os.run.handler(({ context, input }) => context.messages.releases.run(input.runId)),
}

import { implement } from '@orpc/server'
import { messagesContract } from '../../contract/messages.ts'
import type { CoreContext } from '../context.ts'

const os = implement(messagesContract).$context<CoreContext>()

/** Joins the contract of messages to what answers it. */
export const messagesHandlers = {
  list: os.list.handler(({ context, input }) => context.workspace().messages.list(input)),
  get: os.get.handler(({ context, input }) => context.workspace().messages.get(input)),
  reportedHere: os.reportedHere.handler(({ context, input }) => ({
    reports: context.workspace().messages.reportedHere(input.answers),
  })),
  recent: os.recent.handler(({ context }) => ({ lookups: context.workspace().messages.recent() })),
  forget: os.forget.handler(({ context, input }) => ({
    forgotten: context.workspace().messages.forget(input.id),
  })),
  release: os.release.handler(({ context, input }) => context.workspace().messages.releases.one(input)),
  planRelease: os.planRelease.handler(({ context, input }) =>
    context.workspace().messages.releases.plan(input.ids),
  ),
  releaseMany: os.releaseMany.handler(({ context, input }) =>
    context.workspace().messages.releases.many(input),
  ),
  run: os.run.handler(({ context, input }) => context.workspace().messages.releases.run(input.runId)),
}

import { implement } from '@orpc/server'
import { templatesContract } from '../../contract/templates.ts'
import type { CoreContext } from '../context.ts'

const os = implement(templatesContract).$context<CoreContext>()

/** Joins the contract of templates to what answers it. */
export const templatesHandlers = {
  list: os.list.handler(({ context, input }) => context.workspace().templates.list(input)),
  get: os.get.handler(({ context, input }) => context.workspace().templates.get(input.key)),
  create: os.create.handler(({ context, input }) => context.workspace().templates.create(input)),
  adopt: os.adopt.handler(({ context, input }) => context.workspace().templates.adopt(input)),
  remove: os.remove.handler(({ context, input }) => context.workspace().templates.remove(input)),
  forget: os.forget.handler(({ context, input }) => {
    context.workspace().templates.forget(input.key)
    return {}
  }),
  channels: os.channels.handler(async ({ context }) => ({
    items: await context.workspace().templates.channels(),
  })),
  nameChannel: os.nameChannel.handler(async ({ context, input }) => ({
    items: await context.workspace().templates.nameChannel(input.id, input.label),
  })),
  forgetChannel: os.forgetChannel.handler(async ({ context, input }) => ({
    items: await context.workspace().templates.forgetChannel(input.id),
  })),
  send: os.send.handler(({ context, input }) => context.workspace().sendOne.send(input)),
  sentTo: os.sentTo.handler(({ context, input }) => ({
    items: context.workspace().sendOne.earlier(input),
  })),
  inspectFile: os.inspectFile.handler(({ context, input }) =>
    context.workspace().sends.inspectFile(input.fileId),
  ),
  prepare: os.prepare.handler(({ context, input }) => context.workspace().sends.prepare(input)),
  sends: os.sends.handler(({ context, input }) => context.workspace().sends.list(input.limit, input.cursor)),
  sendOf: os.sendOf.handler(({ context, input }) => context.workspace().sends.get(input.id)),
  recipient: os.recipient.handler(({ context, input }) => context.workspace().sends.recipient(input)),
  queue: os.queue.handler(({ context, input }) => context.workspace().sends.queue(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.workspace().sends.discard(input.id)
    return {}
  }),
  exportResults: os.exportResults.handler(({ context, input }) =>
    context.workspace().sends.exportResults(input),
  ),
}

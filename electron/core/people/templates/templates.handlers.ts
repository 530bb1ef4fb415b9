import { implement } from '@orpc/server'
import { templatesContract } from '../../../contract/templates.ts'
import type { OttSendsService } from './ott-sends.service.ts'
import type { createSendOne } from './send-one.ts'
import type { TemplatesService } from './templates.service.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  sendOne: ReturnType<typeof createSendOne>
  sends: OttSendsService
  templates: TemplatesService
}

const os = implement(templatesContract).$context<Slice>()

/** Joins the contract of templates to what answers it. */
export const templatesHandlers = {
  list: os.list.handler(({ context, input }) => context.templates.list(input)),
  get: os.get.handler(({ context, input }) => context.templates.get(input.key)),
  create: os.create.handler(({ context, input }) => context.templates.create(input)),
  adopt: os.adopt.handler(({ context, input }) => context.templates.adopt(input)),
  remove: os.remove.handler(({ context, input }) => context.templates.remove(input)),
  forget: os.forget.handler(({ context, input }) => {
    context.templates.forget(input.key)
    return {}
  }),
  channels: os.channels.handler(async ({ context }) => ({
    items: await context.templates.channels(),
  })),
  nameChannel: os.nameChannel.handler(async ({ context, input }) => ({
    items: await context.templates.nameChannel(input.id, input.label),
  })),
  forgetChannel: os.forgetChannel.handler(async ({ context, input }) => ({
    items: await context.templates.forgetChannel(input.id),
  })),
  send: os.send.handler(({ context, input }) => context.sendOne.send(input)),
  sentTo: os.sentTo.handler(({ context, input }) => ({
    items: context.sendOne.earlier(input),
  })),
  inspectFile: os.inspectFile.handler(({ context, input }) => context.sends.inspectFile(input.fileId)),
  prepare: os.prepare.handler(({ context, input }) => context.sends.prepare(input)),
  sends: os.sends.handler(({ context, input }) => context.sends.list(input.limit, input.cursor)),
  sendOf: os.sendOf.handler(({ context, input }) => context.sends.get(input.id)),
  recipient: os.recipient.handler(({ context, input }) => context.sends.recipient(input)),
  queue: os.queue.handler(({ context, input }) => context.sends.queue(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.sends.discard(input.id)
    return {}
  }),
  exportResults: os.exportResults.handler(({ context, input }) => context.sends.exportResults(input)),
}

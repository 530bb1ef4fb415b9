import { implement } from '@orpc/server'
import { join } from 'node:path'
import { templatesContract } from '../../../contract/people/templates.ts'
import type { Ports } from '../../ports.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { createOttSendsRepository } from './ott-sends.repository.ts'
import { createOttSendsService } from './ott-sends.service.ts'
import { createPlanFiles } from './plan-files.ts'
import { createSendOne } from './send-one.ts'
import { createSentMessages } from './sent-messages.ts'
import { createTeamSends } from './team-sends.ts'
import { createTemplatesRepository } from './templates.repository.ts'
import { createTemplatesService } from './templates.service.ts'
import type { PeopleParts } from '../parts.ts'

const os = implement(templatesContract).$context<{ templates: TemplatesFeature }>()

export const templatesHandlers = {
  list: os.list.handler(({ context, input }) => context.templates.list(input)),
  get: os.get.handler(({ context, input }) => context.templates.get(input.key)),
  create: os.create.handler(({ context, input }) => context.templates.create(input)),
  adopt: os.adopt.handler(({ context, input }) => context.templates.adopt(input)),
  remove: os.remove.handler(({ context, input }) => context.templates.remove(input)),
  forget: os.forget.handler(({ context, input }) => context.templates.forget(input.key)),
  channels: os.channels.handler(async ({ context }) => ({ items: await context.templates.channels() })),
  nameChannel: os.nameChannel.handler(async ({ context, input }) => ({
    items: await context.templates.nameChannel(input.id, input.label),
  })),
  forgetChannel: os.forgetChannel.handler(async ({ context, input }) => ({
    items: await context.templates.forgetChannel(input.id),
  })),
  send: os.send.handler(({ context, input }) => context.templates.sendOne.send(input)),
  sentTo: os.sentTo.handler(({ context, input }) => ({ items: context.templates.sendOne.earlier(input) })),
  inspectFile: os.inspectFile.handler(({ context, input }) =>
    context.templates.sends.inspectFile(input.fileId),
  ),
  decimals: os.decimals.handler(({ context, input, signal }) =>
    context.templates.sends.decimals(input, signal),
  ),
  prepare: os.prepare.handler(({ context, input }) => context.templates.sends.prepare(input)),
  recount: os.recount.handler(({ context, input }) => context.templates.sends.recount(input)),
  sends: os.sends.handler(({ context, input }) => context.templates.sends.list(input.limit, input.cursor)),
  sendOf: os.sendOf.handler(({ context, input }) => context.templates.sends.get(input.id)),
  recipient: os.recipient.handler(({ context, input }) => context.templates.sends.recipient(input)),
  test: os.test.handler(({ context, input }) => context.templates.sends.test(input)),
  queue: os.queue.handler(({ context, input }) => context.templates.sends.queue(input)),
  discard: os.discard.handler(({ context, input }) => context.templates.sends.discard(input.id)),
  exportResults: os.exportResults.handler(({ context, input }) =>
    context.templates.sends.exportResults(input),
  ),
}

/** Most messages to one number that a conversation shows. */
const shownOfNumber = 100

type TemplatesFeature = ReturnType<typeof createTemplatesFeature>['service']

/** Known templates, and sends with them to one or many recipients. */
export function createTemplatesFeature(
  parts: PeopleParts & {
    dir: string
    outbox: OutboxService
    dnc: DncService
    ports: Pick<Ports, 'openSandbox'>
  },
) {
  const { dnc, ports, contactList } = parts
  const repository = createTemplatesRepository(parts.stateDb)
  const templates = createTemplatesService({ ...parts, repository, openSandbox: () => ports.openSandbox() })
  const teamSends = createTeamSends(parts.stateDb, parts.clock)
  parts.outbox.onDone(({ operation, body }) => {
    if (operation !== 'send-ott') return
    teamSends.sent()
    templates.channelUsed((body as { channelId: string }).channelId)
  })
  const sent = createSentMessages(parts.stateDb, repository, teamSends)
  const sendOne = createSendOne({
    ...parts,
    templates,
    sent,
    dncList: dnc.listState,
    blockedBecause: dnc.blockedBecause,
    isProvenClear: dnc.isProvenClear,
    clearUntilMs: dnc.clearUntilMs,
    nameOf: (contactId) => contactList.rows([contactId])[0]?.name ?? null,
  })
  const sends = createOttSendsService({
    ...parts,
    repository: createOttSendsRepository(parts.stateDb),
    files: createPlanFiles(join(parts.dir, 'sends')),
    store: parts.files,
    templates,
    sent,
    sendOne,
    dncList: dnc.listState,
    blockedVersion: dnc.blockedVersion,
  })
  const service = {
    ...templates,
    sends,
    sendOne,
    teamSends,
    /** Messages to a number in E.164, newest first. */
    sentTo: (phone: string) => sent.to(phone, { limit: shownOfNumber }),
  }
  return { service, start: sends.start }
}

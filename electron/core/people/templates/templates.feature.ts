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
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const templatesHandlers = handlersOf(
  templatesContract,
  ({ templates }: { templates: TemplatesFeature }) => ({
    ...templates,
    ...templates.sends,
    send: templates.sendOne.send,
    sentTo: (input) => ({ items: templates.sendOne.earlier(input) }),
  }),
)

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
    clearance: dnc.clearance,
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
    sentAs: ({ messageId }: { messageId: string }) => ({ message: sent.as(messageId) }),
  }
  return { service, start: sends.start }
}

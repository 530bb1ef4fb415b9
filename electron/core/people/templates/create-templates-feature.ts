import type { SentMessage } from '../../../contract/sent.ts'
import type { Connection } from '../../../contract/connections.ts'
import type { Database } from '../../../database/open.ts'
import type { JobFiles } from '../../../jobs/work/protocol.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { SandboxAccess } from '../../ports.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import { createOttSendsRepository } from './ott-sends.repository.ts'
import { createOttSendsService, type OttSendsService } from './ott-sends.service.ts'
import { createPlanFiles } from './plan-files.ts'
import { createSendOne } from './send-one.ts'
import { createSentMessages } from './sent-messages.ts'
import { createTemplatesRepository } from './templates.repository.ts'
import { createTemplatesService, type TemplatesService } from './templates.service.ts'

/** Messages to one number that a conversation shows. */
const shownOfNumber = 100

/** Templates, and sending by them. */
export interface TemplatesFeature {
  templates: TemplatesService
  sends: OttSendsService
  sendOne: ReturnType<typeof createSendOne>
  /** What was sent to a number in E.164, newest first. */
  sentTo: (phone: string) => SentMessage[]
}

/** Puts the parts together; nothing runs before `sends.start`. */
export function createTemplatesFeature(parts: {
  stateDb: Database
  /** Folder of what dry runs wrote. */
  plansDir: string
  outbox: OutboxService
  tasks: TasksService
  store: FileStore
  jobFiles: JobFiles
  client: ServiceClient
  dnc: DncService
  nameOf: (contactId: number) => string | null
  connection: () => Connection
  openSandbox: () => Promise<SandboxAccess>
  clock: Clock
}): TemplatesFeature {
  const { dnc } = parts
  const repository = createTemplatesRepository(parts.stateDb)
  const templates = createTemplatesService({ ...parts, repository })
  const sent = createSentMessages(parts.stateDb, repository)
  return {
    templates,
    sends: createOttSendsService({
      ...parts,
      repository: createOttSendsRepository(parts.stateDb),
      files: createPlanFiles(parts.plansDir),
      templates,
      standOf: sent.standOf,
      dncList: dnc.listState,
    }),
    sentTo: (phone) => sent.to(phone, { limit: shownOfNumber }),
    sendOne: createSendOne({
      ...parts,
      templates,
      sent,
      dncList: dnc.listState,
      blockedBecause: dnc.blockedBecause,
    }),
  }
}

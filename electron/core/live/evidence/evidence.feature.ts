import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { evidenceContract } from '../../../contract/live/evidence.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import type { Ports } from '../../ports.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import { createEvidenceService, type EvidenceService } from './evidence.service.ts'

const os = implement(evidenceContract).$context<{ about(): { version: string }; evidence: EvidenceService }>()

export const evidenceHandlers = {
  key: os.key.handler(({ context }) => ({ key: context.evidence.key() })),
  export: os.export.handler(({ context, input }) => context.evidence.export(input, context.about().version)),
  verify: os.verify.handler(({ context, input, signal }) => context.evidence.verify(input.fileId, signal!)),
}

/** Signed exports of a period, and their verification. */
export function createEvidenceFeature(parts: {
  journalFile: string
  jobFiles: JobFiles
  connection: () => Connection
  events: EventsFeature
  files: FileStore
  tasks: TasksService
  ports: Pick<Ports, 'secrets'>
  settings: SettingsRepository
  clock: Clock
}) {
  const { events, files, ports } = parts
  return {
    service: createEvidenceService({
      ...parts,
      gaps: events.gaps,
      events: events.projector,
      store: files,
      secrets: ports.secrets,
    }),
  }
}

import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { signedExportsContract } from '../../../contract/live/signed-exports.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import type { Ports } from '../../ports.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import { createSignedExportsService, type SignedExportsService } from './signed-exports.service.ts'

const os = implement(signedExportsContract).$context<{
  about(): { version: string }
  signedExports: SignedExportsService
}>()

export const signedExportsHandlers = {
  key: os.key.handler(({ context }) => ({ key: context.signedExports.key() })),
  export: os.export.handler(({ context, input }) =>
    context.signedExports.export(input, context.about().version),
  ),
  verify: os.verify.handler(({ context, input, signal }) =>
    context.signedExports.verify(input.fileId, signal!),
  ),
}

/** Signed exports of a period, and their verification. */
export function createSignedExportsFeature(parts: {
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
    service: createSignedExportsService({
      ...parts,
      gaps: events.gaps,
      events: events.projector,
      store: files,
      secrets: ports.secrets,
    }),
  }
}

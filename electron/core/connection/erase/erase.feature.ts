import { join } from 'node:path'
import { eraseContract } from '../../../contract/connection/erase.ts'
import type { Database } from '../../../database/open.ts'
import { truncateLog } from '../../../database/truncate-log.ts'
import type { EventsFeature } from '../../live/events/events.feature.ts'
import type { JournalFile } from '../../live/events/journal-reader.ts'
import type { ListenerService } from '../../live/listener/listener.service.ts'
import type { TeamService } from '../../live/team/team.service.ts'
import type { HoldsRepository } from '../../people/dnc/holds.repository.ts'
import type { OutboxService } from '../../people/outbox/outbox.service.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import type { DatabaseDescriptors } from './erase-files.ts'
import { createEraseRepository } from './erase.repository.ts'
import { createEraseService, type EraseService } from './erase.service.ts'
import type { PeopleParts } from '../../people/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const eraseHandlers = handlersOf(eraseContract, ({ erase }: { erase: EraseService }) => erase)

/** Removes one person's data from this computer, with a receipt. */
export function createEraseFeature(
  parts: PeopleParts & {
    dir: string
    databaseDescriptors: DatabaseDescriptors
    consoleDb: Database
    /** Shows the notifications as `console.db` has them now. */
    reloadNotes: () => void
    contacts: { withNumber: (digits: number) => { serviceId: string | null } | null }
    dnc: { eraseHolds: HoldsRepository['erase']; isOnList: (digits: number) => boolean }
    outbox: OutboxService
    templates: {
      sends: { discard: (send: { id: string }) => Promise<void>; interrupt: () => Promise<() => void> }
      teamSends: { erase: (digits: number) => number }
    }
    inbox: { eraseMarks: (sender: string) => void }
    shared: Pick<SharedValues, 'erasePerson' | 'dropFilters'>
    team: Pick<TeamService, 'erased' | 'erasedBy'>
    imports: { isFileNeeded: (fileId: string) => boolean }
    journal: JournalFile
    listener: ListenerService
    events: Pick<EventsFeature, 'projector'>
  },
) {
  const { dir, stateDb, cacheDb, consoleDb, dnc, settings } = parts
  const service = createEraseService({
    ...parts,
    repository: createEraseRepository(stateDb, cacheDb, consoleDb),
    contactOf: parts.contacts.withNumber,
    holds: { erase: dnc.eraseHolds },
    isOnDncList: dnc.isOnList,
    sends: parts.templates.sends,
    eraseShared(digits) {
      parts.inbox.eraseMarks(String(digits))
      return parts.templates.teamSends.erase(digits) + parts.shared.erasePerson(digits)
    },
    dropFilters: parts.shared.dropFilters,
    projector: parts.events.projector,
    filesDir: join(dir, 'files'),
    sendsDir: join(dir, 'sends'),
    isFileNeeded: parts.imports.isFileNeeded,
    truncateLogs: () => [truncateLog(stateDb), truncateLog(cacheDb), settings.truncateLog()].every(Boolean),
  })
  return { service, start: service.resume }
}

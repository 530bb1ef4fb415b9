import type * as z from 'zod'
import type { Connection } from '../../contract/connections.ts'
import { AppError } from '../../contract/errors.ts'
import type { aboutSchema, DiagnosticFact } from '../../contract/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RestoreService } from './backup/restore.service.ts'
import type { ConnectionsService } from './connections.service.ts'
import type { DesktopService } from './desktop/desktop.service.ts'
import type { AlertWebhookService } from '../platform/notifications/alert-webhook.ts'
import type { NotificationsService } from '../platform/notifications/notifications.service.ts'
import type { FieldNames } from '../service/field-names/field-names.ts'
import type { SettingsService } from '../platform/settings/settings.service.ts'
import type { StatusService } from './status/status.service.ts'
import type { Workspace } from './open-connection.ts'

/** Services that need no open connection. */
interface ConsoleServices {
  clock: Clock
  connections: ConnectionsService
  restore: RestoreService
  settings: SettingsService
  fieldNames: FieldNames
  status: StatusService
  notifications: NotificationsService
  alertWebhook: AlertWebhookService
  desktop: DesktopService
  about(): z.infer<typeof aboutSchema>
  diagnostics(): Promise<DiagnosticFact[]>
}

const ofConnection = [
  'analytics',
  'backup',
  'campaigns',
  'checks',
  'client',
  'contacts',
  'dnc',
  'erase',
  'errorCodes',
  'events',
  'evidence',
  'exportContacts',
  'exportEvents',
  'failureGroups',
  'files',
  'handOffHolds',
  'imports',
  'inbox',
  'listener',
  'liveOrLast',
  'localAnalytics',
  'messages',
  'moveListener',
  'outbox',
  'probe',
  'recovery',

  'retention',
  'savedFilters',
  'scheduled',
  'sendOne',
  'sends',
  'tasks',
  'templates',
  'webhooks',
] as const satisfies (keyof Workspace)[]

/** Every service that handlers use. Each handler file declares the slice it needs. */
export type CoreContext = ConsoleServices &
  Pick<Workspace, (typeof ofConnection)[number]> & { connection: Connection }

/**
 * The context of all calls. The open connection's services are getters, read when a handler runs: they throw NO_CONNECTION while no
 * connection is open.
 */
export function createContext(fixed: ConsoleServices, active: () => Workspace | null): CoreContext {
  const open = () => {
    const workspace = active()
    if (!workspace) throw new AppError('NO_CONNECTION')
    return workspace
  }
  const getters = ofConnection.map((name) => [name, { get: () => open()[name], enumerable: true }] as const)
  return Object.defineProperties(
    { ...fixed },
    { ...Object.fromEntries(getters), connection: { get: () => open().connection(), enumerable: true } },
  ) as CoreContext
}

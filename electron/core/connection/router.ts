import { implement } from '@orpc/server'
import type * as z from 'zod'
import type { Connection } from '../../contract/connection/connections.ts'
import { contract } from '../../contract/contract.ts'
import { AppError } from '../../contract/errors.ts'
import type { aboutSchema, DiagnosticFact } from '../../contract/platform/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AlertWebhookService } from '../platform/notifications/alert-webhook.ts'
import { notificationsHandlers } from '../platform/notifications/notifications.handlers.ts'
import type { NotificationsService } from '../platform/notifications/notifications.service.ts'
import type { SettingsService } from '../platform/settings/settings.service.ts'
import type { FieldNameStore } from '../service/field-names/field-name-store.ts'
import type { RestoreService } from './backup/restore.service.ts'
import type { createConnectionActivity } from './connection-activity.ts'
import { connectionsHandlers } from './connections.handlers.ts'
import type { ConnectionsService } from './connections.service.ts'
import { desktopHandlers } from './desktop/desktop.handlers.ts'
import type { DesktopService } from './desktop/desktop.service.ts'
import { type Features, features } from './features.ts'
import type { OpenConnection } from './open-connection.ts'
import type { OpenConnections } from './open-connections.ts'
import { settingsHandlers } from './settings.handlers.ts'
import { statusHandlers } from './status/status.handlers.ts'
import type { Notices, StatusService } from './status/status.service.ts'

/** Services of the app itself, which need no open connection. */
interface AppServices {
  clock: Clock
  connections: ConnectionsService
  activity: ReturnType<typeof createConnectionActivity>
  restore: RestoreService
  settings: SettingsService
  fieldNameStore: FieldNameStore
  status: StatusService
  notices: Notices
  notifications: NotificationsService
  alertWebhook: AlertWebhookService
  desktop: DesktopService
  about(): z.infer<typeof aboutSchema>
  diagnostics(connectionId?: string): Promise<DiagnosticFact[]>
}

export type CoreContext = AppServices &
  Features & {
    connection: Connection
    /** Aborts when the connection stops. */
    ended: AbortSignal
    connectionId?: string
  }

/** What ends a stream besides its page: the stop of its connection. The app’s own streams go on, and a restore makes its connection. */
export function streamEnd(path: readonly string[], context: object): AbortSignal | null {
  const isOfFeature = (features.names as readonly string[]).includes(path[0] ?? '')
  return isOfFeature && path.join('.') !== 'backups.restore' ? (context as CoreContext).ended : null
}

/** Every procedure of the contract with its handler. A missing handler, or one whose services the context lacks, does not compile. */
export const router = implement(contract)
  .$context<CoreContext>()
  .router({
    ...features.handlers,
    connections: connectionsHandlers,
    desktop: desktopHandlers,
    notifications: notificationsHandlers,
    settings: settingsHandlers,
    status: statusHandlers,
  })

/**
 * The context of all calls. The features are getters, read when a handler runs: of the connection that the call names, else of the one
 * in front. They throw NO_CONNECTION when that is not open.
 */
export function createContext(
  app: AppServices,
  { find, front }: Pick<OpenConnections, 'find' | 'front'>,
): CoreContext {
  type Call = Pick<CoreContext, 'connectionId'>
  const openOf = ({ connectionId }: Call) => {
    const open = connectionId === undefined ? front() : find(connectionId)
    if (!open) throw new AppError('NO_CONNECTION')
    return open
  }
  const getter = (read: (open: OpenConnection) => unknown): PropertyDescriptor & ThisType<Call> => ({
    get(this: Call) {
      return read(openOf(this))
    },
    enumerable: true,
  })
  return Object.defineProperties({ ...app } as CoreContext, {
    ...Object.fromEntries(features.names.map((name) => [name, getter((open) => open.features[name])])),
    connection: getter((open) => open.connection()),
    ended: getter((open) => open.ended),
  })
}

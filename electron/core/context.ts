import type * as z from 'zod'
import type { aboutSchema, DiagnosticFact } from '../contract/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { RestoreService } from './backup/restore.service.ts'
import type { ConnectionsService } from './connections/connections.service.ts'
import type { DesktopService } from './desktop/desktop.service.ts'
import type { EventsService } from './events/events.service.ts'
import type { AlertWebhookService } from './notifications/alert-webhook.ts'
import type { NotificationsService } from './notifications/notifications.service.ts'
import type { FieldNames } from './service/field-names/field-names.ts'
import type { SettingsService } from './settings/settings.service.ts'
import type { StatusService } from './status/status.service.ts'
import type { Workspace } from './workspace/workspace.ts'

/** What every handler gets. */
export interface CoreContext {
  clock: Clock
  connections: ConnectionsService
  restore: RestoreService
  settings: SettingsService
  fieldNames: FieldNames
  status: StatusService
  notifications: NotificationsService
  alertWebhook: AlertWebhookService
  desktop: DesktopService
  /** The active connection's parts. Throws NO_CONNECTION when none is open. */
  workspace(): Workspace
  /** The active connection's events. Throws NO_CONNECTION when none is open. */
  events(): EventsService
  about(): z.infer<typeof aboutSchema>
  diagnostics(): Promise<DiagnosticFact[]>
}

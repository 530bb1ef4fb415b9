import type { Said } from '../../contract/phrases.ts'
import type { AppError } from '../../contract/errors.ts'
import type { Notice } from '../../contract/connection/status.ts'
import type { Database } from '../../database/open.ts'
import type { Log } from '../../lib/log.ts'
import { createEventsFeature, eventsHandlers } from '../live/events/events.feature.ts'
import type { JournalFile } from '../live/events/journal-reader.ts'
import { createOptOutsFeature } from '../live/events/opt-outs.feature.ts'
import {
  createSignedExportsFeature,
  signedExportsHandlers,
} from '../live/signed-exports/signed-exports.feature.ts'
import { createInboxFeature, inboxHandlers } from '../live/inbox/inbox.feature.ts'
import { createListenerFeature, listenerHandlers } from '../live/listener/listener.feature.ts'
import type { ListenerPlace } from '../live/listener/listener-settings.ts'
import type { ListenerThreads } from '../live/listener/listener-thread-client.ts'
import { createRecoveryFeature, recoveryHandlers } from '../live/recovery/recovery.feature.ts'
import { createRetentionFeature, retentionHandlers } from '../live/retention/retention.feature.ts'
import { createWebhooksFeature, webhooksHandlers } from '../live/webhooks/webhooks.feature.ts'
import { contactsHandlers, createContactsFeature } from '../people/contacts/contacts.feature.ts'
import { createDncFeature, dncHandlers } from '../people/dnc/dnc.feature.ts'
import { createImportsFeature, importsHandlers } from '../people/imports/imports.feature.ts'
import { createOutboxFeature, outboxHandlers } from '../people/outbox/outbox.feature.ts'
import { createSheetsFeature, sheetsHandlers } from '../people/sheets/sheets.feature.ts'
import { createSharedFeature } from '../people/team/shared.feature.ts'
import { createTeamFeature, teamHandlers } from '../live/team/team.feature.ts'
import { createTemplatesFeature, templatesHandlers } from '../people/templates/templates.feature.ts'
import { createAnswersFeature } from '../platform/answers/answers.feature.ts'
import { createFileTasksFeature } from '../platform/file-tasks/file-tasks.ts'
import { createFilesFeature, filesHandlers } from '../platform/files/files.feature.ts'
import { createTasksFeature, tasksHandlers } from '../platform/tasks/tasks.feature.ts'
import type { Ports } from '../ports.ts'
import { createFieldNamesFeature } from '../service/field-names/field-names.feature.ts'
import type { FieldNameStore } from '../service/field-names/field-name-store.ts'
import { analyticsHandlers, createAnalyticsFeature } from '../views/analytics/analytics.feature.ts'
import { campaignsHandlers, createCampaignsFeature } from '../views/campaigns/campaigns.feature.ts'
import { createErrorCodesFeature, errorCodesHandlers } from '../views/error-codes/error-codes.feature.ts'
import { createMessagesFeature, messagesHandlers } from '../views/messages/messages.feature.ts'
import { createOverviewFeature, overviewHandlers } from '../views/overview/overview.feature.ts'
import { createSendReportsFeature, sendReportsHandlers } from '../views/send-reports/send-reports.feature.ts'
import { createScheduledFeature, scheduledHandlers } from '../views/scheduled/scheduled.feature.ts'
import { createAlarmsFeature } from './alarms/alarms.feature.ts'
import { backupsHandlers, createBackupsFeature } from './backup/backups.feature.ts'
import type { DatabaseDescriptors } from './erase/erase-files.ts'
import { createEraseFeature, eraseHandlers } from './erase/erase.feature.ts'
import { featuresOver } from './feature-list.ts'
import { createNumberCountryFeature } from './numbers/number-country.feature.ts'
import type { OperatorNotes } from './operator-notes.ts'
import type { PeopleParts } from '../people/parts.ts'

/** What the core gives to each open connection and its features. */
export interface CoreParts extends Pick<PeopleParts, 'clock' | 'language' | 'notify' | 'settings'> {
  /** The profile's database, which all connections share. */
  consoleDb: Database
  reloadNotes: () => void
  fieldNameStore: FieldNameStore
  ports: Ports
  /** Webhook secrets given at startup. They are never saved. */
  startSecrets: { label: string; value: string }[]
  keepSecret: (account: string, value: string) => Promise<unknown>
  forgetSecret: (account: string) => Promise<unknown>
  /** Address and port of all listeners, and the thread they run in. */
  listenerPlace: ListenerPlace
  listenerThreads: ListenerThreads
  /** Port of the host's own page, if it has one. */
  pagePort: number | undefined
  notice: (id: string, error: AppError, severity?: Notice['severity']) => void
  clearNotice: (id: string) => void
  /** Something that the status shows has changed. */
  onChange: () => void
  logOf: (scope: string) => Log
}

/** What every feature of an open connection can ask for, beside the features listed before it and its own log. */
export interface ConnectionBase
  extends CoreParts, Omit<PeopleParts, 'log' | 'files' | 'tasks' | 'fileTasks'> {
  /** The connection's folder. */
  dir: string
  databaseDescriptors: DatabaseDescriptors
  journal: JournalFile
  journalFile: string
  /** Whether deliveries may be taken: not for a restored connection before its first sign-in. */
  mayListen: () => boolean
  notes: OperatorNotes
  /** Why the sign-in can't be read. */
  signInProblem: () => AppError | null
  noticeDamage: (file: string, asideFile: string | null, lost: Said) => void
  noticeDamageInUse: (file: string, problems: string[]) => void
}

/**
 * Every feature of an open connection. To add one, add its line below what it needs; its handlers answer the contract of the same name.
 * A feature that runs also needs its place in `startOrder` and `stopOrder`.
 */
export const features = featuresOver<ConnectionBase>()
  .add('files', createFilesFeature, filesHandlers)
  .add('tasks', createTasksFeature, tasksHandlers)
  .add('fileTasks', createFileTasksFeature)
  .add('answers', createAnswersFeature)

  .add('detection', createFieldNamesFeature)

  .add('shared', createSharedFeature)
  .add('sheets', createSheetsFeature, sheetsHandlers)
  .add('dnc', createDncFeature, dncHandlers)
  .add('outbox', createOutboxFeature, outboxHandlers)
  .add('imports', createImportsFeature, importsHandlers)
  .add('contacts', createContactsFeature, contactsHandlers)
  .add('templates', createTemplatesFeature, templatesHandlers)

  .add('events', createEventsFeature, eventsHandlers)
  .add('optOuts', createOptOutsFeature)
  .add('listener', createListenerFeature, listenerHandlers)
  .add('inbox', createInboxFeature, inboxHandlers)
  .add('team', createTeamFeature, teamHandlers)
  .add('numberCountry', createNumberCountryFeature)
  .add('webhooks', createWebhooksFeature, webhooksHandlers)
  .add('retention', createRetentionFeature, retentionHandlers)
  .add('recovery', createRecoveryFeature, recoveryHandlers)
  .add('signedExports', createSignedExportsFeature, signedExportsHandlers)

  .add('overview', createOverviewFeature, overviewHandlers)
  .add('campaigns', createCampaignsFeature, campaignsHandlers)
  .add('messages', createMessagesFeature, messagesHandlers)
  .add('scheduled', createScheduledFeature, scheduledHandlers)
  .add('sendReports', createSendReportsFeature, sendReportsHandlers)
  .add('analytics', createAnalyticsFeature, analyticsHandlers)
  .add('errorCodes', createErrorCodesFeature, errorCodesHandlers)

  .add('alarms', createAlarmsFeature)
  .add('backups', createBackupsFeature, backupsHandlers)
  .add('erase', createEraseFeature, eraseHandlers)

/** The services of an open connection, by feature. */
export type Features = ReturnType<typeof features.open>['services']

type Name = keyof Features & string

/** Opt-outs come before the outbox, which must not send to those numbers. The listener creates the journal that events read. */
export const startOrder = [
  ...(['dnc', 'optOuts', 'templates', 'contacts', 'imports', 'outbox'] as const),
  ...([
    'campaigns',
    'webhooks',
    'listener',
    'team',
    'events',
    'inbox',
    'numberCountry',
    'retention',
    'erase',
    'errorCodes',
    'alarms',
  ] as const),
] satisfies Name[]

/**
 * Views and people stop first. Then the client closes, so that their requests end as signed out, and they settle. The listener stops
 * late, because deliveries are still taken while an import ends.
 */
export const stopOrder = [
  ...([
    'alarms.stop',
    'errorCodes.stop',
    'numberCountry.stop',
    'campaigns.stop',
    'team.stop',
    'optOuts.stop',
    'tasks.stop',
    'outbox.stop',
    'webhooks.stop',
  ] as const),
  'client.close',
  ...(['campaigns.close', 'outbox.close', 'contactStore.close'] as const),
  ...(['retention.stop', 'inbox.stop', 'events.stop', 'listener.stop'] as const),
] satisfies (`${Name}.${'stop' | 'close'}` | 'client.close' | 'contactStore.close')[]

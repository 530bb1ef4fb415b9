import { implement } from '@orpc/server'
import { contract } from '../../contract/contract.ts'
import { analyticsHandlers } from '../views/analytics/analytics.handlers.ts'
import { backupsHandlers } from './backup/backups.handlers.ts'
import { campaignsHandlers } from '../views/campaigns/campaigns.handlers.ts'
import { connectionsHandlers } from './connections.handlers.ts'
import { contactsHandlers } from '../people/contacts/contacts.handlers.ts'
import { inboxHandlers } from '../live/inbox/inbox.handlers.ts'
import { messagesHandlers } from '../views/messages/messages.handlers.ts'
import { evidenceHandlers } from '../live/evidence/evidence.handlers.ts'
import { retentionHandlers } from '../live/retention/retention.handlers.ts'
import { recoveryHandlers } from '../live/recovery/recovery.handlers.ts'
import { scheduledHandlers } from '../views/scheduled/scheduled.handlers.ts'
import { templatesHandlers } from '../people/templates/templates.handlers.ts'
import type { CoreContext } from './context.ts'
import { desktopHandlers } from './desktop/desktop.handlers.ts'
import { dncHandlers } from '../people/dnc/dnc.handlers.ts'
import { eraseHandlers } from './erase/erase.handlers.ts'
import { errorCodesHandlers } from '../views/error-codes/error-codes.handlers.ts'
import { eventsHandlers } from '../live/events/events.handlers.ts'
import { filesHandlers } from '../platform/files/files.handlers.ts'
import { importsHandlers } from '../people/imports/imports.handlers.ts'
import { listenerHandlers } from '../live/listener/listener.handlers.ts'
import { notificationsHandlers } from '../platform/notifications/notifications.handlers.ts'
import { outboxHandlers } from '../people/outbox/outbox.handlers.ts'
import { overviewHandlers } from '../views/overview/overview.handlers.ts'
import { fieldNamesHandlers } from '../service/field-names/field-names.handlers.ts'
import { settingsHandlers } from '../platform/settings/settings.handlers.ts'
import { aboutHandlers, statusHandlers } from './status/status.handlers.ts'
import { tasksHandlers } from '../platform/tasks/tasks.handlers.ts'
import { webhooksHandlers } from '../live/webhooks/webhooks.handlers.ts'

/** Every procedure of the contract with its handler; leaving one out does not compile. */
export const router = implement(contract)
  .$context<CoreContext>()
  .router({
    analytics: analyticsHandlers,
    backups: backupsHandlers,
    campaigns: campaignsHandlers,
    connections: connectionsHandlers,
    contacts: contactsHandlers,
    desktop: desktopHandlers,
    dnc: dncHandlers,
    erase: eraseHandlers,
    errorCodes: errorCodesHandlers,
    events: eventsHandlers,
    evidence: evidenceHandlers,
    files: filesHandlers,
    imports: importsHandlers,
    inbox: inboxHandlers,
    listener: listenerHandlers,
    messages: messagesHandlers,
    notifications: notificationsHandlers,
    outbox: outboxHandlers,
    overview: overviewHandlers,
    retention: retentionHandlers,
    recovery: recoveryHandlers,
    scheduled: scheduledHandlers,
    settings: { ...settingsHandlers, ...fieldNamesHandlers, ...aboutHandlers },
    status: statusHandlers,
    tasks: tasksHandlers,
    templates: templatesHandlers,
    webhooks: webhooksHandlers,
  })

import { analyticsContract } from './analytics.ts'
import { backupsContract } from './backups.ts'
import { campaignsContract } from './campaigns.ts'
import { connectionsContract } from './connections.ts'
import { contactsContract } from './contacts.ts'
import { desktopContract } from './desktop.ts'
import { dncContract } from './dnc.ts'
import { eraseContract } from './erase.ts'
import { errorCodesContract } from './error-codes.ts'
import { eventsContract } from './events.ts'
import { filesContract } from './files.ts'
import { importsContract } from './imports.ts'
import { inboxContract } from './inbox.ts'
import { listenerContract } from './listener.ts'
import { messagesContract } from './messages.ts'
import { notificationsContract } from './notifications.ts'
import { outboxContract } from './outbox.ts'
import { overviewContract } from './overview.ts'
import { evidenceContract } from './evidence.ts'
import { retentionContract } from './retention.ts'
import { recoveryContract } from './recovery.ts'
import { scheduledContract } from './scheduled.ts'
import { settingsContract } from './settings.ts'
import { statusContract } from './status.ts'
import { tasksContract } from './tasks.ts'
import { templatesContract } from './templates.ts'
import { webhooksContract } from './webhooks.ts'

/** All calls of the renderer, by feature. */
export const contract = {
  analytics: analyticsContract,
  backups: backupsContract,
  campaigns: campaignsContract,
  connections: connectionsContract,
  contacts: contactsContract,
  desktop: desktopContract,
  dnc: dncContract,
  erase: eraseContract,
  errorCodes: errorCodesContract,
  events: eventsContract,
  files: filesContract,
  imports: importsContract,
  inbox: inboxContract,
  listener: listenerContract,
  messages: messagesContract,
  notifications: notificationsContract,
  outbox: outboxContract,
  overview: overviewContract,
  evidence: evidenceContract,
  retention: retentionContract,
  recovery: recoveryContract,
  scheduled: scheduledContract,
  settings: settingsContract,
  status: statusContract,
  tasks: tasksContract,
  templates: templatesContract,
  webhooks: webhooksContract,
}
export type Contract = typeof contract

import { analyticsContract } from './views/analytics.ts'
import { backupsContract } from './connection/backups.ts'
import { campaignsContract } from './views/campaigns.ts'
import { connectionsContract } from './connection/connections.ts'
import { contactsContract } from './people/contacts.ts'
import { desktopContract } from './connection/desktop.ts'
import { dncContract } from './people/dnc.ts'
import { eraseContract } from './connection/erase.ts'
import { errorCodesContract } from './views/error-codes.ts'
import { eventsContract } from './live/events.ts'
import { filesContract } from './platform/files.ts'
import { importsContract } from './people/imports.ts'
import { inboxContract } from './live/inbox.ts'
import { listenerContract } from './live/listener.ts'
import { messagesContract } from './views/messages.ts'
import { notificationsContract } from './platform/notifications.ts'
import { outboxContract } from './people/outbox.ts'
import { overviewContract } from './views/overview.ts'
import { sendReportsContract } from './views/send-reports.ts'
import { signedExportsContract } from './live/signed-exports.ts'
import { retentionContract } from './live/retention.ts'
import { recoveryContract } from './live/recovery.ts'
import { scheduledContract } from './views/scheduled.ts'
import { settingsContract } from './platform/settings.ts'
import { sheetsContract } from './people/sheets.ts'
import { statusContract } from './connection/status.ts'
import { tasksContract } from './platform/tasks.ts'
import { teamContract } from './live/team.ts'
import { templatesContract } from './people/templates.ts'
import { webhooksContract } from './live/webhooks.ts'

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
  signedExports: signedExportsContract,
  retention: retentionContract,
  recovery: recoveryContract,
  scheduled: scheduledContract,
  sendReports: sendReportsContract,
  settings: settingsContract,
  sheets: sheetsContract,
  status: statusContract,
  tasks: tasksContract,
  team: teamContract,
  templates: templatesContract,
  webhooks: webhooksContract,
}
export type Contract = typeof contract

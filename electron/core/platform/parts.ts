import type { Connection } from '../../contract/connection/connections.ts'
import type { Language } from '../../contract/texts.ts'
import type { Database } from '../../database/open.ts'
import type { JobFiles } from '../../jobs/run/job-control.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { FileTasks } from './file-tasks/file-tasks.ts'
import type { FileStore } from './files/file-store.ts'
import type { Notify } from './notifications/notifications.service.ts'
import type { SettingsRepository } from './settings/settings.repository.ts'
import type { TasksService } from './tasks/tasks.service.ts'

/** What services and features are made from, by the one name that each has everywhere. They pick what they need. */
export interface PlatformParts {
  clock: Clock
  /** With the name of its feature. */
  log: Log
  settings: SettingsRepository
  /** Language of column titles in exports. */
  language: () => Language
  /** The open connection as it is now. */
  connection: () => Connection
  stateDb: Database
  cacheDb: Database
  /** The databases that job threads read. */
  jobFiles: JobFiles
  files: FileStore
  fileTasks: FileTasks
  tasks: TasksService
  /** Names the connection. */
  notify: Notify
}

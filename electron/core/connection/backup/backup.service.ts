import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Connection } from '../../../contract/connection/connections.ts'
import { AppError } from '../../../contract/errors.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime, utcDay } from '../../../lib/iso-time.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { backedUpSettings, settingKey } from '../../platform/settings/connection-settings.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import { runTaskJob } from '../../platform/tasks/job-runner.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'

export type BackupService = ReturnType<typeof createBackupService>

/** Backs up one open connection as a task. */
export function createBackupService(parts: {
  dir: string
  connection: () => Connection
  settings: SettingsRepository
  tasks: TasksService
  files: FileStore
  jobFiles: JobFiles
  clock: Clock
}) {
  const { dir, connection, settings, tasks, files: store, jobFiles, clock } = parts
  const workDir = join(dir, 'backup')
  // A killed backup may have left files.
  rmSync(workDir, { recursive: true, force: true })

  /** Without the names of signing secrets, which stay in the keychain. */
  function settingsOf(id: string): Record<string, unknown> {
    const found = backedUpSettings.map(
      (name) => [name, settings.get(settingKey(id, name), z.unknown())] as const,
    )
    const kept = Object.fromEntries(found.filter(([, value]) => value !== undefined))
    const { listener } = kept
    return listener ? { ...kept, listener: { ...listener, secrets: [] } } : kept
  }

  tasks.define<{ fileId: string; version: string }>('backup', {
    unit: 'bytes',
    canPause: false,
    resumable: false,
    async run(context) {
      const { fileId, version } = context.payload
      const { id, kind: _, lastUsedAt: __, ...about } = connection()
      const { sizeBytes } = await runTaskJob(
        {
          ...jobFiles,
          job: 'backup',
          target: store.path(fileId),
          dir,
          workDir,
          about: {
            switchboard: version,
            createdAt: isoTime(clock.now()),
            connection: about,
            settings: settingsOf(id),
          },
        },
        context,
      )
      store.finish(fileId)
      context.report({ done: sizeBytes, total: sizeBytes })
    },
  })

  return {
    start(version: string): { taskId: string } {
      const { name, kind } = connection()
      if (kind === 'sandbox')
        throw new AppError('UNSUPPORTED', { capability: { key: 'ability.backUpSandbox' } })
      const day = utcDay(clock.now())
      const { fileId } = store.create(`${name} ${day}.switchboard-backup`)
      return {
        taskId: tasks.start('backup', { subject: name, payload: { fileId, version }, refId: fileId }).id,
      }
    },
  }
}

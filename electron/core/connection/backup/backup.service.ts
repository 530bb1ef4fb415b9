import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../../contract/errors.ts'
import { isoTime, utcDay } from '../../../lib/iso-time.ts'
import { backedUpSettings, settingKey } from '../../platform/settings/connection-settings.ts'
import { runTaskJob } from '../../platform/tasks/job-runner.ts'
import type { PlatformParts } from '../../platform/parts.ts'

export type BackupService = ReturnType<typeof createBackupService>

/** Backs up one open connection as a task. */
export function createBackupService(
  parts: Pick<PlatformParts, 'connection' | 'settings' | 'tasks' | 'files' | 'jobFiles' | 'clock'> & {
    dir: string
  },
) {
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

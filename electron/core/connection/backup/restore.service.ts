import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  connectionColours,
  connectionNameSchema,
  type Connection,
  waitingRequestsSchema,
  webAddressSchema,
} from '../../../contract/connection/connections.ts'
import { AppError } from '../../../contract/errors.ts'
import { restoringMark } from '../../../jobs/backup/backup-format.ts'
import type { JobResults } from '../../../jobs/thread/jobs.ts'
import { createFileStore } from '../../platform/files/file-store.ts'
import { fileCalls } from '../../platform/files/files.feature.ts'
import { restoredListener } from '../../live/listener/listener-settings.ts'
import { parseBaseUrl } from '../../service/client/base-url.ts'
import { backedUpSettings, settingKey, settingKeysOf } from '../../platform/settings/connection-settings.ts'
import { type ReadingStep, readInSteps } from '../../platform/tasks/job-runner.ts'
import { connectionDir } from '../connection-files.ts'
import type { RestoredState } from './restored-state.ts'
import type { PlatformParts } from '../../platform/parts.ts'

const stagingPrefix = '.restoring-'

type Restored = { kind: 'restored'; connection: Connection; createdAt: string }

/** BACKUP_UNKNOWN unless it could be one of a connection. */
function baseUrlOf(text: string): string {
  try {
    return parseBaseUrl(text, [new URL(text).hostname]).url
  } catch (error) {
    throw new AppError('BACKUP_UNKNOWN', {}, { cause: error })
  }
}

export type RestoreService = ReturnType<typeof createRestoreService>

/** Makes connections from backups. The next start removes a restore that was killed. */
export function createRestoreService(
  parts: Pick<PlatformParts, 'settings' | 'clock' | 'log'> & {
    dataDir: string
    restored: RestoredState
    isSaved: (connectionId: string) => boolean
    /** Saves the connection under a free name. */
    save: (connection: Omit<Connection, 'lastUsedAt'>) => Promise<Connection>
  },
) {
  const { dataDir, settings, log, clock } = parts
  const folder = join(dataDir, 'connections')
  const store = createFileStore(join(dataDir, 'incoming'), clock)
  store.sweep(() => false)

  /** Removes unfinished restores: partly unpacked folders, and complete ones whose connection was not saved. */
  function sweep(): void {
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder)) {
      const dir = join(folder, name)
      const mark = join(dir, restoringMark)
      if (name.startsWith(stagingPrefix) || (existsSync(mark) && !parts.isSaved(name))) {
        log.warn('Removed an unfinished restore', { folder: name })
        rmSync(dir, { recursive: true, force: true })
      } else rmSync(mark, { force: true })
    }
  }
  sweep()

  async function keep(manifest: JobResults['restore'], id: string, staging: string): Promise<Connection> {
    const { connection, createdAt } = manifest
    const name = connectionNameSchema.safeParse(connection.name)
    if (!name.success) throw new AppError('BACKUP_UNKNOWN')
    const waiting = waitingRequestsSchema.safeParse(manifest.waiting)
    if (!waiting.success) throw new AppError('BACKUP_DAMAGED', { file: 'state.db' })
    const draft = {
      ...connection,
      name: name.data,
      country: connection.country,
      dashboardUrl: webAddressSchema.safeParse(connection.dashboardUrl).data ?? null,
      id,
      kind: 'service' as const,
      colour: connectionColours.find((colour) => colour === connection.colour) ?? connectionColours[0],
      baseUrl: baseUrlOf(connection.baseUrl),
      // A consent of the operator of this computer, who types the host when signing in.
      allowPlainHttp: false,
    }
    const dir = connectionDir(dataDir, id)
    renameSync(staging, dir)
    for (const name of backedUpSettings) {
      const value = manifest.settings[name]
      if (value !== undefined) settings.put(settingKey(id, name), value)
    }
    restoredListener(settings, draft)
    parts.restored.begin(id, { createdAt, waiting: waiting.data })
    const saved = await parts.save(draft)
    rmSync(join(dir, restoringMark), { force: true })
    return saved
  }

  return {
    ...fileCalls(store),
    async *restore(
      { fileId }: { fileId: string },
      signal: AbortSignal,
    ): AsyncGenerator<ReadingStep | Restored> {
      const { path: file } = store.complete(fileId)
      const id = randomUUID()
      const staging = join(folder, `${stagingPrefix}${id}`)
      mkdirSync(staging, { recursive: true, mode: 0o700 })
      try {
        const manifest = yield* readInSteps({ job: 'restore', file, dir: staging }, signal)
        if (manifest === null) return
        const connection = await keep(manifest, id, staging)
        yield { kind: 'restored', connection, createdAt: manifest.createdAt }
      } finally {
        rmSync(staging, { recursive: true, force: true })
        if (!parts.isSaved(id)) settings.removeAll(settingKeysOf(id))
        store.discard(fileId)
      }
    },
  }
}

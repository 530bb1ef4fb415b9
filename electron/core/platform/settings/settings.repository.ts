import type * as z from 'zod'
import type { Database } from '../../../database/open.ts'
import { truncateLog } from '../../../database/truncate-log.ts'
import type { Clock } from '../../../lib/clock.ts'

export type SettingsRepository = ReturnType<typeof createSettingsRepository>

/** Settings by key in `console.db`, as JSON. Values that don't match their schema read as absent. */
export function createSettingsRepository(db: Database, clock: Clock) {
  const select = db.prepare('SELECT value_json AS valueJson FROM settings WHERE key = ?')
  const upsert = db.prepare(
    'INSERT INTO settings (key, value_json, updated_ms) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value_json = excluded.value_json, updated_ms = excluded.updated_ms',
  )
  const keys = db.prepare('SELECT key FROM settings')
  const remove = db.prepare('DELETE FROM settings WHERE key = ?')
  const removeAll = db.prepare('DELETE FROM settings WHERE substr(key, 1, length(@prefix)) = @prefix')
  return {
    get<T extends z.ZodType>(key: string, schema: T): z.infer<T> | undefined {
      const row = select.get(key) as { valueJson: string } | undefined
      if (!row) return undefined
      const parsed = schema.safeParse(JSON.parse(row.valueJson))
      return parsed.success ? parsed.data : undefined
    },
    put: (key: string, value: unknown) => void upsert.run(key, JSON.stringify(value), clock.now()),
    keys: () => keys.pluck().all() as string[],
    remove: (key: string) => void remove.run(key),
    removeAll: (prefix: string) => void removeAll.run({ prefix }),
    /** Empties the database's log; false while a reader blocks it. */
    truncateLog: () => truncateLog(db),
  }
}

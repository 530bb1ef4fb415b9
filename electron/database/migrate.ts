import type { Database } from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'

/** One step of a schema. It runs in a transaction of its own, together with the rise of `user_version`. */
export interface Migration {
  /** 1 for the first, then rising by one without gaps. */
  id: number
  /** The file's name without number and extension. */
  name: string
  /** Changes schema and rows. Must not begin or end a transaction. */
  up(db: Database): void
}

/** The schema version of an open database: the id of the last migration it has seen, 0 for an empty file. */
export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

/** The newest version that `migrations` lead to. Throws when their ids do not rise by one from 1. */
export function newestVersion(migrations: readonly Migration[]): number {
  migrations.forEach((migration, index) => {
    if (migration.id !== index + 1)
      throw new Error(`Migration ${migration.id} (${migration.name}) stands at place ${index + 1}`)
  })
  return migrations.length
}

/**
 * Brings `db` from the version it has to `target` (default: the newest).
 * Each migration and its `user_version` commit together or not at all, and a migration that leaves a row without
 * its parent row is rolled back. A database from the future is refused with `STORAGE_FROM_FUTURE`.
 *
 * @returns the versions before and after.
 */
export function migrate(
  db: Database,
  migrations: readonly Migration[],
  target = newestVersion(migrations),
): { from: number; to: number } {
  const from = schemaVersion(db)
  const known = newestVersion(migrations)
  if (from > known) throw new AppError('STORAGE_FROM_FUTURE', { file: db.name, found: from, known })
  const pending = migrations.filter((migration) => migration.id > from && migration.id <= target)
  if (pending.length === 0) return { from, to: from }

  // A table that is rebuilt is dropped for a moment; enforcement cannot be switched inside a transaction.
  const enforced = db.pragma('foreign_keys', { simple: true }) as number
  db.pragma('foreign_keys = OFF')
  try {
    for (const migration of pending) {
      db.transaction(() => {
        migration.up(db)
        const orphans = db.pragma('foreign_key_check') as unknown[]
        if (orphans.length > 0)
          throw new Error(`Migration ${migration.id} (${migration.name}) leaves ${orphans.length} orphans`)
        db.pragma(`user_version = ${migration.id}`)
      }).immediate()
    }
  } finally {
    db.pragma(`foreign_keys = ${enforced}`)
  }
  return { from, to: schemaVersion(db) }
}

import type { Database } from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'

/** One schema step. Runs in its own transaction, together with `user_version`. */
export interface Migration {
  /** From 1, without gaps. */
  id: number
  name: string
  /** Changes schema and rows. Must not begin or end a transaction. */
  up(db: Database): void
}

/** Id of the last migration applied, 0 for an empty file. */
export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

/** Newest version of `migrations`. Throws when their ids don't count up from 1. */
export function newestVersion(migrations: readonly Migration[]): number {
  migrations.forEach((migration, index) => {
    if (migration.id !== index + 1)
      throw new Error(`Migration ${migration.id} (${migration.name}) is at position ${index + 1}`)
  })
  return migrations.length
}

/**
 * Migrates `db` to `target` (default: the newest). Each migration commits with its `user_version` or not at all; one that leaves orphaned
 * rows is rolled back. Throws `STORAGE_FROM_FUTURE` for newer files. Returns the versions before and after.
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

  // Rebuilding a table drops it for a moment; enforcement can't be switched inside a transaction.
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

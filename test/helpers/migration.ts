import Sqlite from 'better-sqlite3'
import { migrate, type Migration } from '#electron/database/migrate.ts'

/**
 * A database in memory at the version before `migration`, to be filled as that version would have been; `apply` then runs
 * the one step.
 */
export function beforeMigration(migrations: readonly Migration[], id: number) {
  const db = new Sqlite(':memory:')
  migrate(db, migrations, id - 1)
  return { db, apply: () => migrate(db, migrations, id) }
}

/** Tables and columns of a database, as `table.column type`, sorted. */
export function columnsOf(db: Sqlite.Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT t.name || '.' || c.name || ' ' || c.type FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1`,
    )
    .pluck()
    .all()
}

import Sqlite from 'better-sqlite3'

/** A query that never ends. */
export const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'

/** Changes a database beside the console that uses it. */
export function changeFile(file: string, sql: string): void {
  const db = new Sqlite(file)
  db.exec(sql)
  db.close()
}

/** Whether another process or thread is inside a transaction that writes. */
export function isWriting(file: string): boolean {
  const db = new Sqlite(file, { timeout: 0 })
  try {
    db.exec('BEGIN IMMEDIATE')
    return false
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return true
    throw error
  } finally {
    db.close()
  }
}

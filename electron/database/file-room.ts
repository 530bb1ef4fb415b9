import type { Database } from 'better-sqlite3'

const read = (db: Database, name: string) => Number(db.pragma(name, { simple: true }))

/**
 * Bytes in use, and bytes freed by deletions. SQLite reuses those before the file grows; returning them to
 * the disk would need a full copy that blocks writers.
 */
export function fileRoom(db: Database): { usedBytes: number; freeBytes: number } {
  const pageBytes = read(db, 'page_size')
  const free = read(db, 'freelist_count')
  return { usedBytes: (read(db, 'page_count') - free) * pageBytes, freeBytes: free * pageBytes }
}

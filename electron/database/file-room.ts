import type { Database } from 'better-sqlite3'

const figure = (db: Database, name: string) => Number(db.pragma(name, { simple: true }))

/**
 * Bytes of a database file that hold something, and that deletions left: those are used again before the file grows, and are never
 * given back to the disk (that would take a copy of the whole file, beside which nothing could be written).
 */
export function fileRoom(db: Database): { usedBytes: number; freeBytes: number } {
  const pageBytes = figure(db, 'page_size')
  const free = figure(db, 'freelist_count')
  return { usedBytes: (figure(db, 'page_count') - free) * pageBytes, freeBytes: free * pageBytes }
}
